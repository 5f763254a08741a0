"""Texts about lengths on pages, in words and in cells."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.core.statistics import length_figures
from leaderboard.boards.lengths.figures import (
    Lengths,
    columns,
    columns_of_files,
    rounded,
    rungs_of,
    tokens_label,
    unknown,
)

TOKENS = (2048, 8192, 32_768)


def lengths(*shares: float, units: int = 60) -> Lengths:
    table = np.array([[[share * 10, 10]] * units for share in shares])
    return Lengths(TOKENS, length_figures(TOKENS, table))


@pytest.mark.parametrize(
    ("tokens", "label"), [(2048, "2k"), (131_072, "128k"), (1_048_576, "1M"), (3000, "3,000"), (500, "500")]
)
def test_a_length_is_called_as_readers_call_it(tokens, label):
    assert tokens_label(tokens) == label


def of_ends(shown: int, possible: int, rungs: int = 3) -> Lengths:
    figures = length_figures(TOKENS[:rungs], np.full((rungs, 20, 2), 5.0))
    return Lengths(TOKENS[:rungs], figures._replace(shown=shown, possible=possible))


@pytest.mark.parametrize(
    ("ends", "label", "note", "words"),
    [
        ((0, 0), "fails at 2k", "", "fails at 2k tokens"),
        ((0, 1), "at most 2k", "", "at most 2k tokens"),
        ((0, 2), "at most 8k", "", "at most 8k tokens"),
        ((0, 3), "none shown", "", "neither shown nor ruled out at any length"),
        ((1, 1), "2k", "", "2k tokens"),
        ((1, 2), "2k", "to 8k", "2k to 8k tokens"),
        ((1, 3), "2k", "or more", "at least 2k tokens"),
        ((3, 3), "32k", "or more", "at least 32k tokens"),
        ((0, 0, 1), "fails at 2k", "", "fails at 2k tokens"),
        ((0, 1, 1), "none shown", "", "neither shown nor ruled out at any length"),
        ((1, 1, 1), "2k", "or more", "at least 2k tokens"),
    ],
)
def test_words_say_what_is_shown_and_what_is_open(ends, label, note, words):
    said = of_ends(*ends)
    assert (said.label, said.note, said.words) == (label, note, words)


def test_figures_make_these_ends():
    assert lengths(1, 1, 0.1).words == "8k tokens"
    assert lengths(1, 1, 1).words == "at least 32k tokens"
    few = lengths(1, 1, 1, units=3)
    assert (few.figures.shown, few.possible) == (1, 32_768)
    assert few.words == "at least 2k tokens"


def test_the_effective_length_has_an_interval_in_tokens_and_0_is_under_the_shortest():
    cells = {column.name: (value, ends) for column, value, ends in of_ends(0, 2).cells}
    assert cells["effective_length"] == (0, (0.0, 8192.0))
    assert "effective_length_perhaps" not in cells


def test_the_bar_is_four_fifths_of_the_shortest():
    assert lengths(0.9, 0.8, 0.7).bar == pytest.approx(0.72)


def test_nothing_of_the_shortest_is_not_reported():
    table = np.zeros((3, 20, 2))
    table[1:] = 5
    missing = Lengths(TOKENS, length_figures(TOKENS, table))
    assert (missing.effective, missing.label, missing.bar, missing.words) == (None, "", None, "not reported")
    assert missing.cells == unknown()


def test_a_version_that_keeps_its_answers_shows_rounded_rates_and_exact_statements(ladder, monkeypatch):
    found = length_figures(TOKENS, np.array([[[9.13, 10]] * 60, [[8.77, 10]] * 60, [[1.31, 10]] * 60]))
    assert rounded(ladder, found) is found
    monkeypatch.setattr(type(ladder), "shown_step", 0.05)
    ladder.conditions = {"1k": 600, "2k": 600, "4k": 600}
    shown = rounded(ladder, found)
    assert shown.rates == pytest.approx((0.9, 0.9, 0.1)), "600 rows of ten units allow steps of .1"
    assert (shown.shown, shown.possible) == (found.shown, found.possible)
    assert shown.area_interval[0] <= found.area_interval[0]
    ladder.conditions["4k"] = 49
    few = rounded(ladder, found)
    assert (few.rates[2], few.ratios[2], few.area, few.area_interval) == (None, None, None, None)


def test_a_ladder_has_rungs_and_columns_and_other_versions_have_none(ladder, version):
    assert [rung.split for rung in rungs_of(ladder)] == ["1k", "2k", "4k"]
    assert [column.name for column in columns(ladder)] == ["effective_length", "length_auc"]
    assert [column.name for column in columns_of_files(ladder)] == [
        "effective_length", "effective_length_perhaps", "length_auc",
    ]  # fmt: skip
    assert rungs_of(version) == ()
    assert columns(version) == columns_of_files(version) == []
