"""Over a group of rows, positions identify a line; in one row all lines are alike."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.attacks.goldevidence.joining.notes import NO_TEXT, NotedRow
from evaluation.attacks.goldevidence.joining.places import STATISTICS, best, by_id, by_rank, tally
from evaluation.goldevidence.data.ledger import Entry

LINES = [Entry(f"U00000{number}", number, "SET", "tag.01", f"amber-000{number}") for number in range(4)]


def row(name: str, order: tuple[int, ...]) -> NotedRow:
    """A row that shows lines about its tag in an order."""
    lines = [LINES[number] for number in order]
    return NotedRow(name, ("What?", len(lines)), 0, None, lines, range(len(lines)), NO_TEXT, -1, "")


def chosen(rows: list[NotedRow], number: int) -> set[str]:
    """The lines that a statistic selects."""
    group = tally(rows, by_id)
    scores = {name: STATISTICS[number](counts, group) for name, counts in group.counts.items()}
    taken = (best(each, [scores[by_id(each, line)] for line in each.mine]) for each in rows)
    return {each.lines[line].uid for each, line in zip(rows, taken, strict=True)}


def test_the_line_that_stands_nowhere_third_is_told() -> None:
    orders = [order for order in permutations(range(4)) if order[2] != 3]
    assert chosen([row(str(order), order) for order in orders], 0) == {"U000003"}


def test_the_line_that_stands_everywhere_as_often_is_told() -> None:
    placed = [(*rest[:place], 3, *rest[place:]) for place in range(4) for rest in ((0, 1, 2), (1, 0, 2))]
    assert chosen([row(str(order), order) for order in placed], 1) == {"U000003"}


def test_the_line_that_most_rows_show_is_told() -> None:
    rows = [row("one", (3,)), row("two", (2, 3)), row("four", (0, 1, 2, 3))]
    assert chosen(rows, 2) == {"U000003"}


def test_the_line_that_stands_unlike_the_others_is_told() -> None:
    orders = [(3, *rest) for rest in permutations(range(3))]
    assert chosen([row(str(order), order) for order in orders], 3) == {"U000003"}


@given(st.permutations(range(4)), st.text("0123456789abcdef", min_size=3, max_size=12))
@pytest.mark.parametrize("number", range(4))
def test_of_one_row_every_line_is_as_likely(number: int, order: list[int], name: str) -> None:
    lone = row(name, tuple(order))
    group = tally([lone], by_id)
    scores = [STATISTICS[number](group.counts[by_id(lone, line)], group) for line in lone.mine]
    assert lone.takes(best(lone, scores)) == lone.guess()


def test_names_and_steps_of_its_own_leave_a_line_its_rank() -> None:
    moved = [entry._replace(uid=f"UFFFFF{entry.step}", step=7 * entry.step + 2) for entry in LINES]
    assert [by_rank(row("a", (0, 1, 2, 3)), line) for line in range(4)] == [3, 2, 1, 0]
    assert [by_rank(row("a", (0, 1, 2, 3))._replace(lines=moved), line) for line in range(4)] == [3, 2, 1, 0]
