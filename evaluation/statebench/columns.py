"""What a board shows of StateBench: every figure, how to read it, and which way is better."""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.core.metric import Metric, column
from evaluation.core.suite import Column, Unranked
from evaluation.statebench.grading.metrics import METRICS, RELEASED_METRICS, SECTIONS


def columns(metrics: Iterable[Metric]) -> tuple[Column, ...]:
    """The columns of a board: the headline, then section by section."""
    shown = [metric for metric in metrics if metric.section]
    return tuple(map(column, sorted(shown, key=lambda metric: SECTIONS.index(metric.section))))


COLUMNS = columns((*METRICS["strict"], *RELEASED_METRICS))
TIE_BREAKER = Column(
    "spared_rate",
    "Spared",
    "Queries answered without bringing a superseded fact back, of all that could: 1 − SFRR where all are answered.",
)
#: Strategies build a context and send it as their answer: nobody decides, and what the grader reads as a decision is
#: what the text happens to say. So they are shown by what their contexts hold (`strategies.measure`).
UNRANKED = {
    "strategy": Unranked(
        reason="no model decides",
        title="Strategies without a model",
        about="A strategy without a model decides nothing: it answers with the context that it would show a model.",
        measures=(
            Column(
                "coverage", "Coverage", "Of the phrases that an answer has to mention: those in the context."
            ),
            Column(
                "live_values", "Live facts shown", "Of the values of facts that hold: those in the context."
            ),
            Column(
                "dead_values",
                "Dead facts shown",
                "Of the values of superseded facts: those in the context.",
                better="lower",
            ),
            Column(
                "resurrection",
                "Resurrection",
                "Queries whose context holds a phrase that an answer must not mention.",
                better="lower",
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
    ),
}
