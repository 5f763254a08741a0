"""Builder of a timeline: its clock, initial state, events, queries, and the labels of its turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from evaluation.core.rng import Stream
from evaluation.core.sealing.keyed_ids import OPEN_KEY, unit_id
from evaluation.statebench.records import Event, Fact, Timeline, WorkingItem, Write

VERSION = "statebench-site/1"
_EPOCH = datetime(2026, 1, 5, 9, 0)
_DAYS = 200
DOMAINS = ("project", "sales", "procurement", "hr", "support")
PEOPLE = (
    "Amara",
    "Bastian",
    "Chiara",
    "Dmitri",
    "Elif",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Joon",
    "Katya",
    "Luis",
)
TITLES = ("Project Manager", "Account Executive", "Buyer", "Team Lead", "Support Agent", "Operations Manager")
ORGANIZATIONS = ("Alder Works", "Bluefin Foods", "Cobalt Rail", "Dunlin Air", "Ember Labs", "Fjord Energy")
GOODS = (
    "forklift",
    "badge printers",
    "training room",
    "cold store",
    "welding robot",
    "payroll tool",
    "lab bench",
)
PROJECTS = ("Marlin", "Osprey", "Quartz", "Tundra", "Velvet", "Willow", "Zephyr")
PARTNERS = ("Halden", "Norfield", "Pelikan", "Sorrel", "Tarn", "Umber")
CITIES = ("Bergen", "Lyon", "Malaga", "Ostrava", "Pisa", "Tartu", "Utrecht")
MONTHS = ("March", "April", "May", "June", "July", "August", "September")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
SMALL_TALK = (
    "The coffee machine on the third floor works again.",
    "I will be in the other building this afternoon.",
    "Thanks for the notes from yesterday's call.",
    "The visitors' badges are at the front desk.",
)


class Scene:
    """Builder of one timeline. It has its own random stream `draw`, so that timelines are independent of each other."""

    def __init__(
        self,
        track: str,
        number: int,
        seed: int,
        *,
        key: str = OPEN_KEY,
        difficulty: str = "medium",
        title: str = "",
    ) -> None:
        self.draw = Stream("statebench", seed, track, number)
        self.track, self.difficulty = track, difficulty
        self.id = unit_id(key, unit=f"{seed}:{track}:{number}")
        self.domain = self.draw.choice(DOMAINS)
        self.clock = _EPOCH + timedelta(days=self.draw.below(_DAYS), minutes=5 * self.draw.below(60))
        self.start = self.clock.isoformat()
        self.user = self.draw.choice(PEOPLE)
        self.title = title or self.draw.choice(TITLES)
        self.facts: list[Fact] = []
        self.notes: list[WorkingItem] = []
        self.environment: dict[str, str] = {"now": self.start}
        self.events: list[Event] = []
        self.seed = seed
        self._written = 0

    def wait(self, minutes: int) -> None:
        self.clock += timedelta(minutes=minutes)

    def add_fact(
        self, key: str, value: str, *, type: str = "user", authority: str = "peer", **fields: Any
    ) -> str:
        """Add a fact to the initial state and return its id.

        `fields` may have identity, scope, supersedes, depends_on, is_constraint, constraint_type.
        """
        name = f"F-{len(self.facts):03d}"
        since_start: dict[str, object] = {"ts": self.start, "is_valid": True}
        self.facts.append(cast(Fact, {**_fact(name, key, value, type, authority, fields), **since_start}))
        return name

    def note(self, text: str) -> None:
        self.notes.append({"item_type": "context", "content": text, "ts": self.start, "priority": 0})

    def say(
        self, text: str, *, supersedes: str | None = None, cue: str | None = None, speaker: str = "user"
    ) -> None:
        """Add a turn. With `cue` (a kind of wording), label it as superseding the fact with id `supersedes`."""
        self.wait(2 + self.draw.below(4))
        label = (
            {"detection_cue": cue, "supersedes_fact_id": supersedes, "difficulty": self.difficulty}
            if cue
            else None
        )
        self._event("conversation_turn", speaker=speaker, text=text, implicit_supersession=label)

    def write(self, key: str, value: str, *, layer: str = "persistent_facts", **fields: Any) -> str:
        """Add a write and return its id. `fields`: see `add_fact`; with `supersedes`, the event is a supersession."""
        self._written += 1
        name = f"W-{self._written:03d}"
        type, authority = fields.pop("type", "user"), fields.pop("authority", "peer")
        kind = "supersession" if fields.get("supersedes") else "state_write"
        write = _fact(name, key, value, type, authority, fields) | {"layer": layer}
        self._event(kind, writes=[write])
        return name

    def ask(
        self,
        prompt: str,
        *,
        decision: str,
        must: Sequence[str] = (),
        must_not: Sequence[str] = (),
        reasoning: str,
        detect: Sequence[str] = (),
        severity: str = "medium",
    ) -> None:
        """Add a query and its ground truth. The question counts as binary if `decision` is "yes" or "no".

        `must`, `must_not`: required and forbidden phrases. `detect`: ids of facts whose supersession must be
        detected.
        """
        self.wait(5)
        self._event(
            "query",
            prompt=prompt,
            ground_truth={
                "decision": decision,
                "decision_type": "binary" if decision in ("yes", "no") else "freeform",
                "must_mention": list(must),
                "must_not_mention": list(must_not),
                "allowed_sources": ["persistent_facts", "environment"],
                "reasoning": reasoning,
                "required_facts": [],
                "forbidden_facts": [],
                "supersession_detection": {"must_detect": list(detect), "detection_evidence": reasoning}
                if detect
                else None,
                "failure_severity": severity,
                "failure_category": None,
                "weights": None,
            },
        )

    def row(self) -> Timeline:
        organization = self.draw.choice(ORGANIZATIONS)
        identity = {
            "user_name": self.user,
            "authority": self.title,
            "department": self.domain.title(),
            "organization": organization,
            "communication_style": None,
        }
        return {
            "id": self.id,
            "version": "1.0",
            "domain": self.domain,
            "track": self.track,
            "difficulty": self.difficulty,
            "detection_mode": "implicit" if self.track == "supersession_detection" else "explicit",
            "actors": {
                "user": {"id": "u1", "role": self.title, "org": organization.lower().replace(" ", "_")},
                "assistant_role": "AI_Agent",
            },
            "initial_state": {
                "identity_role": identity,
                "persistent_facts": self.facts,
                "working_set": self.notes,
                "environment": self.environment,
            },
            "events": self.events,
            "metadata": {"template_id": self.track, "seed": self.seed, "generator_version": VERSION},
        }

    def _event(self, type: str, **fields: Any) -> None:
        self.events.append(cast(Event, {"ts": self.clock.isoformat(), "type": type, **fields}))


def _fact(name: str, key: str, value: str, type: str, authority: str, fields: dict[str, Any]) -> Write:
    return {
        "id": name,
        "key": key,
        "value": value,
        "source": {"type": type, "identity": fields.get("identity"), "authority": authority},
        "scope": fields.get("scope", "global"),
        "supersedes": fields.get("supersedes"),
        "depends_on": list(fields.get("depends_on", ())),
        "is_constraint": bool(fields.get("is_constraint")),
        "constraint_type": fields.get("constraint_type"),
    }


def money(draw: Stream, *, low: int = 4, high: int = 90) -> str:
    """Draw a round amount like "$37,000". `low` and `high` (not included) are in thousands."""
    return f"${low + draw.below(high - low)},000"


def other_money(draw: Stream, not_this: str) -> str:
    return different(draw, not_this, lambda: money(draw))


def date(draw: Stream) -> str:
    """Draw a date like "June 14". The day has two digits, so that no date is part of another date."""
    return f"{draw.choice(MONTHS)} {10 + draw.below(19)}"


def different(draw: Stream, not_this: str, make: Callable[[], str]) -> str:
    """Call `make` until its value differs from `not_this`, and return the value."""
    while (value := make()) == not_this:
        pass
    return value


def two(draw: Stream, items: tuple[str, ...]) -> tuple[str, str]:
    first = draw.choice(items)
    return first, different(draw, first, lambda: draw.choice(items))
