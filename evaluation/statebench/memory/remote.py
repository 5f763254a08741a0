"""Client of a memory behind HTTP, and server of Python memories, with the JSON of `memory.protocol`."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any, cast

from evaluation.core.errors import RowError
from evaluation.statebench.conformance.remote import SECONDS, Silence, StatusError, over_http
from evaluation.statebench.memory.protocol import MakeMemory, Memory, MemoryContext, MemoryEvent
from evaluation.statebench.records import Query

Ask = Callable[[Mapping[str, object]], dict[str, Any]]
_TRIES = 3
_PAUSE_S = 0.5  # before the second try, twice that before the third
_BROKEN = 500  # from this status on an error may be temporary


class HttpMemory:
    """A memory at a URL. A failed call (no response, or status 500 or more) is tried again up to two times."""

    def __init__(self, ask: Ask, pause_s: float = _PAUSE_S) -> None:
        self._ask, self._pause_s = ask, pause_s
        self._name = uuid.uuid4().hex

    def ingest(self, event: MemoryEvent) -> None:
        self._send(event=event)

    def context(self, query: Query, budget: int) -> MemoryContext:
        return cast(MemoryContext, self._send(query=query, budget=budget))

    def close(self) -> None:
        self._send(close=True)

    def _send(self, **said: object) -> dict[str, Any]:
        for attempt in range(1, _TRIES + 1):
            try:
                return self._ask({"memory": self._name, **said})
            except (Silence, StatusError) as error:
                if attempt == _TRIES or (isinstance(error, StatusError) and error.status < _BROKEN):
                    raise
                time.sleep(attempt * self._pause_s)
        raise AssertionError("the last try returns or raises")


def memories_at(url: str, *, seconds: float = SECONDS) -> MakeMemory:
    """Return a factory of memories at a URL. `seconds` limits the time of a response. Raises AddressError."""
    ask = over_http(url, seconds=seconds)
    return lambda: HttpMemory(ask)


def served(make: MakeMemory) -> Ask:
    """Return a function for `conformance.remote.make_server` that serves Python memories.

    The function raises RowError for a malformed request, which the server answers with status 400.
    """
    memories: dict[str, tuple[Memory, set[int]]] = {}
    lock = Lock()

    def answer(request: Mapping[str, object]) -> dict[str, Any]:
        name = request.get("memory")
        if not isinstance(name, str):
            raise RowError('a request must name its memory: {"memory": "…"}')
        with lock:
            if request.get("close"):
                _close(memories.pop(name, (None, ()))[0])
                return {}
            memory, heard = memories.get(name) or memories.setdefault(name, (make(), set()))
            return _answered(memory, heard, request)

    return answer


def _answered(memory: Memory, heard: set[int], request: Mapping[str, object]) -> dict[str, Any]:
    match request:
        case {"event": {"index": int(index), "type": str()} as event}:
            # A client repeats an event whose answer was lost.
            if index not in heard:
                memory.ingest(cast(MemoryEvent, event))
                heard.add(index)
            return {}
        case {"query": {"prompt": str()} as query, "budget": int(budget)}:
            return dict(memory.context(cast(Query, query), budget))
    raise RowError(
        'a request must have an "event" with "index" and "type", a "query" with a "budget", or "close": true'
    )


def _close(memory: Memory | None) -> None:
    close: Callable[[], object] | None = getattr(memory, "close", None)
    if close is not None:
        close()
