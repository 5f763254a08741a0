"""What a board shows of GoldEvidenceBench: every figure, how to read it, and which way is better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaluation.core.metric import Metric, column
from evaluation.core.suite import Column
from evaluation.goldevidence.grading.metrics import (
    AUTHORITY,
    HEADLINE,
    METRICS,
    SECTIONS,
    order_metrics,
)

#: Figures that are no rates, each behind the one that it belongs to.
COUNTS: dict[str, Column] = {
    "answered_rate": Column(
        "n", "Rows", "Rows that the headline is computed over.", format="count", section=HEADLINE
    ),
    "authority_violation_rate": Column(
        "note_rows",
        "Rows with a NOTE",
        "Rows that show a NOTE about their key. Without any, authority is not tested.",
        format="count",
        section=AUTHORITY,
    ),
}


def columns(metrics: Iterable[Metric]) -> tuple[Column, ...]:
    """The columns of a board: the headline, then section by section."""

    def shown() -> Iterator[Column]:
        for metric in sorted(metrics, key=lambda metric: SECTIONS.index(metric.section)):
            yield column(metric)
            if metric.name in COUNTS:
                yield COUNTS[metric.name]

    return tuple(shown())


COLUMNS = columns((*METRICS["strict"], *order_metrics(())))
TIE_BREAKER = Column(
    "worst_condition_exact_acc",
    "Worst condition",
    "Exact answers under the condition that suits the system least, where the file answers all of them.",
)
