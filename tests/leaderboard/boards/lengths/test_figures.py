"""What pages say of lengths, in words and in cells."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.core.statistics import length_figures
from leaderboard.boards.lengths.figures import Lengths, columns, rounded, rungs_of, tokens_label, unknown

TOKENS = (2048, 8192, 32_768)


def lengths(*shares: float, units: int = 60) -> Lengths:
    table = np.array([[[share * 10, 10]] * units for share in shares])
    return Lengths(TOKENS, length_figures(TOKENS, table))


@pytest.mark.parametrize(
    ("tokens", "label"), [(2048, "2k"), (131_072, "128k"), (1_048_576, "1M"), (3000, "3,000"), (500, "500")]
)
def test_a_length_is_called_as_readers_call_it(tokens, label):
    assert tokens_label(tokens) == label


def test_words_say_what_is_shown_and_what_is_open():
    assert lengths(1, 1, 0.1).words == "at least 8k tokens"
    assert (lengths(1, 1, 1).label, lengths(1, 1, 1).note) == ("32k", "or more")
    assert lengths(0, 0, 0).words == "under 2k tokens"
    unsure = lengths(1, 1, 1, units=3)
    assert unsure.note == "perhaps 32k" or unsure.figures.shown == 3


def test_the_bar_is_four_fifths_of_the_shortest():
    assert lengths(0.9, 0.8, 0.7).bar == pytest.approx(0.72)


def test_nothing_of_the_shortest_is_not_reported():
    table = np.zeros((3, 20, 2))
    table[1:] = 5
    missing = Lengths(TOKENS, length_figures(TOKENS, table))
    assert (missing.effective, missing.label, missing.bar, missing.words) == (None, "", None, "not reported")
    assert [value for _, value, _ in missing.cells] == [value for _, value, _ in unknown()] == [None] * 3


def test_a_version_that_keeps_its_answers_shows_rounded_rates_and_exact_statements(ladder, monkeypatch):
    found = length_figures(TOKENS, np.array([[[9.13, 10]] * 60, [[8.77, 10]] * 60, [[1.31, 10]] * 60]))
    assert rounded(ladder, found) is found
    monkeypatch.setattr(type(ladder), "shown_step", 0.05)
    ladder.conditions = {"1k": 600, "2k": 600, "4k": 600}
    shown = rounded(ladder, found)
    assert shown.rates == pytest.approx((0.9, 0.9, 0.1)), "600 rows of ten units allow steps of .1"
    assert (shown.shown, shown.perhaps) == (found.shown, found.perhaps)
    assert shown.area_interval[0] <= found.area_interval[0]
    ladder.conditions["4k"] = 49
    few = rounded(ladder, found)
    assert (few.rates[2], few.ratios[2], few.area, few.area_interval) == (None, None, None, None)


def test_a_ladder_has_rungs_and_columns_and_other_versions_have_none(ladder, version):
    assert [rung.split for rung in rungs_of(ladder)] == ["1k", "2k", "4k"]
    assert [column.name for column in columns(ladder)] == [
        "effective_length", "effective_length_perhaps", "length_auc",
    ]  # fmt: skip
    assert rungs_of(version) == ()
    assert columns(version) == []
