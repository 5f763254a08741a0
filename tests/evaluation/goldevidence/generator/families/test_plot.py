"""Plots have the requested length and number of questions, each of a kind of the family."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence.data.families import solve
from tests.evaluation.goldevidence.generator.families import cast

seeds = st.integers(0, 10**6)
families = st.sampled_from(cast.FAMILIES)


@settings(deadline=None, max_examples=40)
@given(families, seeds, st.integers(30, 96))
def test_a_plot_has_its_lines_in_order_and_its_questions(family: str, seed: int, lines: int):
    plot = cast.plot(family, seed, lines)
    assert [deed.step for deed in plot.deeds] == list(range(1, lines + 1))
    assert len({deed.uid for deed in plot.deeds}) == len(plot.truth) == lines
    assert len({question[:2] for question in plot.asked}) == len(plot.asked) == 12
    assert {question.family for question in plot.asked} == {family}
    assert cast.plot(family, seed, lines) == plot


@settings(deadline=None, max_examples=30)
@given(families, seeds)
def test_what_a_plot_says_that_tags_hold_is_what_they_hold(family: str, seed: int):
    plot = cast.plot(family, seed)
    held: dict[str, str | None] = {}
    for number, changes in enumerate(plot.truth, 1):
        held |= {change.key: change.value for change in changes}
        for key in plot.keys:
            past = plot.deeds[:number]
            if family == "authority":
                assert held.get(key) == cast.brute_force("held", (key, None), past)
            elif family == "nth":
                counted = (
                    n for n in range(1, number + 1) if solve("nth", (key, n, None), past).support[n - 1 :]
                )
                last = max(counted, default=0)
                assert held.get(key) == (cast.brute_force("nth", (key, last, None), past) if last else None)
            else:
                assert held.get(key) == cast.brute_force("meant", (key,), past)


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_chains_meet_no_tag_twice_and_have_three_to_six_hops(seed: int):
    plot = cast.plot("chain", seed)
    for _, (key, hops, step), dial in plot.asked:
        path = [cast.brute_force("reached", (key, hop, step), plot.deeds) for hop in range(hops + 1)]
        assert len(set(path)) == hops + 1
        assert 3 <= hops <= 6
        assert dial == str(hops)


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_retractions_refer_back_and_take_no_line_back_twice(seed: int):
    plot = cast.plot("nth", seed)
    taken = [deed for deed in plot.deeds if deed.op == "RETRACT"]
    step_of = {deed.uid: deed.step for deed in plot.deeds}
    assert all(step_of[deed.value or ""] < deed.step for deed in taken)
    assert len({deed.value for deed in taken}) == len(taken)


def test_most_questions_of_each_family_are_wrong_without_what_makes_it_hard():
    for family, op, left_out in (("nth", "nth", "RETRACT"), ("authority", "held", "REVOKE")):
        wrong = total = 0
        for seed in range(20):
            plot = cast.plot(family, seed, 90)
            naive = [deed for deed in plot.deeds if deed.op != left_out]
            wrong += sum(
                solve(op, args, naive).value != plot.solved(op, *args).value for _, args, _ in plot.asked
            )
            total += len(plot.asked)
        assert wrong / total > (0.9 if family == "nth" else 0.4)


def test_dials_are_those_of_the_settings():
    assert {dial for seed in range(5) for *_, dial in cast.plot("chain", seed, chain_hops=4).asked} == {
        "3",
        "4",
    }
    assert {dial for seed in range(5) for *_, dial in cast.plot("nth", seed, nth_most=3).asked} == {"2", "3"}
    few, many = (
        sum(deed.op in ("GRANT", "REVOKE", "RULE") for deed in cast.plot("authority", 1, grants=grants).deeds)
        for grants in (4, 20)
    )
    assert (few, many) == (4, 20)
    spans = [
        args[1] - args[0]
        for op, args, _ in cast.plot("aggregate", 1, aggregate_span=6).asked
        if op != "count_holding"
    ]
    assert max(spans) <= 6


def test_a_story_too_short_for_its_questions_is_refused():
    with pytest.raises(BenchmarkError, match="use more tags"):
        cast.plot("chain", 1, 12, queries=500)
