"""The stored figures of known systems belong to the present presets and rows."""

from __future__ import annotations

import pytest

from evaluation.goldevidence.experiments.anchors.reached import (
    as_text,
    reached,
    reached_under,
    settings_sha256,
)
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.suite import SUITE
from tests.benchmarks import anchors

STALE = "`make anchors` measures anew"
STORED = {each.preset: each for each in reached()}


def test_each_preset_that_is_measured_has_figures() -> None:
    assert list(STORED) == list(anchors.MEASURED), STALE


@pytest.mark.parametrize("preset", anchors.MEASURED)
def test_figures_are_of_the_settings_and_rows_of_now(preset: str) -> None:
    settings = PRESETS[preset].as_json()
    assert STORED[preset].settings_sha256 == settings_sha256(settings), STALE
    assert STORED[preset].rows_sha256 == anchors.rows_sha256(settings), STALE


@pytest.mark.parametrize("preset", ["deep_short", "order_bias_short"])
def test_what_is_stored_of_all_but_the_model_is_measured_now(
    preset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(anchors, "model_path", lambda: None)
    assert anchors.measured(preset, ask=False, known=STORED[preset]) == STORED[preset], STALE


def test_the_tables_of_the_page_are_those_stored() -> None:
    _, _, behind = anchors.PAGE.read_text().partition(anchors.BEGIN)
    written, _, _ = behind.partition(anchors.END)
    assert written == "\n" + "\n".join(anchors.tables(STORED.values())), STALE


def test_a_version_has_the_figures_of_its_preset_under_whatever_seeds() -> None:
    settings = PRESETS["deep_short"].as_json()
    drawn = settings | {"seeds": [77], "key": "0" * 64, "public_gold": True}
    assert reached_under(drawn) == SUITE.display.reached(settings) == STORED["deep_short"]
    assert reached_under(settings | {"rubric": "strict"}) is None


def test_the_oracle_is_right_everywhere_and_the_model_says_how_many_rows_it_was_asked() -> None:
    for each in STORED.values():
        named = {system.name: system for system in each.systems}
        assert {rate.value for rate in named["ledger"].rates.values()} == {1}, each.preset
        if anchors.MODEL in named:
            assert named[anchors.MODEL].sampled
            assert all(4 <= rate.rows <= 40 for rate in named[anchors.MODEL].rates.values())


def test_what_is_written_is_read_again() -> None:
    from pydantic import TypeAdapter

    from evaluation.core.plugin.reached import Reached

    written = as_text(STORED.values())
    assert TypeAdapter(tuple[Reached, ...]).validate_json(written) == tuple(STORED.values())
