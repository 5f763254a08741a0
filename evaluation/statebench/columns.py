"""Columns of a StateBench board: each metric, how to read it, and which direction is better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import cast

from evaluation.core.metric import Metric
from evaluation.core.plugin import Axis, Scatter
from evaluation.core.records import GradingRecord, JsonObject, Row
from evaluation.core.suite import Column, Unranked
from evaluation.statebench.grading.metrics import METRICS, SECTIONS, SPARED, beside
from evaluation.statebench.grading.rubrics import DEFAULT_RUBRIC, TYPED
from evaluation.statebench.records import Timeline, TimelineRecord

CURVE = (16, 32, 64, 128, 256, 512, 1024, 2048, 8192)  # token budgets of a strategy's curve
TIE_BREAKER = Column.from_metric(SPARED)


def columns(rubric: str = DEFAULT_RUBRIC) -> tuple[Column, ...]:
    """Columns of a rubric's metrics, the headline first. Free-text rubrics have the columns of the default rubric."""
    chosen = rubric if rubric in TYPED else DEFAULT_RUBRIC
    return _columns((*METRICS[chosen], *beside(chosen)))


@lru_cache(maxsize=4)  # called for every row of a board
def _columns(metrics: tuple[Metric, ...]) -> tuple[Column, ...]:
    shown = [metric for metric in metrics if metric.section]
    return tuple(map(Column.from_metric, sorted(shown, key=lambda metric: SECTIONS.index(metric.section))))


CONTEXT_QUALITY = Scatter(
    "context-quality",
    "Coverage and outdated facts in context",
    "Each point is a memory at one budget; points that coincide share a label. Higher: more coverage; further left: "
    "fewer superseded values.",
    across=Axis("dead_values", "Outdated facts in context", better="lower"),
    up=Axis("coverage", "Coverage"),
)


def _contexts_over_budgets(
    system: str, rows: Iterable[Row], records: Iterable[GradingRecord]
) -> list[dict[str, object]]:
    """Metrics of a strategy's contexts, one row per budget. See `CONTEXTS.measures`."""
    # Imported late: it loads the builder of contexts, which a board does not need.
    from evaluation.statebench.strategies.measure import ALL, measure_records

    measured = measure_records(_pairs(rows, records), system, CURVE)
    return [row for row in measured if row["track"] == ALL]


def _sent_contexts(
    rows: Iterable[Row], records: Iterable[GradingRecord], lines: Iterable[JsonObject]
) -> list[dict[str, object]]:
    from evaluation.statebench.strategies.measure import ALL, measure_contexts

    return [row for row in measure_contexts(_pairs(rows, records), lines, "sent") if row["track"] == ALL]


def _pairs(
    rows: Iterable[Row], records: Iterable[GradingRecord]
) -> Iterator[tuple[Timeline, TimelineRecord]]:
    known = {record["timeline_id"]: record for record in cast(Iterable[TimelineRecord], records)}
    return ((row, known[row["id"]]) for row in cast(Iterable[Timeline], rows))


#: Strategies and memories without a model decide nothing: any decision a grader finds is accidental wording. They
#: are therefore shown by the content of their contexts (`strategies.measure`).
CONTEXTS = Unranked(
    reason="no model answers from its context",
    title="Memories, no model attached",
    about="The context that each memory builds. No model reads it, so there are no decisions.",
    measure=_contexts_over_budgets,
    measure_lines=_sent_contexts,
    measures=(
        Column(
            "live_values",
            "Current facts in context",
            "Of the valid evidence or values, the share that the context shows.",
            counts=("value", "values"),
        ),
        Column(
            "dead_values",
            "Outdated facts in context",
            "Of the superseded evidence or values, the share that the context shows.",
            better="lower",
            counts=("value", "values"),
        ),
        Column(
            "constraints",
            "Constraints in context",
            "Of the valid constraints that the reader may see, the share that the context shows.",
            counts=("constraint", "constraints"),
        ),
        Column(
            "coverage",
            "Coverage",
            "Of the phrases that an answer must mention, the share that the context contains.",
            counts=("phrase", "phrases"),
        ),
        Column(
            "resurrection",
            "Resurrection",
            "Of the queries, the share whose context contains a phrase that an answer must not mention.",
            better="lower",
            counts=("query", "queries"),
        ),
        Column(
            "tokens_mean", "Tokens", "Mean length of a context, in tokens.", better="lower", format="count"
        ),
    ),
    columns=("sfrr", "must_mention_rate", "must_not_mention_violation_rate", "leakage_rate", "avg_tokens"),
    plot=CONTEXT_QUALITY,
)
#: Kind of system -> its table: strategies and uploaded memories share one.
UNRANKED = {"strategy": CONTEXTS, "memory": CONTEXTS}
