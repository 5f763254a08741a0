"""What of a row a reader can choose rows by: as far as the row itself says it."""

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
    """The labels of a row.

    Args:
        row: Public, or with gold; a public row says no more than its text and its question do.

    Returns:
        What a label is of -> the label: question, what is shown, and what `meta` says besides.
    """
    meta = row["meta"]
    derived = meta.get("derived_op")
    labels = {"Question type": f"derived: {derived}" if derived else "direct"}
    shown = kind_of(row)
    labels["Shows"] = shown if shown == CANDIDATES else "a whole text"
    for name, field in OF_META.items():
        if value := meta.get(field):
            labels[name] = str(value)
    if "gold" in row:
        labels.setdefault(
            "Condition", shown
        )  # of a whole text: rows that keep their gold tell what is a condition
    if labels.get("Condition") == labels.get("Length"):
        labels.pop("Condition", None)
    return labels
