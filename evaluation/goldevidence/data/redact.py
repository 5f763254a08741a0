"""Removes the correct answer from verdicts of versions that withhold it."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

from evaluation.core.records import ShownVerdict
from evaluation.goldevidence.records import EpisodeVerdict

#: Metrics of a row that reveal whether and where the gold line is among the lines that its sender lists, or whether
#: the line that its sender claims was picked is gold. A sender can vary these claims without losing a right answer.
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
#: Fields that reveal nothing of the answer. The sentences of `failures` never name the gold.
OF_A_ROW = frozenset({"id", "unit", "condition", "correct", "failure", "reason"})


def redact(verdict: EpisodeVerdict, *, own: bool) -> ShownVerdict:
    """Return the fields of a verdict that do not disclose the gold.

    The submitter (`own`) sees all but the gold. Other readers see the value if it is wrong, and the citations if none
    of the cited lines is a gold line.
    """
    if own:
        if (figures := verdict.get("figures")) is not None:
            # From metrics of lines listed as shown, a sender could learn the gold row by row, without any cost.
            tellable = {name: value for name, value in figures.items() if name not in OF_SHOWN_LINES}
            verdict = verdict | {"figures": tellable}
        # "mistake" would reveal the renaming of its row.
        return _only(verdict, verdict.keys() - {"gold", "mistake"})
    kept = set(OF_A_ROW)
    if not verdict.get("value_ok", True):
        kept.add("value")
        golds = verdict["gold"]["support_ids"] if "gold" in verdict else ()
        if not set(verdict["cited"]) & set(golds):
            kept.add("cited")
    return _only(verdict, kept)


def _only(verdict: EpisodeVerdict, names: Collection[str]) -> ShownVerdict:
    return cast(ShownVerdict, {name: value for name, value in verdict.items() if name in names})
