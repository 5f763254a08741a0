"""The share of the true state that artifacts contain."""

from __future__ import annotations

from evaluation.goldevidence.adapters.books.artifacts import book_of
from evaluation.goldevidence.artifacts.built import COLUMNS
from evaluation.goldevidence.artifacts.measure import figures, measured
from evaluation.goldevidence.data.ledger import Entry
from tests.evaluation.conftest import ENTRIES

FIRST, SECOND, NOTE, LATEST, CLEARED, _ = ENTRIES


def test_the_lines_of_a_ledger_are_live_dead_or_wrong_and_the_state_may_miss_some() -> None:
    changed = LATEST._replace(value="jade-0001")
    invented = Entry("U0000AA", 9, "SET", "tag.01", "teal-0009")
    stats = measured("e1", book_of([FIRST, NOTE, changed, invented, CLEARED], "e1"), ENTRIES)
    assert (stats.lines, stats.live, stats.dead, stats.wrong) == (5, 1, 2, 2)
    assert (stats.missing, stats.state) == (1, 2)  # the latest line of tag.00 stands there with another value
    assert stats.sections == 4


def test_the_figures_are_means_of_lengths_and_shares_of_all_lines() -> None:
    whole = measured("e1", book_of(ENTRIES, "e1"), ENTRIES)
    short = measured("e2", book_of([LATEST, CLEARED], "e2"), ENTRIES)
    values = figures([whole, short])
    assert values["artifact_lines"] == 4
    assert values["artifact_live_share"] == 4 / 8
    assert values["artifact_dead_share"] == 4 / 8
    assert values["artifact_missing_share"] == 0
    assert values.keys() == {column.name for column in COLUMNS}


def test_no_artifacts_have_no_figures_and_an_empty_ledger_has_no_shares_of_its_lines() -> None:
    assert figures([]) == {}
    values = figures([measured("e1", book_of([], "e1"), ENTRIES)])
    assert "artifact_live_share" not in values
    assert values["artifact_missing_share"] == 1
