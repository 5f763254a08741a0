"""Prints the figures of every set."""

from __future__ import annotations

from tests.evaluation.statebench.detection.blind import SETS, figures

for name in SETS:
    for what, found in zip(("turns", "changes"), figures(name), strict=True):
        print(
            f"{name:8}{what:9}precision {found.precision:.3f}  recall {found.recall:.3f}  F1 {found.f1:.3f}"
            f"  ({found.right} right, {found.wrong} wrong, {found.missed} missed)"
        )
