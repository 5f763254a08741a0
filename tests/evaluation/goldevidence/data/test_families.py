"""The oracle of the families: exact, entailed by its support and by no part of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.goldevidence.data.deeds import Deed
from evaluation.goldevidence.data.families import FAMILY_OF, MOST_LINES, entailed, solve
from tests.evaluation.goldevidence.generator.families import cast

seeds = st.integers(0, 10**6)
families = st.sampled_from(cast.FAMILIES)
STORY = (
    Deed("U000001", 1, "SET", "tag.01", "amber-0001"),
    Deed("U000002", 2, "SET", "tag.02", "jade-0002"),
    Deed("U000003", 3, "SET", "tag.01", "teal-0003"),
    Deed("U000004", 4, "NOTE", "tag.02", "ochre-0004"),
    Deed("U000005", 5, "CLEAR", "tag.02", None),
    Deed("U000006", 6, "SET", "tag.01", "amber-0001"),
)


def uids(support: list[Deed]) -> list[str]:
    return [deed.uid[-1] for deed in support]


@settings(deadline=None, max_examples=60)
@given(families, seeds, st.integers(30, 96))
def test_gold_is_that_of_an_oracle_that_plays_the_story_forward(family: str, seed: int, lines: int):
    plot = cast.plot(family, seed, lines)
    for question in plot.asked:
        assert plot.solved(question.op, *question.args).value == cast.brute_force(
            question.op, question.args, plot.deeds
        )


@settings(deadline=None, max_examples=60)
@given(families, seeds, st.data())
def test_any_question_is_answered_as_by_that_oracle(family: str, seed: int, data: Any):
    plot = cast.plot(family, seed)
    step = data.draw(st.none() | st.integers(1, plot.end))
    first = data.draw(st.integers(12, plot.end - 1))
    last = data.draw(st.integers(first + 1, plot.end))
    key, number = data.draw(st.sampled_from(plot.keys)), data.draw(st.integers(1, 8))
    args: dict[str, tuple[Any, ...]] = {
        "count_changed": (first, last),
        "most_changed": (first, last),
        "count_holding": ("amber", step),
        "reached": (key, number, step),
        "nth": (key, number, step),
        "held": (key, step),
        "meant": (key,),
    }
    for op in [op for op, of in FAMILY_OF.items() if of == family]:
        assert plot.solved(op, *args[op]).value == cast.brute_force(op, args[op], plot.deeds)


@settings(deadline=None, max_examples=40)
@given(families, seeds)
def test_gold_follows_from_its_support_and_from_no_part_of_it(family: str, seed: int):
    plot = cast.plot(family, seed)
    for op, args, _ in plot.asked:
        value, support = plot.solved(op, *args)
        lines = [deed.shown() for deed in support]
        assert 1 <= len(lines) <= MOST_LINES
        assert entailed(op, args, value, lines, gold=value, golds=len(lines))
        for left_out in range(len(lines)):
            part = [*lines[:left_out], *lines[left_out + 1 :]]
            assert not entailed(op, args, value, part, gold=value, golds=len(lines)), (op, args, left_out)


@settings(deadline=None, max_examples=40)
@given(families, seeds, st.sampled_from(["amber-0000", "tag.77", "5", "12", "", None]))
def test_another_value_does_not_follow_from_the_support_of_the_gold(
    family: str, seed: int, other: str | None
):
    plot = cast.plot(family, seed)
    for op, args, _ in plot.asked:
        value, support = plot.solved(op, *args)
        lines = [deed.shown() for deed in support]
        if other != value:
            assert not entailed(op, args, other, lines, gold=value, golds=len(lines))


def test_what_was_not_shown_establishes_nothing():
    lines = [STORY[5].shown(), None]
    assert entailed("count_holding", ("amber", None), "1", lines[:1], gold="1", golds=1)
    assert not entailed("count_holding", ("amber", None), "1", lines, gold="1", golds=1)


def test_a_tag_that_got_its_value_back_has_not_changed_and_a_cleared_one_has():
    assert solve("count_changed", (2, 6), STORY) == ("1", [STORY[4]])
    assert solve("count_changed", (2, 4), STORY) == ("1", [STORY[2]])


def test_of_tags_that_changed_as_often_the_first_to_be_done_is_taken():
    assert solve("most_changed", (0, 5), STORY).value == "tag.01"
    assert solve("most_changed", (3, 6), STORY).value == "tag.02"
    assert uids(solve("most_changed", (0, 6), STORY).support) == ["1", "3", "6"]


def test_how_often_a_tag_changed_takes_all_of_its_lines():
    two = [STORY[0].shown(), STORY[2].shown()]
    assert not entailed("most_changed", (0, 6), "tag.01", two, gold="tag.01", golds=3)


def test_above_eight_a_count_is_shown_by_its_first_eight_lines():
    many = [Deed(f"U{n:06X}", n, "SET", f"tag.{n:02d}", "teal-0001") for n in range(1, 12)]
    value, support = solve("count_holding", ("teal", None), many)
    assert (value, [deed.step for deed in support]) == ("11", list(range(1, 9)))
    lines = [deed.shown() for deed in support]
    assert entailed("count_holding", ("teal", None), "11", lines, gold="11", golds=8)
    assert not entailed("count_holding", ("teal", None), "11", lines[1:], gold="11", golds=8)
    assert not entailed("count_holding", ("teal", None), "12", lines, gold="11", golds=8)


def test_a_chain_needs_a_line_for_every_hop_and_takes_the_one_of_its_time():
    hops = [
        Deed("U000001", 1, "SET", "tag.01", "tag.02"),
        Deed("U000002", 2, "SET", "tag.02", "tag.03"),
        Deed("U000003", 3, "SET", "tag.03", "tag.04"),
        Deed("U000004", 4, "SET", "tag.02", "tag.05"),
    ]
    assert solve("reached", ("tag.01", 3, 3), hops) == ("tag.04", hops[:3])
    assert solve("reached", ("tag.01", 2, None), hops) == ("tag.05", [hops[0], hops[3]])
    assert solve("reached", ("tag.01", 3, None), hops).value is None


def test_a_retracted_retraction_restores_what_it_took_back_as_of_its_step():
    lines = [
        Deed("U000001", 1, "SET", "tag.01", "amber-0001"),
        Deed("U000002", 2, "SET", "tag.01", "jade-0002"),
        Deed("U000003", 3, "RETRACT", "", "U000001"),
        Deed("U000004", 4, "SET", "tag.01", "teal-0004"),
        Deed("U000005", 5, "RETRACT", "", "U000003"),
    ]
    assert solve("nth", ("tag.01", 2, 2), lines).value == "jade-0002"
    assert solve("nth", ("tag.01", 2, 4), lines) == ("teal-0004", [lines[1], lines[3]])
    assert solve("nth", ("tag.01", 2, None), lines).value == "jade-0002"


RIGHTS = (
    Deed("U000001", 1, "RULE", "odd", "closed", since=1),
    Deed("U000002", 2, "GRANT", "odd", None, "clerk", 4),
    Deed("U000003", 3, "SET", "tag.01", "amber-0003", "clerk"),
    Deed("U000004", 5, "SET", "tag.01", "jade-0004", "clerk"),
    Deed("U000005", 6, "REVOKE", "odd", None, "clerk", 7),
    Deed("U000006", 8, "SET", "tag.01", "teal-0006", "clerk"),
    Deed("U000007", 9, "GRANT", "odd", None, "clerk", 8),
)


@pytest.mark.parametrize(
    ("step", "value", "support"),
    [
        (3, None, []),  # the grant begins later
        (5, "jade-0004", ["2", "4"]),
        (8, "jade-0004", ["2", "4"]),  # revoked
        (9, "teal-0006", ["6", "7"]),  # granted afterwards
        (None, "teal-0006", ["6", "7"]),
    ],
)
def test_a_right_counts_at_the_step_of_the_update(step: int | None, value: str | None, support: list[str]):
    solved = solve("held", ("tag.01", step), RIGHTS)
    assert (solved.value, uids(solved.support)) == (value, support)


def test_a_rule_decides_where_a_role_has_neither_grant_nor_revocation():
    free = [Deed("U000009", 1, "RULE", "odd", "open", since=1), *RIGHTS[2:4]]
    assert uids(solve("held", ("tag.01", None), free).support) == ["9", "4"]
    taken = [free[0], Deed("U00000A", 2, "REVOKE", "odd", None, "clerk", 2), *RIGHTS[2:4]]
    assert solve("held", ("tag.01", None), taken).value is None


def test_a_grant_for_even_tags_gives_no_right_to_odd_ones():
    lines = [Deed("U000001", 1, "GRANT", "even", None, "clerk", 1), *RIGHTS[2:3]]
    assert solve("held", ("tag.01", None), lines).value is None
