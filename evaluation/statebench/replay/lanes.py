"""Shows a timeline as lanes, one per fact, environment key or place. Values come from our state-based strategy."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.core.plugin.replay import (
    ASKED,
    OTHER,
    RIVAL,
    Arrow,
    Lane,
    Mark,
    MarkKind,
    Replay,
    Span,
    indexed,
)
from evaluation.statebench.context.replay import RULES
from evaluation.statebench.context.replay import Replay as Pass
from evaluation.statebench.context.state import visible_events
from evaluation.statebench.data.printing import as_text
from evaluation.statebench.facts.layers import PersistentFact
from evaluation.statebench.facts.scopes import EVERYWHERE, place_from
from evaluation.statebench.language.words import stems
from evaluation.statebench.records import Event, Query, Timeline, Write, writes_of

KINDS = (
    MarkKind("update", "written", "A fact or a signal is written, or a turn states it.", "write"),
    MarkKind("clear", "ended", "The value is no longer valid and has no successor.", "clear"),
    MarkKind("refused", "refused write", "The writer lacks the authority to change the value.", "claim"),
    MarkKind("turn", "said", "A person says something.", "hollow"),
    MarkKind("move", "scope entered or left", "A task, a session or a project begins or ends here.", "faint"),
    MarkKind("query", "query", "The question.", "ask"),
)
NOTE = (
    "Valid values are computed from the events by this site's own state-based strategy. Changes mentioned only in "
    "conversation are detected from their wording, which may be wrong."
)
SAID = "said"


@dataclass(slots=True)
class _Growing:
    name: str
    marks: list[Mark] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)

    def hold(self, mark: Mark) -> None:
        """Add a mark. It ends the current span, and starts a new span if it has a value."""
        self.marks.append(mark)
        if self.spans and self.spans[-1].end is None:
            self.spans[-1] = self.spans[-1]._replace(end=mark.at)
        if mark.value is not None:
            self.spans.append(Span(mark.at, None, mark.value))


def replay(timeline: Timeline, query_idx: int = 0, *, state: bool = True) -> Replay:
    """Return the lanes up to a query, with event numbers as positions. Raises RowError.

    Without `state`, lanes show turns and each write by itself, without validity.
    """
    events, query = visible_events(timeline, query_idx)
    walk = _Walk(timeline, query, state=state)
    passing = Pass(timeline, events, RULES if state else None)
    walk.look(passing, 0)
    for index in passing.steps():
        walk.hear(index + 1)
        walk.look(passing, index + 1)
    seen = walk.replay()
    return seen if state else seen.without_state()


class _Walk:
    def __init__(self, timeline: Timeline, query: Query, *, state: bool) -> None:
        self.timeline, self.query, self.state = timeline, query, state
        self.lines, self.line_of, self.line_of_fact = _lines(timeline)
        self.said = _Growing(SAID)
        self.facts: dict[str, _Growing] = {}
        self.outside: dict[str, _Growing] = {}
        self.places: dict[str, _Growing] = {}
        self.arrows: list[Arrow] = []
        self._lane_of: dict[str, _Growing] = {}  # store id of a fact -> lane
        self._valid: dict[str, bool] = {}

    def hear(self, at: int) -> None:
        event = self.timeline["events"][at - 1]
        line = self.line_of[at]
        if event["type"] == "conversation_turn":
            self.said.marks.append(Mark(at, "turn", line))
        elif event["type"] == "scope":
            self.said.marks.append(Mark(at, "move", line))

    def look(self, passing: Pass, at: int) -> None:
        for fact in passing.store:
            if fact.id not in self._valid:
                self._new(fact, passing.store.facts, at)
            elif self.state and self._valid[fact.id] and not fact.is_valid and fact.superseded_by is None:
                self._lane_of[fact.id].hold(Mark(at, "clear", self.line_of[at]))
            self._valid[fact.id] = fact.is_valid
        if at:
            self._look_at_refused(self.timeline["events"][at - 1], {fact.alias for fact in passing.store}, at)
        self._look_outside(passing.state.environment.values, at)
        self._look_at_places([place.label for place in passing.state.places.now], at)

    def _look_at_refused(self, event: Event, written: Collection[str], at: int) -> None:
        for write in writes_of(event):
            name = write.get("id")
            if write.get("layer") == "persistent_facts" and name and name not in written:
                place = place_from(write)
                named = write["key"] if place == EVERYWHERE else f"{write['key']} ({place.label})"
                lane = self.facts.setdefault(named, _Growing(named))
                kind = "refused" if self.state else "update"
                lane.marks.append(Mark(at, kind, self.line_of_fact[name], str(write["value"]), name))

    def _new(self, fact: PersistentFact, facts: Mapping[str, PersistentFact], at: int) -> None:
        """Add a fact to the lane of the fact that it supersedes. If it supersedes no fact, it gets its own lane."""
        old = fact.supersedes if self.state else None
        lane = self._lane_of.get(old or "") or self._own_lane(fact)
        self._lane_of[fact.id] = lane
        line = self.line_of_fact.get(fact.alias, self.line_of[at])
        mark = Mark(at, "update", line, str(fact.value), fact.alias)
        if old and lane.spans:
            label = f"{facts[old].alias} is superseded"
            self.arrows.append(Arrow(lane.name, lane.spans[-1].start, lane.name, at, label))
        elif fact.stands_for and (general := self._lane_of.get(fact.stands_for)) and general.spans:
            label = f"replaces {facts[fact.stands_for].alias} in {fact.place.label}"
            self.arrows.append(Arrow(general.name, general.spans[-1].start, lane.name, at, label))
        if fact.is_valid or old:
            lane.hold(mark)
        else:
            lane.marks.append(mark)

    def _own_lane(self, fact: PersistentFact) -> _Growing:
        name = fact.key if fact.place == EVERYWHERE else f"{fact.key} ({fact.place.label})"
        if not self.state:  # without a state all writes of a key share its lane
            return self.facts.setdefault(name, _Growing(name))
        unique = name if name not in self.facts else f"{name} ({fact.alias})"
        while unique in self.facts:
            unique += "′"
        return self.facts.setdefault(unique, _Growing(unique))

    def _look_outside(self, values: Mapping[str, str], at: int) -> None:
        for key, value in values.items():
            lane = self.outside.setdefault(key, _Growing(key))
            if not lane.spans or lane.spans[-1].value != as_text(value) or lane.spans[-1].end is not None:
                line = self.line_of_fact.get(f"{at}:{key}", self.line_of[at])
                lane.hold(Mark(at, "update", line, as_text(value)))
        for key, lane in self.outside.items():
            if key not in values and lane.spans and lane.spans[-1].end is None:
                lane.hold(Mark(at, "clear", self.line_of[at]))

    def _look_at_places(self, labels: Sequence[str], at: int) -> None:
        for label in labels:
            lane = self.places.setdefault(label, _Growing(label))
            if not lane.spans or lane.spans[-1].end is not None:
                lane.hold(Mark(at, "update", self.line_of[at], "active"))
        for label, lane in self.places.items():
            if label not in labels and lane.spans and lane.spans[-1].end is None:
                lane.hold(Mark(at, "clear", self.line_of[at]))

    def replay(self) -> Replay:
        at = next(at for at, event in enumerate(self.timeline["events"], 1) if event is self.query)
        self.said.marks.append(Mark(at, "query", self.line_of[at], self.query["prompt"]))
        lanes = list(self._lanes())
        there = {mark.kind for lane in lanes for mark in lane.marks}
        return Replay(
            lanes=lanes,
            kinds=tuple(kind for kind in KINDS if kind.name in there),
            axis="event",
            first=0,
            last=at,
            text_title="Events",
            lines=self.lines,
            note=NOTE if self.state else "",
            arrows=self.arrows,
            stale=frozenset(self._stale()),
            by_uid=indexed(lanes),
        )

    def _lanes(self) -> Iterator[Lane]:
        """Yield lanes of turns, then of facts and environment (those with words of the query first), then of places."""
        yield _lane(self.said, ASKED)
        asked = stems(self.query["prompt"])
        grown = [*self.facts.values(), *self.outside.values()]
        near = [lane for lane in grown if asked & _words(lane)]
        for lane in near:
            yield _lane(lane, ASKED)
        for lane in grown:
            if lane not in near:
                yield _lane(lane, RIVAL if lane.name in self.facts else OTHER)
        for lane in self.places.values():
            yield _lane(lane, RIVAL)

    def _stale(self) -> Iterator[int]:
        for lane in (*self.facts.values(), *self.outside.values()):
            ended = {span.start for span in lane.spans if span.end is not None}
            yield from (mark.line for mark in lane.marks if mark.kind == "update" and mark.at in ended)


def _lane(grown: _Growing, role: str) -> Lane:
    return Lane(grown.name, role, sorted(grown.marks, key=lambda mark: (mark.at, mark.line)), grown.spans)


def _words(lane: _Growing) -> frozenset[str]:
    texts = (mark.value or "" for mark in lane.marks)
    return frozenset().union(*(stems(text) for text in (lane.name.replace("_", " "), *texts)))


def _lines(timeline: Timeline) -> tuple[list[str], list[int], dict[str, int]]:
    """Return a timeline as lines of text, the number of each event's first line, and the line number of each write.

    Line numbers start at 1. Event 0 is the initial state. Writes are named by fact id, or `<event>:<key>`.
    """
    lines, of_fact = ["start"], dict[str, int]()
    initial = timeline["initial_state"]
    for fact in initial["persistent_facts"]:
        lines.append(f"  {_fact(fact)}")
        of_fact[fact["id"]] = len(lines)
    for key, value in initial["environment"].items():
        lines.append(f"  outside: {key} = {value}")
        of_fact[f"0:{key}"] = len(lines)
    lines += [f"  note: {item['content']}" for item in initial["working_set"]]
    first = [1]
    for at, event in enumerate(timeline["events"], 1):
        first.append(len(lines) + 1)
        lines.append(f"{event['ts'].replace('T', ' ')[:16]}  {_event(event)}")
        for write in writes_of(event):
            lines.append(f"  {_fact(write)}")
            is_fact = write.get("layer") == "persistent_facts" and write.get("id")
            of_fact[write["id"] if is_fact else f"{at}:{write['key']}"] = len(lines)
    return lines, first, of_fact


def _event(event: Event) -> str:
    match event["type"]:
        case "conversation_turn":
            where = f" ({place.label})" if (place := place_from(event)) != EVERYWHERE else ""
            return f"{event['speaker']}{where}: {event['text']}"
        case "query":
            return f"query: {event['prompt']}"
        case "scope":
            return f"{event['action']} {place_from(event).label}"
        case _:
            return "written" if event["type"] == "state_write" else "written, superseding"


def _fact(write: Write) -> str:
    source = write.get("source")
    more = [
        f"supersedes {write['supersedes']}" if write.get("supersedes") else "",
        f"depends on {', '.join(write['depends_on'])}" if write.get("depends_on") else "",
        place.label if (place := place_from(write)) != EVERYWHERE else "",
        f"by {source['type']}, {source['authority']}" if source else "",
    ]
    said = "; ".join(text for text in more if text)
    name = f"[{write['id']}] " if write.get("id") else ""
    return f"{name}{write['key']} = {write['value']}" + (f"  ({said})" if said else "")
