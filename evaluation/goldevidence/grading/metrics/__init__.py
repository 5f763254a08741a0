"""The metrics of GoldEvidenceBench.

The functions read the columns of a gradebook: the fields of `verdicts.Verdict`, `twin_pairs.Pair`, `choices.Choice`
(-1 in rows without candidates) and `choices.OwnChoice` (-1 if the prediction lists no lines), and `couple`, 1 in both
rows of a complete twin pair.
"""

from __future__ import annotations

from evaluation.core.metric import Metric
from evaluation.goldevidence.data.rubrics import RUBRICS
from evaluation.goldevidence.grading.metrics.candidates import DECOMPOSITION, SELECTION_CHANCE
from evaluation.goldevidence.grading.metrics.graded import graded
from evaluation.goldevidence.grading.metrics.of_conditions import (
    WORST_ORDER_RATE,
    order_metrics,
    version_metrics,
    worst_condition_metric,
)
from evaluation.goldevidence.grading.metrics.retrieval import OWN

__all__ = [
    "DECOMPOSITION",
    "METRICS",
    "OWN",
    "SELECTION_CHANCE",
    "WORST_ORDER_RATE",
    "order_metrics",
    "version_metrics",
    "worst_condition_metric",
]

#: Rubric -> its metrics; a version with orders adds those of `order_metrics`.
METRICS: dict[str, tuple[Metric, ...]] = {
    name: (*graded(rules), *DECOMPOSITION, SELECTION_CHANCE, *OWN) for name, rules in RUBRICS.items()
}
