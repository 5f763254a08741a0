"""Sends a timeline to a memory event by event, collects its contexts and measures the time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from evaluation.core.errors import AdapterError
from evaluation.statebench import public
from evaluation.statebench.context.state import views
from evaluation.statebench.data import contexts as made_contexts
from evaluation.statebench.data.tokens import Tokenizer, first_lines
from evaluation.statebench.memory.protocol import Item, MakeMemory, Memory, MemoryEvent, read_context
from evaluation.statebench.records import Query, Timeline

T = TypeVar("T")


@dataclass(slots=True)
class Recalled:
    """A context from a memory. `told`: tokens that the memory returned. `tokens`: tokens after the cut to the budget.

    `ingest_s`: seconds that the memory took for the events since the previous query. It is the same at every budget.
    `context_s`: seconds that the memory took to return the context.
    """

    text: str
    tokens: int
    told: int
    items: Sequence[Item] = ()
    ingest_s: float = 0.0
    context_s: float = 0.0


def start_of(timeline: Timeline) -> list[MemoryEvent]:
    """Return the initial state of a timeline as events without an index."""
    initial = timeline["initial_state"]
    user = ((timeline.get("actors") or {}).get("user") or {}).get("id")
    start: MemoryEvent = {"type": "start", "identity": initial["identity_role"]}
    if zone := timeline.get("timezone"):
        start["timezone"] = zone
    if user:
        start["user_id"] = user
    return [
        start,
        *({"type": "fact", **fact} for fact in initial["persistent_facts"]),
        *({"type": "note", **item} for item in initial["working_set"]),
        *({"type": "signal", "key": key, "value": value} for key, value in initial["environment"].items()),
    ]


def told(timeline: Timeline) -> Iterator[tuple[list[MemoryEvent], Query]]:
    """Yield each query with the events that it can see. Each event has an index.

    The initial state comes first (`start_of`), then events in order of time. An event's index is its position in the
    file, plus the number of events of the initial state. Labels and ground truth are left out.
    """
    shown = public.public_row(timeline, labels=False)
    start = start_of(shown)
    for index, event in enumerate(start):
        event["index"] = index
    for events, query in views(shown):
        happened = ({**cast(MemoryEvent, event), "index": len(start) + place} for place, event in events)
        yield [*start, *happened], query


@dataclass
class _Telling:
    """A memory of a timeline. A new memory is made for a query that must not see all earlier events."""

    make: MakeMemory
    name: str
    memory: Memory | None = None
    indexes: list[int] = field(default_factory=list)

    def tell(self, events: Sequence[MemoryEvent]) -> float:
        wanted = [event["index"] for event in events]
        if self.memory is None or wanted[: len(self.indexes)] != self.indexes:
            self.close()
            self.memory, self.indexes = self._guarded("could not be created", self.make), []
        started = time.perf_counter()
        for event in events[len(self.indexes) :]:
            self._guarded(f"failed at event {event['index']}", self.memory.ingest, event)
        self.indexes = wanted
        return time.perf_counter() - started

    def ask(self, query: Query, budget: int, count: Tokenizer) -> Recalled:
        assert self.memory is not None  # it is told the start before it is asked
        started = time.perf_counter()
        answer = self._guarded(f"failed at {query['prompt']!r}", self.memory.context, query, budget)
        spent = time.perf_counter() - started
        context = self._guarded(
            f"returned an invalid context for {query['prompt']!r}", read_context, answer, set(self.indexes)
        )
        text = first_lines(context["text"], budget, count)
        return Recalled(text, count(text), count(context["text"]), context.get("items", ()), context_s=spent)

    def close(self) -> None:
        close: Callable[[], object] | None = getattr(self.memory, "close", None)
        if close is not None:
            self._guarded("could not be closed", close)
        self.memory = None

    def _guarded(self, what: str, call: Callable[..., T], *given: Any) -> T:
        try:
            return call(*given)
        except AdapterError as error:
            raise AdapterError(f"timeline {self.name!r}: the memory {what}: {error}") from error
        except Exception as error:  # third-party code
            raise AdapterError(
                f"timeline {self.name!r}: the memory {what}: {type(error).__name__}: {error}"
            ) from error


def recall(
    timeline: Timeline, make: MakeMemory, budgets: Sequence[int], count: Tokenizer
) -> list[list[Recalled]]:
    """Feed a timeline to a new memory and return its context for each query at each budget. Raises AdapterError."""
    recalled: list[list[Recalled]] = [[] for _ in budgets]
    telling = _Telling(make, timeline["id"])
    try:
        for events, query in told(timeline):
            spent = telling.tell(events)
            for budget, contexts in zip(budgets, recalled, strict=True):
                contexts.append(telling.ask(query, budget, count))
                contexts[-1].ingest_s = spent
    finally:
        telling.close()
    return recalled


def recalled(timeline: Timeline, made: made_contexts.Made, budgets: Sequence[int]) -> list[list[Recalled]]:
    """Return stored contexts in the form of `recall`. Missing contexts are empty, and too long contexts are cut."""
    queries = sum(event["type"] == "query" for event in timeline["events"])
    return [
        [_cut(made.get((timeline["id"], query), {}).get(budget, ""), budget) for query in range(queries)]
        for budget in budgets
    ]


def _cut(text: str, budget: int) -> Recalled:
    shown = first_lines(text, budget, made_contexts.tokens)
    return Recalled(shown, made_contexts.tokens(shown), made_contexts.tokens(text))
