"""A timeline under construction: a clock, the four layers, and the labels that go with what is said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from evaluation.core.rng import Stream
from evaluation.core.sealing.keyed_ids import OPEN_KEY, unit_id
from evaluation.statebench.generator import world

Row = dict[str, Any]
VERSION = "statebench-site/1"

_EPOCH = datetime(2026, 1, 5, 9, 0)
_DAYS = 200


class Scene:
    """Builds one timeline. `draw` is its own random stream, so that a timeline never depends on others."""

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
        self.domain = self.draw.choice(world.DOMAINS)
        self.clock = _EPOCH + timedelta(days=self.draw.below(_DAYS), minutes=5 * self.draw.below(60))
        self.start = self.clock.isoformat()
        self.user = self.draw.choice(world.PEOPLE)
        self.title = title or self.draw.choice(world.TITLES)
        self.facts: list[Row] = []
        self.notes: list[Row] = []
        self.environment: dict[str, str] = {"now": self.start}
        self.events: list[Row] = []
        self.seed = seed
        self._written = 0

    def wait(self, minutes: int) -> None:
        """Let time pass."""
        self.clock += timedelta(minutes=minutes)

    def add_fact(
        self, key: str, value: str, *, type: str = "user", authority: str = "peer", **fields: Any
    ) -> str:
        """A fact that is there from the start. Returns its id."""
        name = f"F-{len(self.facts):03d}"
        self.facts.append(
            _fact(name, key, value, type, authority, fields) | {"ts": self.start, "is_valid": True}
        )
        return name

    def note(self, text: str) -> None:
        """A scratch note of the working set."""
        self.notes.append({"item_type": "context", "content": text, "ts": self.start, "priority": 0})

    def say(
        self, text: str, *, supersedes: str | None = None, cue: str | None = None, speaker: str = "user"
    ) -> None:
        """A turn; `supersedes` and `cue` fill the label that the release leaves empty."""
        self.wait(2 + self.draw.below(4))
        label = (
            {"detection_cue": cue, "supersedes_fact_id": supersedes, "difficulty": self.difficulty}
            if cue
            else None
        )
        self._event("conversation_turn", speaker=speaker, text=text, implicit_supersession=label)

    def write(self, key: str, value: str, *, layer: str = "persistent_facts", **fields: Any) -> str:
        """A structured write. Returns its id; `supersedes` among the fields makes it a supersession."""
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
        """The query and its ground truth."""
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

    def row(self) -> Row:
        """The finished timeline."""
        organization = self.draw.choice(world.ORGANIZATIONS)
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
        self.events.append({"ts": self.clock.isoformat(), "type": type, **fields})


def _fact(name: str, key: str, value: str, type: str, authority: str, fields: dict[str, Any]) -> Row:
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
