"""What is wrong with the state and the contexts of a timeline, told by the naive model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evaluation.statebench.context.replay import RULES, replay
from evaluation.statebench.context.state import State
from evaluation.statebench.detection.detector import Detector
from evaluation.statebench.facts.scopes import Place
from evaluation.statebench.strategies import build_contexts
from tests.evaluation.statebench.context.scoped_model import UNREAL, Known, Model
from tests.evaluation.statebench.context.scoped_model import Place as Where
from tests.evaluation.statebench.context.scoped_timelines import KEYS, NARROW

Row = dict[str, Any]
BUDGETS = (9, 16, 40, 8192)
PLENTY = BUDGETS[-1]
STRATEGIES = ("state_based", "state_based_no_detection", "state_based_facts_only")


def leaks(row: Row) -> list[str]:
    """Values shown that are dead, ended, drafted, supposed, or of a place that is not active; facts that hold, and
    notes of active places, that are not shown; budgets exceeded."""
    return [fault for strategy in STRATEGIES for budget in BUDGETS for fault in _shown(row, strategy, budget)]


def _shown(row: Row, strategy: str, budget: int) -> Iterator[str]:
    for query, context in enumerate(build_contexts(row, strategy=strategy, budget=budget)):
        model, words = Model(row, query), set(re.findall(r"\w+", context.text))
        place = f"query {query}, {strategy}, {budget} tokens"
        for value in sorted(model.never_shown() & words):
            yield f"{place}: {value!r} is shown"
        if len(context.text.split()) > budget:
            yield f"{place}: over budget"
        expected = {one.value for one in model.holds(model.here)}
        expected |= model.noted() if strategy != "state_based_facts_only" else set()
        for value in sorted(expected - words if budget == PLENTY else ()):
            yield f"{place}: {value!r} holds and is not shown"


def misreadings(row: Row, detector: Detector | None = RULES) -> list[str]:
    """What is answered wrongly of keys and ids, and where a fact is not what the model says it is."""
    queries = sum(event["type"] == "query" for event in row["events"])
    return [fault for query in range(queries) for fault in _read(row, query, detector)]


def _read(row: Row, query: int, detector: Detector | None) -> Iterator[str]:
    state, model = replay(row, query, detector=detector), Model(row, query)
    names = sorted({*KEYS, "nobody", *(one.id for one in model.facts)})
    if sorted(state.active, key=str) != sorted(map(tuple, model.here), key=str):
        yield f"query {query}: {state.active} are active, not {model.here}"
    for active in [[], model.here, *([place] for place in dict.fromkeys(NARROW))]:
        yield from _in_places(state, model, names, active)
    facts = list(state.store)
    if len(facts) != len(model.facts):
        yield f"query {query}: {len(facts)} facts, not {len(model.facts)}"
        return
    for fact, known in zip(facts, model.facts, strict=True):
        seen = {name: getattr(fact, name) for name in _record(known, [one.id for one in facts])}
        if seen != _record(known, [one.id for one in facts]):
            yield f"query {query}: {fact.id} is {seen}, not {_record(known, [one.id for one in facts])}"


def _in_places(state: State, model: Model, names: list[str], active: list[Where]) -> Iterator[str]:
    store, there = state.store, [Place(*place) for place in active]
    real = [place for place in active if place[0] not in UNREAL]
    held = [fact.value for fact in store.read_valid(*there)]
    if held != (expected := [one.value for one in model.holds(real)]):
        yield f"in {active} {held} hold, not {expected}"
    for name in names:
        if (value := store.get_current_value(name, *there)) != (right := model.current(name, real)):
            yield f"in {active} {name!r} is {value!r}, not {right!r}"
        if store.is_fact_current(name, *there) is not model.is_current(name, real):
            yield f"in {active} whether {name!r} is current"


def _record(known: Known, ids: list[str]) -> Row:
    """A fact of the model as the store would tell it."""

    def name_of(one: Known | None) -> str | None:
        return None if one is None else ids[one.number]

    return {
        "value": known.value,
        "is_valid": known.valid,
        "ended": known.ended,
        "supersedes": name_of(known.before),
        "superseded_by": name_of(known.after),
        "needs_review": known.review,
    }
