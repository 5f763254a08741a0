"""LangGraph's store (`langgraph`): an `InMemoryStore` with a vector index, the long-term memory of its agents.

A write replaces the value under its key, as its users do with profiles and facts; spoken turns are added.
"""

from __future__ import annotations

from langgraph.store.memory import InMemoryStore

from evaluation.statebench.memory import MemoryContext, MemoryEvent, plain
from evaluation.statebench.records import Query
from tests.memories.recalled import DIMENSIONS, MOST, embed, in_budget

_SPACE = ("timeline",)


class LangGraphMemory:
    """One namespace of a store."""

    def __init__(self) -> None:
        self._store = InMemoryStore(
            index={
                "dims": DIMENSIONS,
                "embed": lambda texts: [embed(text) for text in texts],
                "fields": ["text"],
            }
        )

    def ingest(self, event: MemoryEvent) -> None:
        """Store each line of the event, a written one under its key and scope."""
        written = [event, *event.get("writes", ())]
        keys = [
            f"{each.get('scope')}.{each.get('scope_id')}.{each['key']}" for each in written if "key" in each
        ]
        for number, line in enumerate(plain(event)):
            name = keys[number] if keys else f"{event['index']}.{number}"
            self._store.put(_SPACE, name, {"text": line, "index": event["index"]})

    def context(self, query: Query, budget: int) -> MemoryContext:
        """Search for the query."""
        found = self._store.search(_SPACE, query=query["prompt"], limit=MOST)
        return in_budget(((one.value["index"], one.value["text"]) for one in found), budget)
