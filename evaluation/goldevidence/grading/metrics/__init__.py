"""The metrics of GoldEvidenceBench: every rate once, for figure, interval, groups, rows and paired tests.

The functions read the columns of a gradebook: `verdicts.Verdict`, `twin_pairs.Pair`, whether two rows are a `couple`,
`choices.Choice` (-1 in rows without candidates) and `choices.OwnChoice` (-1 where a prediction does not say what was
shown). A split is one of `scope.Scope`.
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

#: By rubric; a version with orders has those of `order_metrics` besides.
METRICS: dict[str, tuple[Metric, ...]] = {
    name: (*graded(rules), *DECOMPOSITION, SELECTION_CHANCE, *OWN) for name, rules in RUBRICS.items()
}
