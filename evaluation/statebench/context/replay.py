"""Replay a timeline up to a query: structured events change the state, detection fills in what only was said.

Events take effect in stable order of time. A turn that a structured write records (near in time, same
content) is not judged a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.statebench.context.opening import (
    Dated,
    Event,
    draft_from,
    initial_state,
    scratch_item,
    seconds,
    views,
    visible_events,
)
from evaluation.statebench.context.state import State
from evaluation.statebench.context.turn_processor import TurnProcessor
from evaluation.statebench.detection.detector import Detection, Detector, RuleDetector
from evaluation.statebench.detection.turn_features import turn_features
from evaluation.statebench.facts.authority import Level
from evaluation.statebench.facts.drafts import Draft, Refusal
from evaluation.statebench.facts.layers import PersistentFact, WorkingSetItem
from evaluation.statebench.facts.scopes import GLOBAL, scope_from
from evaluation.statebench.facts.store import FactStore

RULES = RuleDetector()


def replay(timeline: Mapping[str, Any], query_idx: int = 0, *, detector: Detector | None = RULES) -> State:
    """The state that a query sees. `detector=None` believes structured events only.

    Raises RowError where the timeline has no such query.
    """
    events, query = visible_events(timeline, query_idx)
    return Replay(timeline, events, query, detector).run()


def replay_all(timeline: Mapping[str, Any], *, detector: Detector | None = RULES) -> Iterator[State]:
    """The state at each query in turn. Queries that see the same events share one pass over them.

    A state is to be used before the next is asked for: both may be the same object.
    """
    seen: list[Dated] | None = None
    for events, query in views(timeline):
        if events != seen:
            seen, state = events, Replay(timeline, events, query, detector).run()
        state.query, state.now = query["prompt"], query["ts"]
        yield state


class Replay:
    """One pass over the events of a timeline."""

    def __init__(
        self,
        timeline: Mapping[str, Any],
        events: list[Dated],
        query: Event,
        detector: Detector | None,
    ) -> None:
        self.events = events
        self.state = initial_state(timeline)
        self.state.query, self.state.now = query["prompt"], query["ts"]
        self.store: FactStore = self.state.store
        self.processor = TurnProcessor(self.state, self.events, detector) if detector is not None else None

    def run(self) -> State:
        """Apply every event."""
        written = 0
        for index, event in self.events:
            if event["type"] == "conversation_turn":
                self._say(index, event, written)
            else:
                written += 1
                for data in event["writes"]:
                    self._write(index, event["ts"], data)
        return self.state

    def _say(self, index: int, event: Event, written: int) -> None:
        turns, text, ts = self.state.turns, event["text"], event["ts"]
        order, said = len(turns), turn_features(text)
        turns.append(WorkingSetItem(f"turn_{order}", text, ts, event["speaker"], GLOBAL, None, order))
        self.state.heard.append(said)
        if self.processor is not None:
            self.processor.process(index, event, said, written)

    def _write(self, index: int, ts: str, data: Mapping[str, Any]) -> None:
        layer = data["layer"]
        if layer == "persistent_facts":
            self._write_fact(draft_from(data, ts, index))
        elif layer == "environment":
            self._update_environment(ts, data)
        elif layer == "working_set":
            self.state.items.append(scratch_item(data["key"], str(data["value"]), ts, data))

    def _write_fact(self, draft: Draft) -> None:
        new = self.store.write(draft, None if draft.supersedes else self._rival(draft))
        if new is not None and new.scope == GLOBAL and self.processor is not None:
            self.processor.slots.fact(new, replaces=new.supersedes, written=seconds(draft.ts))

    def _rival(self, draft: Draft) -> PersistentFact | None:
        """The valid fact a write without a pointer contradicts: the same key, or what a policy overrides."""
        same = self.store.rival(draft)
        if same is not None or draft.scope != GLOBAL:
            return same
        if self.processor is None or draft.source.level < Level.POLICY:
            return None
        broken = self.processor.broken_by(draft)
        return self.store.facts[broken.id] if broken is not None else None

    def _update_environment(self, ts: str, data: Mapping[str, Any]) -> None:
        """What is outside is the same for all: a signal that is only supposed, or meant for a task, is none."""
        key, value = data["key"], str(data["value"])
        if (scope := scope_from(data.get("scope"))) != GLOBAL:
            self.store.refusals.append(
                Refusal("scope", key, f"a {scope} signal does not change what is outside")
            )
            return
        old = self.state.environment.values.get(key)
        if self.state.environment.update(key, value, ts) and self.processor is not None:
            self.processor.signal(key, value, ts, former=old)


def detect(timeline: Mapping[str, Any], *, detector: Detector | None = None) -> list[Detection]:
    """What the turns of a timeline supersede, by language; turns and events are counted from 0.

    Only turns, structured events and the initial state are read: no label, no ground truth.
    """
    queries = sum(event["type"] == "query" for event in timeline["events"])
    if not queries:
        timeline = {
            **timeline,
            "events": [*timeline["events"], {"type": "query", "ts": "9999", "prompt": ""}],
        }
    return replay(timeline, max(0, queries - 1), detector=detector or RULES).detections
