"""The decomposition: was the evidence shown, chosen, and read correctly?

    gold_present_rate -> selection_rate -> accuracy_when_gold_present -> value_acc

`metrics.DECOMPOSITION` defines the rates over candidate rows, `metrics.OWN` the same rates over whole-book rows for a
system's own retrieval. The selected line is the first citation. Selection rates count only rows that show the gold
line, so that a dropped gold line lowers only `gold_present_rate`. `gold_picked_rate` is outside the chain: it is about
the line that a selector picked before a model was asked (`selected_uid`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from evaluation.core.metric import Array, Evaluated
from evaluation.core.records import Number
from evaluation.goldevidence.grading.choices import Choice
from evaluation.goldevidence.grading.metrics import DECOMPOSITION

Rates = dict[str, float | None]
CONDITION_VALUE = "condition_value_acc"  # over all candidate rows of a version; `value_acc` over some of them
PICKED = "gold_picked_rate"
STEPS = ("gold_present_rate", "selection_rate", "accuracy_when_gold_present", "value_acc")
#: The steps of a system's own retrieval.
OWN_STEPS = tuple(f"own_{name}" for name in STEPS)
METRICS: tuple[str, ...] = (
    *STEPS,
    *(metric.name for metric in DECOMPOSITION if metric.name not in (*STEPS, CONDITION_VALUE)),
)


def ratios(column: Mapping[str, Array]) -> dict[str, tuple[Array, Array]]:
    """Metric name -> (numerator, denominator), [rows] each, in the order of METRICS.

    Args:
        column: The fields of `Choice`, [rows] each.
    """
    evaluated = Evaluated(column)
    pairs = {metric.name: evaluated.sides(metric) for metric in DECOMPOSITION}
    pairs["value_acc"] = pairs.pop(CONDITION_VALUE)
    return {name: pairs[name] for name in METRICS}


def decompose(choices: Iterable[Choice]) -> Rates:
    """Compute the rates of METRICS. A rate that counts no row is None."""
    return {name: rate(*ratio) for name, ratio in ratios(columns(choices)).items()}


def columns(choices: Iterable[Choice]) -> dict[str, NDArray[np.int8]]:
    """Turn choices into columns: field of `Choice` -> [rows].

    Args:
        choices: One choice per row.
    """
    table = np.array(list(choices), dtype=np.int8).reshape(-1, len(Choice._fields))
    return dict(zip(Choice._fields, table.T, strict=True))


def rate(numerator: Array, denominator: Array) -> float | None:
    """Divide the sum of the numerator by the sum of the denominator. Returns None if the denominator is 0.

    Args:
        numerator: [rows].
        denominator: [rows], weight of each row.
    """
    total = int(denominator.sum())
    return int(numerator.sum()) / total if total else None


def own_rates(figures: Mapping[str, Number]) -> dict[str, float | None]:
    """Select the rates of a system's own retrieval, and rename them like the rates over candidates."""
    return {name: figures.get(f"own_{name}") for name in (*STEPS, "answer_acc_given_gold_selected", PICKED)}


def waterfall(rates: Mapping[str, float | None]) -> tuple[float | None, float | None, float | None]:
    """Three shares of all rows: gold line shown, gold line shown and chosen, gold line chosen and value right."""
    shown = rates.get("gold_present_rate")
    chosen = _share(shown, rates.get("selection_rate"))
    return shown, chosen, _share(chosen, rates.get("answer_acc_given_gold_selected"))


def _share(whole: float | None, part: float | None) -> float | None:
    """The product `whole * part`. It is 0 if `whole` is 0, even if `part` is unknown."""
    if whole is None or (part is None and whole):
        return None
    return whole * (part or 0.0)


def decomposition_line(rates: Mapping[str, float | None]) -> str:
    """Format the rates of STEPS, such as `1.0000 -> 0.7500 -> n/a -> 0.7500`. A missing rate is `n/a`."""
    return " -> ".join("n/a" if rates.get(name) is None else f"{rates[name]:.4f}" for name in STEPS)
