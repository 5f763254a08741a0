"""The geometry of a timeline, and the window of its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.plugin.replay import Lane, Mark, MarkKind, Replay, indexed, spans_of
from leaderboard.submissions.rows import drawing, text

KINDS = (MarkKind("update", "update", "", "write"), MarkKind("claim", "distractor", "", "claim"))


def replay_of(marks: list[Mark], *, last: int = 100, gold: frozenset[int] = frozenset()) -> Replay:
    lane = Lane("tag.00", "asked", marks)
    lane = Lane("tag.00", "asked", marks, spans_of(lane.writes))
    lines = [f"line {number}" for number in range(1, last + 1)]
    return Replay([lane], KINDS, "step", 0, last, "Log", lines, gold=gold, by_uid=indexed([lane]))


def drawn(seen: Replay, *, step: int = 0, **more: object) -> drawing.Picture:
    return drawing.picture(seen, seen.lanes, step=step, **more)  # type: ignore[arg-type]


def test_what_holds_at_the_end_is_drawn_to_the_end_of_the_axis() -> None:
    seen = replay_of([Mark(50, "update", 1, "a", "U1"), Mark(100, "update", 2, "b", "U2")])
    first, second = drawn(seen).lanes[0].spans
    assert (first.x, first.is_last, second.is_last) == ("49.02%", False, True)
    assert float(second.width[:-1]) > 1


def test_gold_is_drawn_over_all_and_said() -> None:
    marks = [Mark(50, "claim", 1, "b"), Mark(50, "update", 2, "a", "U1"), Mark(50, "claim", 3, "c")]
    seen = replay_of(marks, gold=frozenset({2}))
    last = drawn(seen, cited=frozenset({1})).lanes[0].marks[-1]
    assert (last.role, last.tip) == ("gold", "step 50: update a, gold")
    assert [mark.role for mark in drawn(seen, cited=frozenset({1})).lanes[0].marks] == ["", "cited", "gold"]
    assert {mark.role for mark in drawn(seen, cited=frozenset({1}), gold=False).lanes[0].marks} == {""}


def test_a_crowd_of_marks_is_thinned_and_no_update_is_lost() -> None:
    marks = [Mark(step, "claim", step, "x") for step in range(1, 50_000, 2)]
    writes = [Mark(step, "update", step, "y", f"U{step}") for step in (2, 25_000, 49_000)]
    seen = replay_of([*marks, *writes], last=50_000)
    lane = drawn(seen).lanes[0]
    assert len(lane.marks) <= drawing.PLACES + 4
    assert [mark.at for mark in lane.marks if not mark.is_stroke] == [2, 25_000, 49_000]
    assert (
        sum(1 + int(mark.tip.partition("and ")[2].partition(" more")[0] or 0) for mark in lane.marks)
        == 25_003
    )


def test_one_can_jump_to_where_it_changes() -> None:
    seen = replay_of([Mark(5, "update", 1, "a"), Mark(7, "claim", 2, "b"), Mark(9, "update", 3, "c")])
    picture = drawn(seen, step=7)
    assert (picture.places, picture.previous, picture.following) == ([5, 9], 5, 9)


@given(first=st.integers(0, 10**7), length=st.integers(0, 10**7))
def test_an_axis_has_a_few_round_ticks(first: int, length: int) -> None:
    ticks = drawing.ticks(first, first + length)
    assert len(ticks) <= 7
    assert all(first <= tick <= first + length for tick in ticks)


@given(here=st.integers(-5, 200), total=st.integers(0, 120))
def test_a_window_holds_its_line_and_leads_to_all_others(here: int, total: int) -> None:
    seen = replay_of([Mark(1, "update", 1, "a")], last=total)
    shown = text.window(seen, here, cited=(), answers=True)
    numbers = [line.number for line in shown.lines]
    assert numbers == list(range(numbers[0], numbers[-1] + 1)) if numbers else total == 0
    assert sum(line.is_here for line in shown.lines) == (1 if total else 0)
    assert (shown.earlier is None) == (not numbers or numbers[0] == 1)
    assert (shown.later is None) == (not numbers or numbers[-1] == total)
    for follow, ahead in ((shown.earlier, False), (shown.later, True)):
        if follow is not None:
            again = [line.number for line in text.window(seen, follow, cited=(), answers=True).lines]
            assert (
                (again[0] <= numbers[-1] + 1 and again[-1] > numbers[-1])
                if ahead
                else again[-1] >= numbers[0] - 1
            )


@pytest.mark.parametrize(("step", "line"), [(0, 1), (5, 1), (6, 1), (7, 2), (100, 3)])
def test_a_step_opens_the_text_at_the_last_line_before_it(step: int, line: int) -> None:
    seen = replay_of([Mark(5, "update", 1, "a"), Mark(7, "claim", 2, "b"), Mark(9, "update", 3, "c")])
    assert text.line_at(seen, step) == line


def test_lines_are_marked_for_readers_who_may_see_the_answers() -> None:
    seen = replay_of([Mark(1, "update", 1, "a", "U1")], last=3, gold=frozenset({1}))
    roles = [line.role for line in text.window(seen, 1, cited={2}, answers=True).lines]
    assert roles == ["gold", "cited", ""]
    assert {line.role for line in text.window(seen, 1, cited={2}, answers=False).lines} == {""}
