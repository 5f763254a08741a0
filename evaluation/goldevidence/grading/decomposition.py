"""The decomposition: was the evidence shown, was it chosen, was it read correctly.

    gold_present_rate -> selection_rate -> accuracy_when_gold_present -> value_acc

The definitions of its rates are in `metrics.DECOMPOSITION`; those of a system's own retrieval, over whole-book rows, in
`metrics.OWN`. The line a system *selected* is its first citation; the one that its selector *picked* before a model was
asked (`selected_uid`) has a rate of its own, `gold_picked_rate`, and no place in the chain. Rates
of selection look at rows that show the gold line, so that a dropped gold line lowers `gold_present_rate` and nothing
else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from evaluation.core.metric import Array, arrays
from evaluation.core.records import Number
from evaluation.goldevidence.grading.choices import Choice
from evaluation.goldevidence.grading.metrics import DECOMPOSITION

Rates = dict[str, float | None]
CONDITION_VALUE = (
    "condition_value_acc"  # over the candidate rows of a whole version; `value_acc` of some of them
)
PICKED = "gold_picked_rate"
STEPS = ("gold_present_rate", "selection_rate", "accuracy_when_gold_present", "value_acc")
#: The same of a system's own retrieval.
OWN_STEPS = tuple(f"own_{name}" for name in STEPS)
METRICS: tuple[str, ...] = (
    *STEPS,
    *(metric.name for metric in DECOMPOSITION if metric.name not in (*STEPS, CONDITION_VALUE)),
)


def ratios(column: Mapping[str, Array]) -> dict[str, tuple[Array, Array]]:
    """Every metric as a ratio by row.

    Args:
        column: The fields of `Choice`, [rows] each.

    Returns:
        name -> (numerator, denominator), [rows] each, in the order of METRICS.
    """
    pairs = {metric.name: arrays(metric, column) for metric in DECOMPOSITION}
    pairs["value_acc"] = pairs.pop(CONDITION_VALUE)
    return {name: pairs[name] for name in METRICS}


def decompose(choices: Iterable[Choice]) -> Rates:
    """The figures of METRICS, None where a rate has nothing to look at."""
    return {name: rate(*ratio) for name, ratio in ratios(columns(choices)).items()}


def columns(choices: Iterable[Choice]) -> dict[str, NDArray[np.int8]]:
    """Choices by column.

    Args:
        choices: One a row.

    Returns:
        Field of `Choice` -> its values, [rows] each.
    """
    table = np.array(list(choices), dtype=np.int8).reshape(-1, len(Choice._fields))
    return dict(zip(Choice._fields, table.T, strict=True))


def rate(numerator: Array, denominator: Array) -> float | None:
    """The share over all rows.

    Args:
        numerator: What each row adds, [rows].
        denominator: How much each row counts, [rows].

    Returns:
        numerator / denominator; None for nothing.
    """
    total = int(denominator.sum())
    return int(numerator.sum()) / total if total else None


def own_rates(figures: Mapping[str, Number]) -> dict[str, float | None]:
    """The rates of a system's own retrieval, under the names that the rates of candidate rows have.

    Args:
        figures: The metrics of a report, or of a group of it.
    """
    return {name: figures.get(f"own_{name}") for name in (*STEPS, "answer_acc_given_gold_selected", PICKED)}


def waterfall(rates: Mapping[str, float | None]) -> tuple[float | None, float | None, float | None]:
    """Of all rows: the gold line is shown; shown and chosen; chosen and the value right, each a part
    of the one before."""
    shown = rates.get("gold_present_rate")
    chosen = _share(shown, rates.get("selection_rate"))
    return shown, chosen, _share(chosen, rates.get("answer_acc_given_gold_selected"))


def _share(whole: float | None, part: float | None) -> float | None:
    """A share of a share. Of nothing it is nothing, whatever the part was."""
    if whole is None or (part is None and whole):
        return None
    return whole * (part or 0.0)


def decomposition_line(rates: Mapping[str, float | None]) -> str:
    """`1.0000 -> 0.7500 -> 0.7500 -> 0.7500`, a figure that is not there as `n/a`."""
    return " -> ".join("n/a" if rates.get(name) is None else f"{rates[name]:.4f}" for name in STEPS)
