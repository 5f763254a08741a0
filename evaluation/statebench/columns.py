"""What a board shows of StateBench: every figure, how to read it, and which way is better."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import cast

from evaluation.core.metric import Metric
from evaluation.core.plugin import Axis, Scatter
from evaluation.core.records import GradingRecord, Row
from evaluation.core.suite import Column, Unranked
from evaluation.statebench.grading.metrics import METRICS, SECTIONS, SPARED, beside
from evaluation.statebench.grading.rubrics import DEFAULT_RUBRIC, TYPED
from evaluation.statebench.records import Timeline, TimelineRecord

CURVE = (16, 32, 64, 128, 256, 512, 1024, 2048, 8192)  # token budgets of a strategy's curve
TIE_BREAKER = Column.from_metric(SPARED)


def columns(rubric: str = DEFAULT_RUBRIC) -> tuple[Column, ...]:
    """The columns of a board, from the metrics as they are now: the headline, then section by section.

    Args:
        rubric: The version's. All rubrics of free text share the columns of the newest.
    """
    chosen = rubric if rubric in TYPED else DEFAULT_RUBRIC
    return _columns((*METRICS[chosen], *beside(chosen)))


@lru_cache(maxsize=4)  # a board asks for them in every row
def _columns(metrics: tuple[Metric, ...]) -> tuple[Column, ...]:
    shown = [metric for metric in metrics if metric.section]
    return tuple(map(Column.from_metric, sorted(shown, key=lambda metric: SECTIONS.index(metric.section))))


CONTEXT_QUALITY = Scatter(
    "context-quality",
    "Coverage against dead facts shown",
    "Each point is a strategy; strategies at one place share a label. Contexts cover more further up, and show fewer "
    "superseded values further left.",
    across=Axis("dead_values", "Outdated facts in context", better="lower"),
    up=Axis("coverage", "Coverage"),
)


def _contexts_over_budgets(
    system: str, rows: Iterable[Row], records: Iterable[GradingRecord]
) -> list[dict[str, object]]:
    """Coverage, resurrection, dead and live values and tokens of a strategy's contexts, at each budget."""
    from evaluation.statebench.strategies.measure import (  # builds contexts, a board does not
        ALL,
        measure_records,
    )

    known = {record["timeline_id"]: record for record in cast(Iterable[TimelineRecord], records)}
    pairs = ((row, known[row["id"]]) for row in cast(Iterable[Timeline], rows))
    return [row for row in measure_records(pairs, system, CURVE) if row["track"] == ALL]


#: Strategies build a context and send it as their answer: nobody decides, and what the grader reads as a decision is
#: what the text happens to say. So they are shown by what their contexts hold (`strategies.measure`).
UNRANKED = {
    "strategy": Unranked(
        reason="no model decides",
        title="Strategies without a model",
        about="A strategy without a model decides nothing: it answers with the context that it would show a model.",
        measure=_contexts_over_budgets,
        measures=(
            Column(
                "coverage",
                "Coverage",
                "Of the phrases that an answer has to mention: those in the context.",
                counts=("phrase", "phrases"),
            ),
            Column(
                "live_values",
                "Current facts in context",
                "Of the values of facts that hold: those in the context.",
                counts=("value", "values"),
            ),
            Column(
                "dead_values",
                "Outdated facts in context",
                "Of the values of superseded facts: those in the context.",
                better="lower",
                counts=("value", "values"),
            ),
            Column(
                "resurrection",
                "Resurrection",
                "Queries whose context holds a phrase that an answer must not mention.",
                better="lower",
                counts=("query", "queries"),
            ),
            Column(
                "tokens_mean",
                "Tokens",
                "Mean length of a context, in tokens.",
                better="lower",
                format="count",
            ),
        ),
        columns=(
            "sfrr",
            "must_mention_rate",
            "must_not_mention_violation_rate",
            "leakage_rate",
            "avg_tokens",
        ),
        plot=CONTEXT_QUALITY,
    ),
}
