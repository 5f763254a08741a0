"""How the learned model of detection is trained, and what it is worth on scenes that it was not trained on.

    python -m tests.evaluation.statebench.detection.training            # cross-validates, trains, writes the weights
    python -m tests.evaluation.statebench.detection.training --sets     # trains without each set in turn and measures it

`sets` are scenes in free English, as those of `blind`, written for training by somebody who never saw the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.core import jsonl

Scene = dict[str, Any]

_HERE = Path(__file__).parent
_BLIND = _HERE.parent / "blind"
# For these, rules were written: what rules find there says nothing of what they find elsewhere.
RULED = ("dev1", "dev2", "dev3", "held1")
BLIND = (*RULED, "held2")


def scenes() -> Iterator[tuple[str, Scene]]:
    """All scenes to learn from, each with the name of its set."""
    files = [*(_BLIND / f"{name}.jsonl" for name in BLIND), *sorted((_HERE / "sets").glob("*.jsonl"))]
    for file in files:
        for scene in jsonl.read(file):
            yield file.stem, scene
