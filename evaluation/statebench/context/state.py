"""The state at a query: identity, facts, environment and working set, and the supersessions detected before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluation.core.errors import RowError
from evaluation.core.records import JsonObject
from evaluation.statebench.data.times import BEFORE_ALL, moment
from evaluation.statebench.detection.detector import Detection
from evaluation.statebench.detection.turn_features import TurnFeatures
from evaluation.statebench.facts import classify
from evaluation.statebench.facts.layers import (
    Draft,
    Environment,
    IdentityRole,
    PersistentFact,
    WorkingSetItem,
    identity_from,
    source_from,
)
from evaluation.statebench.facts.scopes import GLOBAL, ActivePlaces, Place, Places, place_from, scope_from
from evaluation.statebench.facts.store import FactStore
from evaluation.statebench.records import Happening, Query, Timeline

Dated = tuple[int, Happening]  # index in the file, event


@dataclass(slots=True)
class State:
    """Identity, facts, environment and working set at a query.

    The working set is `turns`, in order of time with their features in `heard`, and `items` (notes). `places` are
    active after the last event, `active` at the query, which may name other places. `overruled` has the texts of turns
    without the authority for the change they state, `stored` those of turns whose change became a fact and that also
    name the replaced value.
    """

    identity: IdentityRole
    store: FactStore
    environment: Environment
    now: str
    query: str = ""
    turns: list[WorkingSetItem] = field(default_factory=list)
    heard: list[TurnFeatures] = field(default_factory=list)
    items: list[WorkingSetItem] = field(default_factory=list)
    detections: list[Detection] = field(default_factory=list)
    overruled: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    places: ActivePlaces = field(default_factory=ActivePlaces)
    active: Places = ()
    of_place: dict[Place, list[WorkingSetItem]] = field(default_factory=dict)

    @property
    def zone(self) -> str:
        return self.environment.zone

    def ask(self, query: Query) -> None:
        self.query, self.now = query["prompt"], query["ts"]
        self.active = self.places.seen_by(query, self.store.places())

    def held(self) -> list[PersistentFact]:
        """Facts valid in the active places of the query, oldest first."""
        return self.store.read_valid(*self.active)

    def leave(self, place: Place) -> None:
        """Leave a place: its facts end, and its turns and notes are forgotten."""
        self.places.leave(place)
        self.store.leave(place)
        forgotten = self.of_place.get(place, [])
        for item in forgotten:
            item.end()
        forgotten.clear()

    def end_session(self) -> None:
        """Forget the working set. The other layers stay."""
        self.turns.clear()
        self.heard.clear()
        self.items.clear()


def visible_events(timeline: Timeline, query_idx: int) -> tuple[list[Dated], Query]:
    """The events before a query as (index, event), sorted by time, and the query. Raises RowError if there is none."""
    events, queries, zone = _parted(timeline)
    if not 0 <= query_idx < len(queries):
        raise RowError(f"timeline {timeline['id']!r} has no query {query_idx}; it has {len(queries)}")
    return _before(queries[query_idx], events, zone), queries[query_idx][1]


def views(timeline: Timeline) -> Iterator[tuple[list[Dated], Query]]:
    """Yield the `visible_events` of every query, faster than by one call per query."""
    events, queries, zone = _parted(timeline)
    for query in queries:
        yield _before(query, events, zone), query[1]


def _parted(timeline: Timeline) -> tuple[list[Dated], list[tuple[int, Query]], str]:
    """Events in stable order of time, queries in the order of the file, and the time zone."""
    events: list[Dated] = []
    queries: list[tuple[int, Query]] = []
    zone = timeline.get("timezone") or ""
    latest, in_order = BEFORE_ALL, True
    for place, event in enumerate(timeline["events"]):
        if event["type"] == "query":
            queries.append((place, event))
            continue
        at = moment(event["ts"], zone)
        if at < latest:
            in_order = False
        latest = at
        events.append((place, event))
    # Files are nearly always in order, and sorting by parsed times is slow.
    if not in_order:
        events.sort(key=lambda pair: moment(pair[1]["ts"], zone))
    return events, queries, zone


def _before(query: tuple[int, Query], events: list[Dated], zone: str) -> list[Dated]:
    position, at = query[0], moment(query[1]["ts"], zone)
    if not events or moment(events[-1][1]["ts"], zone) < at:  # events are in order of time
        return events
    return [pair for pair in events if pair[0] < position or moment(pair[1]["ts"], zone) < at]


def initial_state(timeline: Timeline) -> State:
    initial = timeline["initial_state"]
    user = (timeline.get("actors") or {}).get("user") or {}
    store, places = FactStore(), ActivePlaces()
    for data in initial["persistent_facts"]:
        fact = store.create(draft_from(data, data["ts"], None))
        fact.is_valid = data.get("is_valid", True)
        if fact.scope != GLOBAL:
            places.write(fact.place)
    zone = timeline.get("timezone") or ""
    environment = Environment(zone)
    for key, value in initial["environment"].items():
        environment.update(key, value, "")
    items = []
    for number, item in enumerate(initial["working_set"]):
        items.append(scratch_item(f"note_{number}", item["content"], item["ts"], item))
        if item.get("scope"):
            places.write(place_from(item))
    identity = identity_from(initial["identity_role"], user.get("id"))
    state = State(identity, store, environment, now="", items=items, places=places)
    for note in items:
        if note.scope != GLOBAL:
            state.of_place.setdefault(note.place, []).append(note)
    return state


def draft_from(data: JsonObject, ts: str, event_index: int | None) -> Draft:
    """Convert a fact or a write of a timeline to a draft. `ts` is the default time."""
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


def scratch_item(key: str, text: str, ts: str, data: JsonObject) -> WorkingSetItem:
    """Create a note of the working set. Its scope comes from a tag in the text or, without a tag, from `data`."""
    aside = classify.item_scope(text)
    scope, scope_id = place_from(data) if aside == GLOBAL else (aside, None)
    return WorkingSetItem(key, text, ts, scope=scope, expires_at=data.get("expires_at"), scope_id=scope_id)
