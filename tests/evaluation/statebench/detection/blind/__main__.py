"""Print the figures of every set, with intervals for those never learned from; or of some files of scenes."""

from __future__ import annotations

import sys

from evaluation.statebench.context.replay import RULES
from evaluation.statebench.detection.detector import RuleDetector
from tests.evaluation.statebench.detection.blind import NEW, SETS, figures, intervals, read

files = sys.argv[1:]
for name in files or (*SETS, *NEW):
    for what, found in zip(("turns", "changes"), figures(name), strict=True):
        print(
            f"{name:8}{what:9}precision {found.precision:.3f}  recall {found.recall:.3f}  F1 {found.f1:.3f}"
            f"  ({found.right} right, {found.wrong} wrong, {found.missed} missed)"
        )
for name in files or NEW:
    for who, detector in (("rules alone", RuleDetector()), ("in use", RULES)):
        bounds = intervals(read(name), detector)
        print(
            f"{name:8}{who:12}"
            + "  ".join(f"{figure} {low:.3f} to {high:.3f}" for figure, (low, high) in bounds.items())
        )
