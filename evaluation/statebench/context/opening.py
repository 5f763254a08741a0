"""What a timeline starts with, and what a query sees of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from evaluation.core.errors import RowError
from evaluation.statebench.context.state import State
from evaluation.statebench.facts import classify
from evaluation.statebench.facts.drafts import Draft
from evaluation.statebench.facts.layers import Environment, WorkingSetItem, identity_from, source_from
from evaluation.statebench.facts.scopes import GLOBAL, scope_from
from evaluation.statebench.facts.store import FactStore
from evaluation.statebench.language.memo import memo

Event = Mapping[str, Any]
Dated = tuple[int, Event]  # an event with its index in the file


def visible_events(timeline: Mapping[str, Any], query_idx: int) -> tuple[list[Dated], Event]:
    """(index, event) of what a query sees, in stable order of time, and the query itself.

    That is what stands before the query in the file, and what is dated before it.
    """
    told, queries = _parted(timeline)
    if not 0 <= query_idx < len(queries):
        raise RowError(f"timeline {timeline['id']!r} has no query {query_idx}, it has {len(queries)}")
    return _before(queries[query_idx], told), queries[query_idx][1]


def views(timeline: Mapping[str, Any]) -> Iterator[tuple[list[Dated], Event]]:
    """`visible_events` of every query in turn, in less time."""
    told, queries = _parted(timeline)
    for query in queries:
        yield _before(query, told), query[1]


def _parted(timeline: Mapping[str, Any]) -> tuple[list[Dated], list[Dated]]:
    """(what happens, in stable order of time; the queries, in the order of the file)"""
    dated = list(enumerate(timeline["events"]))
    told = [pair for pair in dated if pair[1]["type"] != "query"]
    told.sort(key=_time)
    return told, [pair for pair in dated if pair[1]["type"] == "query"]


def _before(query: Dated, told: list[Dated]) -> list[Dated]:
    position, ts = query[0], query[1]["ts"]
    return [pair for pair in told if pair[0] < position or pair[1]["ts"] < ts]


def _time(pair: Dated) -> str:
    ts: str = pair[1]["ts"]
    return ts


def initial_state(timeline: Mapping[str, Any]) -> State:
    """The four layers a timeline starts with. Its facts are taken as given."""
    initial = timeline["initial_state"]
    user = (timeline.get("actors") or {}).get("user") or {}
    store = FactStore()
    for data in initial["persistent_facts"]:
        fact = store.create(draft_from(data, data["ts"], None))
        fact.is_valid = data.get("is_valid", True)
    environment = Environment()
    for key, value in initial["environment"].items():
        environment.update(key, value, "")
    items = [
        scratch_item(f"note_{n}", item["content"], item["ts"], item)
        for n, item in enumerate(initial["working_set"])
    ]
    identity = identity_from(initial["identity_role"], user.get("id"))
    return State(identity, store, environment, now="", items=items)


def draft_from(data: Mapping[str, Any], ts: str, event_index: int | None) -> Draft:
    """A fact or a write of the timeline format."""
    get = data.get
    basis, scope, scope_id = get("depends_on"), get("scope"), get("scope_id")
    return Draft(
        data["key"],
        data["value"],
        source_from(get("source"), event_index=event_index),
        get("ts") or ts,
        get("id") or "",
        scope if scope == GLOBAL else scope_from(scope),
        str(scope_id) if scope_id else None,
        get("supersedes"),
        tuple(basis) if basis else (),
        bool(get("is_constraint")),
        get("constraint_type"),
    )


def scratch_item(key: str, text: str, ts: str, data: Mapping[str, Any]) -> WorkingSetItem:
    """A note of the working set, with the scope that its tag names, else that of the data."""
    scope = classify.item_scope(text)
    if scope == GLOBAL:
        scope = scope_from(data.get("scope"))
    return WorkingSetItem(key, text, ts, scope=scope, expires_at=data.get("expires_at"))


@memo
def seconds(ts: str) -> float:
    """An ISO time as seconds. Raises RowError where it is none."""
    try:
        return datetime.fromisoformat(ts).timestamp()
    except ValueError as error:
        raise RowError(f"not an ISO time: {ts!r}") from error
