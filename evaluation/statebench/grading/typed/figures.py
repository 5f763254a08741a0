"""Metrics of rubric `typed@1`, and the arrays from which they are computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.core.metric import Array, Metric, RowFunction, every
from evaluation.statebench.data.typed_gold import VALUE
from evaluation.statebench.grading.verdict import TypedFigures, Verdict

_NOTHING = TypedFigures(False, None, "none", None, "")
#: Columns in the order of `_flags`.
_COLUMNS = (
    "typed",
    "asks_value",
    "value_right",
    "shown",
    "evidenced",
    "can_be_stale",
    "stale",
    "prose",
    "prose_right",
)


def typed_columns(verdicts: Sequence[Verdict]) -> dict[str, Array]:
    """Convert verdicts to arrays for the metrics of rubric `typed@1`, as booleans, [queries] each.

    Args:
        verdicts: One per query, of rubric `typed@1`.
    """
    table = np.array([_flags(verdict) for verdict in verdicts], dtype=np.bool_).reshape(-1, len(_COLUMNS))
    return dict(zip(_COLUMNS, table.T, strict=True))


def _flags(verdict: Verdict) -> tuple[bool, ...]:
    found, gold = verdict.typed or _NOTHING, verdict.truth.answer
    asks_value = gold is not None and gold["decision"] == VALUE
    return (
        found.answered,
        asks_value,
        asks_value and found.value is True,
        found.answered and verdict.correct and gold is not None and bool(gold["live"]),
        found.evidence == "live",
        found.answered and gold is not None and bool(gold["dead"]),
        verdict.resurrected,
        found.free_text is not None,
        found.free_text is True,
    )


def typed_metrics(section: str) -> tuple[Metric, ...]:
    return (
        Metric(
            "decision_accuracy",
            "Decision accuracy",
            "Share of queries with the right typed decision, and the right value where one is asked for. The headline "
            "metric. A line without a typed answer is wrong.",
            every,
            field("correct"),
            headline=True,
            section=section,
        ),
        Metric(
            "value_accuracy",
            "Value accuracy",
            "Among queries that ask for a value: share with the right value, whatever the decision.",
            field("asks_value"),
            field("value_right"),
            first=True,
            section=section,
        ),
        Metric(
            "evidence_rate",
            "Evidence",
            "Among right decisions on queries with evidence: share that cite evidence, and only valid evidence.",
            field("shown"),
            field("evidenced"),
            first=True,
            section=section,
        ),
        Metric(
            "stale_rate",
            "Stale",
            "Among typed answers to queries with outdated evidence: share that give an outdated value or cite outdated "
            "evidence.",
            field("can_be_stale"),
            field("stale"),
            better="lower",
            first=True,
            section=section,
        ),
        Metric(
            "typed_rate",
            "Typed",
            "Share of queries with a typed answer.",
            every,
            field("typed"),
            split="all",
            first=True,
            section=section,
        ),
        Metric(
            "free_text_accuracy",
            "Free text",
            "Share of free-text answers with the right decision. The free-text rubric grades the first 80 words. Not "
            "ranked.",
            field("prose"),
            field("prose_right"),
            first=True,
            section=section,
        ),
    )


def field(name: str) -> RowFunction:
    return lambda columns: columns[name]
