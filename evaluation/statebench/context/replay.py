"""Replay a timeline up to a query: structured events change the state, and detection adds changes stated in turns.

Events take effect in stable order of time. A turn changes nothing itself if a structured write records it (near in
time, same content).
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.statebench.context.state import (
    Dated,
    State,
    draft_from,
    initial_state,
    scratch_item,
    views,
    visible_events,
)
from evaluation.statebench.context.turn_processor import TurnProcessor
from evaluation.statebench.data.printing import as_text
from evaluation.statebench.detection.detector import Detection, Detector
from evaluation.statebench.detection.learned.listener import FreeTalkDetector
from evaluation.statebench.detection.turn_features import turn_features
from evaluation.statebench.facts.authority import Level
from evaluation.statebench.facts.layers import Draft, PersistentFact, Refusal, WorkingSetItem
from evaluation.statebench.facts.scopes import GLOBAL, UNREAL, Place, place_from, scope_from
from evaluation.statebench.facts.store import FactStore
from evaluation.statebench.records import ConversationTurn, ScopeChange, Timeline, Write

RULES = FreeTalkDetector()
_SCOPED = ("persistent_facts", "working_set")  # layers with places


def replay(
    timeline: Timeline,
    query_idx: int = 0,
    *,
    detector: Detector | None = RULES,
    conversation_facts: bool = True,
) -> State:
    """The state at a query (from 0), with the supersessions detected before the query.

    Without a detector only structured events count, and `conversation_facts` (statements become facts) has no effect.
    Raises RowError if the timeline has no such query.
    """
    events, query = visible_events(timeline, query_idx)
    state = Replay(timeline, events, detector, conversation_facts=conversation_facts).run()
    state.ask(query)
    return state


def replay_all(
    timeline: Timeline, *, detector: Detector | None = RULES, conversation_facts: bool = True
) -> Iterator[State]:
    """The state at each query, like `replay`. Queries may share one state object: use it before the next query."""
    seen: list[Dated] | None = None
    for events, query in views(timeline):
        if events != seen:
            run = Replay(timeline, events, detector, conversation_facts=conversation_facts)
            seen, state = events, run.run()
        state.ask(query)
        yield state


class Replay:
    def __init__(
        self,
        timeline: Timeline,
        events: list[Dated],
        detector: Detector | None,
        *,
        conversation_facts: bool = True,
    ) -> None:
        self.events = events
        self.state = initial_state(timeline)
        self.store: FactStore = self.state.store
        self.processor: TurnProcessor | None = None
        if detector is not None:
            self.processor = TurnProcessor(self.state, events, detector, hears_facts=conversation_facts)

    def run(self) -> State:
        for _ in self.steps():
            pass
        return self.state

    def steps(self) -> Iterator[int]:
        """Apply events one by one, yielding each event's index in the file once it took effect."""
        written = 0
        for index, event in self.events:
            if event["type"] == "conversation_turn":
                self._say(index, event, written)
            elif event["type"] == "scope":
                self._move(event)
            else:
                written += 1
                for data in event["writes"]:
                    self._write(index, event["ts"], data)
            yield index

    def _move(self, event: ScopeChange) -> None:
        place = place_from(event)
        if event["action"] == "enter":
            self.state.places.enter(place)
        else:
            self.state.leave(place)
            if self.processor is not None:
                self.processor.leave(place)

    def _say(self, index: int, event: ConversationTurn, written: int) -> None:
        turns, text, ts = self.state.turns, event["text"], event["ts"]
        order, features = len(turns), turn_features(text)
        turn = WorkingSetItem(f"turn_{order}", text, ts, event["speaker"], GLOBAL, None, order)
        if event.get("scope", GLOBAL) != GLOBAL:
            self._enter(turn, place_from(event))
        turns.append(turn)
        self.state.heard.append(features)
        if self.processor is not None:
            self.processor.process(index, event, features, written)

    def _enter(self, turn: WorkingSetItem, place: Place) -> None:
        turn.scope, turn.scope_id = place
        self.state.places.enter(place)
        self.state.of_place.setdefault(place, []).append(turn)

    def _write(self, index: int, ts: str, data: Write) -> None:
        layer = data["layer"]
        if data.get("scope", GLOBAL) != GLOBAL and layer in _SCOPED:
            self.state.places.write(place_from(data))
        if layer == "persistent_facts":
            self._write_fact(draft_from(data, ts, index))
        elif layer == "environment":
            self._update_environment(ts, data)
        elif layer == "working_set":
            self._note(scratch_item(data["key"], as_text(data["value"]), ts, data))

    def _note(self, item: WorkingSetItem) -> None:
        self.state.items.append(item)
        if item.scope != GLOBAL:
            self.state.of_place.setdefault(item.place, []).append(item)

    def _write_fact(self, draft: Draft) -> None:
        new = self.store.write(draft, self._broken_by(draft))
        if new is not None and new.scope not in UNREAL and self.processor is not None:
            self.processor.record(new, new.supersedes, draft.ts)

    def _broken_by(self, draft: Draft) -> PersistentFact | None:
        """The fact of another key that a policy contradicts. None if the policy replaces a fact of its own key."""
        if self.processor is None or draft.scope != GLOBAL or draft.source.level < Level.POLICY:
            return None
        if draft.supersedes or self.store.rival(draft) is not None:
            return None
        broken = self.processor.broken_by(draft)
        return self.store.facts[broken.id] if broken is not None else None

    def _update_environment(self, ts: str, data: Write) -> None:
        key, value = data["key"], as_text(data["value"])
        # The environment is the same everywhere: a supposed signal, or one of a task, does not change it.
        if (scope := scope_from(data.get("scope"))) != GLOBAL:
            self.store.refusals.append(
                Refusal("scope", key, f"a signal in the scope {scope!r} does not change the environment")
            )
            return
        old = self.state.environment.values.get(key)
        if self.state.environment.update(key, value, ts) and self.processor is not None:
            self.processor.signal(key, value, ts, former=old)


def detect(timeline: Timeline, *, detector: Detector | None = None) -> list[Detection]:
    """Detect which facts the turns of a timeline supersede. Indices of turns and events start at 0.

    Reads only turns, structured events and the initial state, neither labels nor ground truth. The timeline needs no
    query. The default detector is `RULES`.
    """
    queries = sum(event["type"] == "query" for event in timeline["events"])
    if not queries:
        timeline = {
            **timeline,
            "events": [*timeline["events"], {"type": "query", "ts": "9999-12-31", "prompt": ""}],
        }
    return replay(timeline, max(0, queries - 1), detector=detector or RULES).detections
