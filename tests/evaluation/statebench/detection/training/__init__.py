"""Training of the learned model of detection, and its figures on scenes that it was not trained on.

    python -m tests.evaluation.statebench.detection.training              # cross-validates, trains, writes the weights
    python -m tests.evaluation.statebench.detection.training held1 held2  # measures each, trained on all but this set

`sets` are scenes in free English like those of `blind`, written for training: `one` and `two` by two writers who never
saw the rules, `three` to `six` by the writers of the models, `seven` to `sixteen` by ten who saw nothing of either. The
changes of each set were noted before any detector had seen it. Leaving sets out measures a model on other writers and
fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from tests.evaluation.statebench.detection.blind import SETS

Scene = dict[str, Any]

_HERE = Path(__file__).parent
_BLIND = _HERE.parent / "blind"
# For these, rules were written: what rules find there says nothing of what they find elsewhere.
WORDINGS = ("first", "second")
RULED = ("dev1", "dev2", "dev3", "held1", *WORDINGS)


def scenes() -> Iterator[tuple[str, Scene]]:
    """All scenes to learn from, each with the name of its set."""
    files = [*(_BLIND / f"{name}.jsonl" for name in SETS), *sorted((_HERE / "sets").glob("*.jsonl"))]
    for file in files:
        for scene in jsonl.read(file):
            yield file.stem, scene
    for name in WORDINGS:
        for number, row in enumerate(jsonl.read(_HERE.parent / f"{name}.jsonl")):
            if not any("source" in given for given in row["facts"]):  # where authority decides, words do not
                yield name, _scene(row, f"{name}-{number}")


def _scene(row: Scene, id: str) -> Scene:
    """A row of `test_wordings`, whose last turn is judged, as a scene."""
    turns = [*row.get("said", []), row["turn"]]
    old = [given["value"] for given in row["facts"] if given["key"] == row["supersedes"]]
    changes = [{"turn": len(turns) - 1, "old": value, "new": None} for value in old]
    return {"id": id, "facts": row["facts"], "turns": turns, "changes": changes}
