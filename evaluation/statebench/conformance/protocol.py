"""The tiny JSON protocol of an implementation, the same in process and over HTTP.

Request   {"timeline", "query_idx", "budget", "lookup": [key …], "turns": [text …]}
Response  {"context":   {"text": …, "sections": {"identity", "environment", "facts", "working_set"}},
           "facts":     [{"id", "key", "value", "is_valid", "superseded_by", "needs_review", "memory_type",
                          "is_constraint", "constraint_type", "scope"} …],      every version, pointers are
                          ids
           "current_values": {key: value or null, for every key of "lookup"},
           "turn_scopes":    {text: scope, for every text of "turns"}}

`sections` may be left out by an implementation that does not separate them; the checks on sections then fail.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evaluation.errors import AdapterError
from evaluation.statebench import classify
from evaluation.statebench.context import assemble
from evaluation.statebench.replay import replay

Request = Mapping[str, Any]
Answer = dict[str, Any]
Implementation = Callable[[Request], Answer]

_TIMEOUT = 60.0  # seconds


def ours(request: Request) -> Answer:
    """This package as an implementation."""
    state = replay(request["timeline"], request["query_idx"])
    context = assemble(state, request["budget"])
    return {
        "context": {"text": context.text, "tokens": context.tokens, "sections": context.sections},
        "facts": [fact.as_dict() for fact in state.store],
        "current_values": {key: state.store.get_current_value(key) for key in request["lookup"]},
        "turn_scopes": {text: classify.turn_scope(text) for text in request["turns"]},
    }


def over_http(url: str) -> Implementation:
    """An implementation behind a URL: the request is POSTed to it as JSON.

    Raises AdapterError where it fails.
    """
    import httpx  # only where a remote implementation is tested

    client = httpx.Client(timeout=_TIMEOUT)

    def ask(request: Request) -> Answer:
        try:
            response = client.post(url, json=dict(request))
            response.raise_for_status()
            answer = response.json()
        except (httpx.HTTPError, ValueError) as error:
            raise AdapterError(f"the implementation at {url} did not answer: {error}") from error
        if not isinstance(answer, dict):
            raise AdapterError(
                f"the implementation at {url} answered with {type(answer).__name__}, not an object"
            )
        return answer

    return ask
