"""A scaled figure lies between guessing and the oracle of its board, if these are far enough apart."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.benchmarks.models import Version
from leaderboard.boards import guessing
from leaderboard.boards.guessing import Guessing
from leaderboard.boards.scaled import Bounds, bounds_of
from leaderboard.boards.slices import WHOLE
from tests.leaderboard.boards.test_references import run_by_site


@pytest.mark.parametrize(
    ("guess", "ceiling", "better", "why"),
    [
        (0.1, 1.0, "higher", ""),
        (0.3, 0.5, "higher", ""),
        (0.31, 0.5, "higher", "less than 20.0 points apart"),
        (0.9, 0.4, "higher", "less than 20.0 points apart"),
        (0.9, 0.4, "lower", ""),
        (0.5, 0.4, "lower", "less than 20.0 points apart"),
        (None, 1.0, "higher", "the guessing line of this board is not known"),
        (0.1, None, "higher", "no oracle was run"),
    ],
)
def test_there_is_a_scale_only_where_both_are_known_and_a_fifth_apart(
    guess: float | None, ceiling: float | None, better: str, why: str
) -> None:
    bounds = Bounds(None if guess is None else Guessing(guess, "One"), ceiling, better)
    assert why in bounds.why_none
    assert bool(bounds.why_none) == bool(why)
    assert (bounds.scale is None) == bool(why)
    if bounds.scale is not None:
        assert (bounds.scale.scaled(guess), bounds.scale.scaled(ceiling)) == (0, 1)


def test_page_api_and_file_scale_by_guessing_or_say_why_not(
    client: Any, version: Version, monkeypatch: Any
) -> None:
    system = run_by_site(version, "ledger")
    line = guessing.guessing_of(version)
    assert line is not None
    board, api = version.get_board_url(), f"/api/v1/leaderboard/{version.benchmark.slug}/{version.slug}"
    answer = client.get(api).json()
    assert answer["guessing"] == {"value": line.value, "name": line.name}
    assert answer["why_unscaled"] == ""
    assert [item["scaled"] for item in answer["items"] if item["system"] == system.name] == [1.0]
    for each in version.guessing["guessers"]:
        each["headline"] = 0.85
    Version.objects.filter(pk=version.pk).update(guessing=version.guessing)
    version = Version.objects.get(pk=version.pk)
    why = bounds_of(version, WHOLE).why_none
    assert why == (
        "The scaled headline is not reported: guessing (85.0%) and the oracle (100.0%) are less than 20.0 points "
        "apart."
    )
    answer = client.get(api).json()
    assert answer["why_unscaled"] == why
    assert {item["scaled"] for item in answer["items"]} == {None}
    page = client.get(f"{board}?view=figures&references=on").content.decode()
    assert why in page
    assert "sort=-scaled" not in page


def test_the_scale_of_a_version_that_keeps_its_answers_is_made_of_shown_figures(make_version: Any) -> None:
    version = make_version(sealed=True)
    run_by_site(version, "ledger")
    bounds = bounds_of(version, WHOLE)
    for value in (bounds.guessing and bounds.guessing.value, bounds.ceiling):
        assert value is not None
        assert value / version.shown_step == pytest.approx(round(value / version.shown_step))
