"""Scenes in free English, written without knowledge of the rules, and figures of detection on them.

A scene is {"id", "facts", "turns", "changes", "kind", "note"}. `changes` lists what turns supersede: the number of the
turn, from 0, the words of the old value as they stand in a fact or an earlier turn, and those of the new one or null.

`python -m tests.evaluation.statebench.detection.blind` prints the figures of the documentation; of other files of
scenes, given as paths, also intervals and the figures of the rules alone. All sets but `NEW` were used for training.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from evaluation.core import jsonl
from evaluation.statebench.context.replay import RULES, replay
from evaluation.statebench.detection.detector import Detector
from evaluation.statebench.language.values import find_values
from tests.evaluation.statebench.writing import fact, say, timeline

SETS = ("dev1", "dev2", "dev3", *[f"held{number}" for number in range(1, 11)])
NEW = ("held11", "held12", "held13", "held14")  # never learned from
_HERE = Path(__file__).parent
_ENOUGH = 0.6  # share of the words of the shorter text by which two old values are one
_WORDS = re.compile(r"[a-z0-9$%.:]+")
_SMALL = frozenset(("the", "a", "an", "is", "at", "on", "in", "of", "to", "for", "we", "and"))


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers of right, wrong and missed findings."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """The share of right findings; 1 if there are none."""
        return self.right / max(1, self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """The share of changes found."""
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)


def figures(name: str) -> tuple[Figures, Figures]:
    """The figures of a set: over its turns, and over the changes in them."""
    return measure(read(name))


def measure(scenes: Iterable[dict[str, Any]], detector: Detector = RULES) -> tuple[Figures, Figures]:
    """The figures of scenes: over their turns, and over the changes in them.

    Args:
        scenes: The scenes.
        detector: The detector to measure; by default the one in use.
    """
    judged = [_judge(scene, detector) for scene in scenes]
    turns, changes = zip(*judged, strict=True)
    return total(turns), total(changes)


def intervals(
    scenes: Iterable[dict[str, Any]], detector: Detector = RULES, *, draws: int = 2000
) -> dict[str, tuple[float, float]]:
    """95% bootstrap intervals over scenes, of the figures over turns: {"precision": (low, high), …}.

    Args:
        scenes: The scenes.
        detector: The detector to measure; by default the one in use.
        draws: Number of resamples.
    """
    turns = [_judge(scene, detector)[0] for scene in scenes]
    draw = Random(0)
    samples = [total(draw.choices(turns, k=len(turns))) for _ in range(draws)]
    return {
        name: _middle(sorted(getattr(one, name) for one in samples)) for name in ("precision", "recall", "f1")
    }


def _middle(ranked: list[float]) -> tuple[float, float]:
    return ranked[round(0.025 * len(ranked))], ranked[round(0.975 * len(ranked)) - 1]


def read(name: str) -> list[dict[str, Any]]:
    """The scenes of a set, or of a file."""
    return list(jsonl.read(name if name.endswith(".jsonl") else _HERE / f"{name}.jsonl"))


def _judge(scene: dict[str, Any], detector: Detector) -> tuple[Figures, Figures]:
    """(turns flagged, changes found) of one scene."""
    facts = [fact(given["key"], given["value"]) for given in scene["facts"]]
    state = replay(timeline(*map(say, scene["turns"]), facts=facts, query="?"), detector=detector)
    texts = {made.alias: made.text for made in reversed(list(state.store))}
    found = [(detection.turn_index, texts[detection.fact_id]) for detection in state.detections]
    missed = [(change["turn"], change["old"]) for change in scene["changes"]]
    flagged, expected = {turn for turn, _ in found}, {turn for turn, _ in missed}
    turns = Figures(len(flagged & expected), len(flagged - expected), len(expected - flagged))
    right = wrong = 0
    for turn, text in found:
        hits = [change for change in missed if change[0] == turn and _is_meant(change[1], text)]
        missed = [change for change in missed if change not in hits]
        right, wrong = right + len(hits), wrong + (not hits)
    return turns, Figures(right, wrong, len(missed))


def _is_meant(old: str, text: str) -> bool:
    """Whether a text contains an old value, in its words or as a value that the store takes for the same."""
    values, others = find_values(old), find_values(text)
    by_value = bool(values) and all(any(value.is_same(other) for other in others) for value in values)
    return by_value or is_same(old, text)


def is_same(one: str, other: str) -> bool:
    """True if two texts name one old value.

    Args:
        one: A text.
        other: Another.
    """
    this, that = (" ".join(_WORDS.findall(text.lower())) for text in (one, other))
    if this in that or that in this:
        return True
    words, others = set(this.split()) - _SMALL, set(that.split()) - _SMALL
    return bool(words and others) and len(words & others) >= _ENOUGH * min(len(words), len(others))


def total(parts: Iterable[Figures]) -> Figures:
    """The figures of several parts together.

    Args:
        parts: Figures of each part.
    """
    counts = [(part.right, part.wrong, part.missed) for part in parts]
    return Figures(*(sum(column) for column in zip(*counts, strict=True)))
