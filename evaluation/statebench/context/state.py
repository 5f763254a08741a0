"""The state at a query: four layers, and what was detected on the way there."""

from __future__ import annotations

from dataclasses import dataclass, field

from evaluation.statebench.detection.detector import Detection
from evaluation.statebench.detection.turn_features import TurnFeatures
from evaluation.statebench.facts.layers import Environment, IdentityRole, WorkingSetItem
from evaluation.statebench.facts.store import FactStore


@dataclass(slots=True)
class State:
    """Identity, facts, environment and working set, with the query that is asked of them.

    `turns` are what was said, in order of time, and `heard` what is read off each; `items` are scratch notes.
    They belong to the working set.
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

    def end_session(self) -> None:
        """Forget the working set; the other layers stay."""
        self.turns.clear()
        self.heard.clear()
        self.items.clear()
