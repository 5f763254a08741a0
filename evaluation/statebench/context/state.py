"""The state at a query: four layers, and what was detected on the way there."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluation.statebench.detection.detector import Detection
from evaluation.statebench.detection.turn_features import TurnFeatures
from evaluation.statebench.facts.layers import Environment, IdentityRole, PersistentFact, WorkingSetItem
from evaluation.statebench.facts.scopes import ActivePlaces, Place, Places
from evaluation.statebench.facts.store import FactStore
from evaluation.statebench.records import Query


@dataclass(slots=True)
class State:
    """Identity, facts, environment and working set, with the query that is asked of them.

    `turns` are what was said, in order of time, and `heard` what is read off each; `items` are scratch notes.
    They belong to the working set. `places` says which places are active after the last event, `active` which are
    so at the query, which may name others. `overruled` are the turns whose authority did not reach what they speak
    against.
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
    places: ActivePlaces = field(default_factory=ActivePlaces)
    active: Places = ()
    of_place: dict[Place, list[WorkingSetItem]] = field(default_factory=dict)

    def ask(self, query: Query) -> None:
        """Take in what is asked, and where."""
        self.query, self.now = query["prompt"], query["ts"]
        self.active = self.places.seen_by(query, self.store.places())

    def held(self) -> list[PersistentFact]:
        """The facts that hold where the query is asked, oldest first."""
        return self.store.read_valid(*self.active)

    def leave(self, place: Place) -> None:
        """Leave a place: its facts end, and what was noted or said there is forgotten."""
        self.places.leave(place)
        self.store.leave(place)
        forgotten = self.of_place.get(place, [])
        for item in forgotten:
            item.end()
        forgotten.clear()

    def end_session(self) -> None:
        """Forget the working set; the other layers stay."""
        self.turns.clear()
        self.heard.clear()
        self.items.clear()
