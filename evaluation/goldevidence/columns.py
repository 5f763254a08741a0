"""Defines the columns of a GoldEvidenceBench board: label, explanation, direction."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from evaluation.core.metric import Metric
from evaluation.core.suite import Column
from evaluation.goldevidence.data.rubrics import DEFAULT_RUBRIC
from evaluation.goldevidence.grading.metrics import METRICS, order_metrics, worst_condition_metric
from evaluation.goldevidence.grading.metrics.sections import AUTHORITY, HEADLINE, RETRIEVAL, SECTIONS

#: Columns that are not rates, by the metric that they follow.
COUNTS: dict[str, Column] = {
    "answered_rate": Column(
        "n",
        "Rows",
        "Rows over which the headline is computed.",
        format="count",
        section=HEADLINE,
        whole=True,
        neutral=True,
        part_of="covered_rows",
    ),
    "own_gold_present_rate": Column(
        "own_rows",
        "Rows that say",
        "Whole-book rows that one line answers and whose predictions list the lines shown (`shown_uids`).",
        format="count",
        section=RETRIEVAL,
        whole=True,
        neutral=True,
        part_of="n",
    ),
    "own_gold_mrr": Column(
        "own_gold_rank_median",
        "Median rank",
        "Median position of the gold line among the lines shown, over the rows that show it.",
        better="lower",
        format="count",
        section=RETRIEVAL,
    ),
    "authority_violation_rate": Column(
        "note_rows",
        "Rows with a NOTE",
        "Rows that show a NOTE about their key. If there are none, authority is not tested.",
        format="count",
        section=AUTHORITY,
        whole=True,
        neutral=True,
        part_of="covered_rows",
    ),
}


#: Built without conditions: a board's labels do not depend on the conditions of a version.
_BY_ORDER = order_metrics(())
TIE_BREAKER = Column.from_metric(worst_condition_metric(()))


def columns() -> tuple[Column, ...]:
    """Return the columns of a board: the headline first, then those of each section."""
    return _columns((*METRICS[DEFAULT_RUBRIC], *_BY_ORDER))


@lru_cache(maxsize=4)  # a board asks for them once per row
def _columns(metrics: tuple[Metric, ...]) -> tuple[Column, ...]:
    def shown() -> Iterator[Column]:
        having = (metric for metric in metrics if metric.section)
        for metric in sorted(having, key=lambda metric: SECTIONS.index(metric.section)):
            yield Column.from_metric(metric)
            if metric.name in COUNTS:
                yield COUNTS[metric.name]

    return tuple(shown())
