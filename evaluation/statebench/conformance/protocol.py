"""The JSON protocol of an implementation, the same in process and over HTTP.

Request   {"timeline", "query_idx", "budget", "lookup": [key …], "turns": [text …], "fact_share", "constraint_share"}
Response  {"context":   {"text": …, "sections": {"identity", "environment", "facts", "working_set"}},
           "facts":     [{"id", "key", "value", "source", "timestamp", "is_valid", "ended",
                          "superseded_by", "supersedes", "memory_type", "scope", "scope_id",
                          "depends_on", "derived_facts", "needs_review", "is_constraint", "constraint_type"} …],
                         every version in order of creation; pointers are ids. `ended`: its place was left
           "identity":  {"user_name", "user_id", "authority", "department", "organization", "permissions"},
           "valid_facts":    [id …], facts valid in the active places of the query (see the specification),
           "current_values": {key: value or null, for every key of "lookup"},
           "is_current":     {key: true or false, for every key of "lookup"},
           "turn_scopes":    {text: scope, for every text of "turns"}}

`fact_share` and `constraint_share` are present only if a vector overrides the implementation's own shares. If a field
is missing from an answer, only the requirements tested with this field fail.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, NotRequired, TypedDict

from evaluation.core import jsonl
from evaluation.core.errors import AdapterError
from evaluation.statebench.facts import classify
from evaluation.statebench.facts.layers import PersistentFact
from evaluation.statebench.records import Timeline

#: Shares of the budget that a vector may override.
SHARES: tuple[Literal["fact_share", "constraint_share"], ...] = ("fact_share", "constraint_share")


class Request(TypedDict):
    timeline: Timeline
    query_idx: int
    budget: int  # tokens
    lookup: list[str]  # keys
    turns: list[str]
    fact_share: NotRequired[float]
    constraint_share: NotRequired[float]


Answer = dict[str, Any]
Implementation = Callable[[Request], Answer]


def ours(request: Request) -> Answer:
    """Answer a request with this package, the default implementation."""
    # Imported late: the site loads this module in every process, and these take 0.1 s.
    from evaluation.statebench.context.assemble import DEFAULT_OPTIONS, assemble
    from evaluation.statebench.context.replay import replay

    state = replay(request["timeline"], request["query_idx"])
    options = replace(
        DEFAULT_OPTIONS,
        fact_share=float(request.get("fact_share") or DEFAULT_OPTIONS.fact_share),
        constraint_share=float(request.get("constraint_share") or DEFAULT_OPTIONS.constraint_share),
    )
    context = assemble(state, request["budget"], options=options)
    store, active, lookup = state.store, state.active, request.get("lookup") or ()
    return {
        "context": {"text": context.text, "tokens": context.tokens, "sections": context.sections},
        "facts": [_fact(fact) for fact in store],
        "identity": state.identity._asdict(),
        "valid_facts": [fact.id for fact in store.read_valid(*active)],
        "current_values": {key: store.get_current_value(key, *active) for key in lookup},
        "is_current": {key: store.is_fact_current(key, *active) for key in lookup},
        "turn_scopes": {text: classify.turn_scope(text) for text in request.get("turns") or ()},
    }


def _fact(fact: PersistentFact) -> dict[str, object]:
    fields = fact.as_dict()  # the specification's schema says `timestamp`
    return {"timestamp": fields.pop("ts"), **fields}


def ask(implementation: Implementation, request: Request) -> Any:
    """Call an implementation, and convert its answer to and from JSON, as over HTTP. Raises AdapterError on failure."""
    try:
        answer = implementation(request)
    except AdapterError:
        raise
    except Exception as error:  # third-party code: any error is its verdict
        raise AdapterError(f"the implementation raised {type(error).__name__}: {error}") from error
    try:
        return jsonl.parse(jsonl.dumps(answer))
    except TypeError as error:
        raise AdapterError(f"the answer cannot be written as JSON: {error}") from error
