"""Labels of a row, by which readers filter rows."""

from __future__ import annotations

from evaluation.goldevidence.public import CANDIDATES, kind_of
from evaluation.goldevidence.records import EpisodeRow

#: Label -> the field of `meta`. A public row without gold has few of them.
OF_META = {
    "Mode": "state_mode",
    "Distractors": "distractor_profile",
    "Length": "length",
    "Depth": "depth",
    "Condition": "condition",
}


def row_labels(row: EpisodeRow) -> dict[str, str]:
    """The labels of a row, public or with gold: question type, kind of text shown, and fields of `meta`."""
    meta = row["meta"]
    derived = meta.get("derived_op")
    labels = {"Question type": f"derived: {derived}" if derived else "direct"}
    shown = kind_of(row)
    labels["Shows"] = shown if shown == CANDIDATES else "a whole text"
    for name, field in OF_META.items():
        if value := meta.get(field):
            labels[name] = str(value)
    if "gold" in row:
        # For a whole text; rows that keep their gold may show their condition.
        labels.setdefault("Condition", shown)
    if labels.get("Condition") == labels.get("Length"):
        labels.pop("Condition", None)
    return labels
