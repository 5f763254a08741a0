"""Strategies: all but the reference keep their budget, and the figures tell them apart."""

from __future__ import annotations

import pytest

from evaluation.core.errors import UnknownNameError
from evaluation.statebench.generator.tracks import TRACKS, generate
from evaluation.statebench.strategies import STRATEGIES, build_budgets, build_context, build_contexts
from evaluation.statebench.strategies.measure import ALL, measure
from tests.evaluation.statebench import reference_state

ROWS = list(generate(list(TRACKS), 1, 7))


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - {"state_based_reference"}))
@pytest.mark.parametrize("budget", [3, 20, 60, 4000])
def test_a_strategy_keeps_its_budget(name, budget):
    for row in ROWS:
        for context in build_contexts(row, strategy=name, budget=budget):
            assert context.tokens == len(context.text.split()) <= budget


@pytest.mark.parametrize("name", STRATEGIES)
def test_all_contexts_of_a_timeline_are_those_of_its_queries(name):
    row = ROWS[-1]
    texts = [context.text for context in build_contexts(row, strategy=name)]
    assert len(texts) == 3
    assert texts == [build_context(row, n, strategy=name).text for n in range(3)]


@pytest.mark.parametrize("name", STRATEGIES)
def test_several_budgets_at_once_give_what_each_gives_alone(name):
    budgets = (3, 20, 60, 4000)
    for row in ROWS:
        for budget, together in zip(budgets, build_budgets(row, budgets, strategy=name), strict=True):
            alone = build_contexts(row, strategy=name, budget=budget)
            assert [shown(context) for context in together] == [shown(context) for context in alone]


def shown(context):
    return context.text, context.tokens, context.lines, [fact.alias for fact in context.facts]


def test_an_unknown_strategy_fails_helpfully():
    with pytest.raises(UnknownNameError, match="state_based"):
        build_context(ROWS[0], strategy="state_baset")


def test_the_ablations_cost_what_they_leave_out():
    figures = {
        name: measure(ROWS, name, (4000,))[0]
        for name in (
            "state_based",
            "state_based_no_detection",
            "state_based_no_filter",
            "state_based_reference",
        )
    }
    full = figures.pop("state_based")
    assert full["dead_values"] == 0
    assert full["live_values"] == 1
    assert all(other["resurrection"] > full["resurrection"] for other in figures.values())


def test_measures_come_overall_and_per_track():
    rows = measure(ROWS, "no_memory", (50, 60))
    assert [row["track"] for row in rows if row["budget"] == 50] == [ALL, *TRACKS]
    assert rows[0]["coverage"] == 0


def test_released_strategies_score_as_published():
    transcript = measure(reference_state.dev(), "transcript_replay", (8192,))[0]
    assert transcript["resurrection"] == pytest.approx(0.456, abs=5e-4)
    assert transcript["coverage"] == pytest.approx(0.622, abs=5e-4)
    state = measure(reference_state.dev(), "state_based_reference", (8192,))[0]
    assert state["resurrection"] == pytest.approx(0.581, abs=5e-3)
    assert state["coverage"] == pytest.approx(0.751, abs=8e-3)
