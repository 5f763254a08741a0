"""Features of lines, from the lines shown and the question alone, never from the gold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.goldevidence.conditions.perturb import UNMARKED
from evaluation.goldevidence.mistakes.record import LineShown

Array = NDArray[np.float64]
MARKERS = ("SET", "CLEAR", "NOTE", UNMARKED)
NAMES = (
    *(f"is_{marker}" for marker in ("set", "clear", "note", "unmarked")),
    "has_remark",
    "remark_says_update",
    "remark_says_note",
    "is_asked",
    "step",
    "step_among_asked",
    "place",
    "is_first",
    "is_last",
)


def line_features(lines: Sequence[LineShown], key: str) -> Array:
    """Features of each line. Steps and positions are scaled to [0, 1].

    Args:
        lines: In the order shown.
        key: The tag of the question.

    Returns:
        [lines, features], columns as in `NAMES`.
    """
    steps = [line["step"] for line in lines]
    asked = [line["step"] for line in lines if line["key"] == key]
    last = max(len(lines) - 1, 1)
    rows = [
        (
            *(float(line["op"] == marker) for marker in MARKERS),
            *_remark(line.get("remark", "")),
            float(line["key"] == key),
            _share(line["step"], steps),
            _share(line["step"], asked) if line["key"] == key else 0.0,
            place / last,
            float(place == 0),
            float(place == len(lines) - 1),
        )
        for place, line in enumerate(lines)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(lines), len(NAMES))


def _share(step: int, steps: Sequence[int]) -> float:
    """Share of the other steps that are at or before `step`; 1 if there are no other steps."""
    return (sum(other <= step for other in steps) - 1) / max(len(steps) - 1, 1) if len(steps) > 1 else 1.0


def _remark(remark: str) -> tuple[float, float, float]:
    return float(bool(remark)), float("UPDATE" in remark), float("NOTE" in remark)
