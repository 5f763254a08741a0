"""What of a verdict may be told where a version withholds its gold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import cast

from evaluation.core.records import ShownVerdict
from evaluation.goldevidence.records import EpisodeVerdict

#: Figures of a row that say whether and where the gold line is among the lines that its sender lists, or is the one
#: that its sender says was picked: neither costs a right answer.
OF_SHOWN_LINES = frozenset(
    {
        "own_gold_present_rate",
        "own_gold_mrr",
        "own_gold_picked_rate",
        "own_selection_rate",
        "own_answer_acc_given_gold_selected",
        "own_accuracy_when_gold_present",
        "own_value_acc",
        "own_selection_chance",
        "gold_picked_rate",
    }
)
#: What says nothing of the answer. The sentences of `failures` never name the gold.
OF_A_ROW = frozenset({"id", "unit", "condition", "correct", "failure", "reason"})


def redact(verdict: EpisodeVerdict, *, own: bool) -> ShownVerdict:
    """What of a verdict may be told.

    Args:
        verdict: The verdict on one answer.
        own: Whether it is told to its sender, who sees all but the gold. Others see a wrong value, and citations of
            which none is a gold line.

    Returns:
        The fields that may be told.
    """
    if own:
        figures = verdict.get("figures")
        if figures is not None:
            verdict = verdict | {"figures": _tellable(figures)}
        return _only(
            verdict, verdict.keys() - {"gold", "mistake"}
        )  # which would tell the renaming of its row
    kept = set(OF_A_ROW)
    if not verdict.get("value_ok", True):
        kept.add("value")
        golds = verdict["gold"]["support_ids"] if "gold" in verdict else ()
        if not set(verdict["cited"]) & set(golds):
            kept.add("cited")
    return _only(verdict, kept)


def _tellable(figures: Mapping[str, float]) -> dict[str, float]:
    """Without what the lines that a sender says were shown would find out of the gold, row by row, at no cost."""
    return {name: value for name, value in figures.items() if name not in OF_SHOWN_LINES}


def _only(verdict: EpisodeVerdict, names: Collection[str]) -> ShownVerdict:
    return cast(ShownVerdict, {name: value for name, value in verdict.items() if name in names})
