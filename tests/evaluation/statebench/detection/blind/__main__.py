"""Prints the figures of every set, and those of the untouched ones with intervals and beside the rules alone."""

from __future__ import annotations

from evaluation.statebench.context.replay import RULES
from evaluation.statebench.detection.detector import RuleDetector
from tests.evaluation.statebench.detection.blind import SETS, UNTOUCHED, figures, intervals, read

for name in SETS:
    for what, found in zip(("turns", "changes"), figures(name), strict=True):
        print(
            f"{name:8}{what:9}precision {found.precision:.3f}  recall {found.recall:.3f}  F1 {found.f1:.3f}"
            f"  ({found.right} right, {found.wrong} wrong, {found.missed} missed)"
        )
for label, names in (*((name, (name,)) for name in UNTOUCHED), ("both", UNTOUCHED)):
    scenes = [scene for name in names for scene in read(name)]
    for who, detector in (("rules alone", RuleDetector()), ("in use", RULES)):
        bounds = intervals(scenes, detector)
        print(
            f"{label:8}{who:12}"
            + "  ".join(f"{name} {low:.3f} to {high:.3f}" for name, (low, high) in bounds.items())
        )
