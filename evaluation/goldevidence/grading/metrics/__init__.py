"""The metrics of GoldEvidenceBench: every rate defined once, for value, interval, groups, rows and paired tests.

The functions read the columns of a gradebook: `verdicts.Verdict`, `twin_pairs.Pair`, `couple` (rows of a complete
pair), `choices.Choice` (-1 in rows without candidates) and `choices.OwnChoice` (-1 if a prediction lists no lines). A
split is one of `scope.Scope`.
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
