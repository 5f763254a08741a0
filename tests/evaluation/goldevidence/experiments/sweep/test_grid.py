"""Grids: their cells, and settings refused before the first cell."""

from __future__ import annotations

import pytest

from evaluation.core.errors import BenchmarkError, SettingsError, UnknownNameError
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.experiments.sweep.contestants import Contestant, adapters_with
from evaluation.goldevidence.experiments.sweep.grid import Grid
from tests.evaluation.goldevidence.experiments.sweep.cast import CONFIG, grid, systems

K4 = Condition.from_json({"k": 4})


def test_every_cell_has_a_folder_of_its_own() -> None:
    whole = grid(
        "ledger", "naive", seeds=2, steps=(24, 48), max_book_tokens=(None, 50), varied={"keys": [4, 5]}
    )
    folders = [cell.folder for cell in whole.cells()]
    assert len(set(folders)) == len(folders) == len(whole) == 32
    assert "seed1-steps48-book50-modekv-profstandard-keys5-naive" in folders
    filtered = grid("ledger", conditions=[K4], authority_filter=(False, True))
    assert [cell.folder for cell in filtered.cells()] == [
        "seed0-steps24-modekv-profstandard-ledger-k4-shuffle",
        "seed0-steps24-modekv-profstandard-ledger-k4-shuffle-gate",
    ]
    assert next(grid(protocol="open").cells()).folder.endswith("ledger-open")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"authority_filter": (True,)}, "applies only to candidates"),
        ({"conditions": [K4], "max_book_tokens": (10, 20)}, "which it does not cut"),
        ({"conditions": [K4], "protocol": "open"}, "they show no whole text"),
        ({"max_book_tokens": (0,)}, "must be at least 1"),
        ({"protocol": "build", "max_book_tokens": (9,)}, "no effect under build"),
        ({"varied": {"stepps": [1]}}, "'stepps' is not one of"),
        ({"varied": {"keys": [3, 3]}}, "or repeat a value"),
        ({"varied": {"keys": ["three"]}}, "keys"),
        ({"steps": (24, 2)}, "chapters"),
    ],
)
def test_a_grid_that_cannot_be_run_is_refused(settings, message) -> None:
    with pytest.raises(SettingsError, match=message):
        grid(**settings)


def test_adapters_are_crossed_with_the_settings_that_they_know() -> None:
    names = [
        each.name
        for each in adapters_with(["retrieval", "ledger"], {"k": "4"}, {"selector": ["none", "latest_step"]})
    ]
    assert names == ["retrieval-selector=none", "retrieval-selector=latest_step", "ledger"]
    with pytest.raises(SettingsError, match="selektor"):
        adapters_with(["retrieval"], {"selektor": "none"}, {})
    with pytest.raises(UnknownNameError):
        adapters_with(["nobody"], {}, {})


def test_an_adapter_is_checked_before_it_is_loaded() -> None:
    with pytest.raises(SettingsError, match="k"):
        Grid(adapters_with(["retrieval"], {"k": "-1"}, {}), CONFIG, steps=(24,))
    with pytest.raises(BenchmarkError):
        Grid([Contestant("x", "no_such_module:create")], CONFIG, steps=(24,))


def test_what_a_cell_says_of_itself_holds_no_secret() -> None:
    who = Contestant("x", "ledger", {"api_key": "sk-very-secret-key"})
    assert "very-secret" not in str(who.as_json())
    assert systems("ledger")[0].is_rule
