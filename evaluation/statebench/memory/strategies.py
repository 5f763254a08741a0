"""Our strategies as memories, which build contexts from the events that they receive."""

from __future__ import annotations

from typing import Any, cast

from evaluation.statebench.memory.protocol import MemoryContext, MemoryEvent
from evaluation.statebench.records import Query, Timeline
from evaluation.statebench.strategies.registry import build_context, get_strategy


class StrategyMemory:
    """Memory that stores events as a timeline, from which a strategy builds contexts. Its items have no sources."""

    def __init__(self, strategy: str) -> None:
        self._strategy = get_strategy(strategy).name
        self._events: list[dict[str, Any]] = []
        self._start: dict[str, Any] = {"persistent_facts": [], "working_set": [], "environment": {}}
        self._about: dict[str, Any] = {"id": "memory", "initial_state": self._start}

    def ingest(self, event: MemoryEvent) -> None:
        fields = {name: value for name, value in event.items() if name != "index"}
        match fields["type"]:
            case "start":
                self._start["identity_role"] = fields["identity"]
                self._about["timezone"] = fields.get("timezone")
                self._about["actors"] = {"user": {"id": fields.get("user_id")}}
            case "fact":
                self._start["persistent_facts"].append(fields)
            case "note":
                self._start["working_set"].append(fields)
            case "signal":
                self._start["environment"][fields["key"]] = fields["value"]
            case _:
                self._events.append(fields)

    def context(self, query: Query, budget: int) -> MemoryContext:
        timeline = cast(Timeline, {**self._about, "events": [*self._events, query]})
        text = build_context(timeline, 0, strategy=self._strategy, budget=budget).text
        return {"text": text, "items": [{"text": line, "source": []} for line in text.splitlines()]}
