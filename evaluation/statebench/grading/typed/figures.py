"""The figures of rubric `typed@1`, and the columns that they are computed from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.core.metric import Array, Columns, Metric, RowFunction, every
from evaluation.statebench.data.typed_gold import VALUE
from evaluation.statebench.grading.verdict import TypedFigures, Verdict

_NOTHING = TypedFigures(False, None, "none", None, "")
#: Column -> when a verdict has it.
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
    """What typed verdicts say, as arrays.

    Args:
        verdicts: One a query, of rubric `typed@1`.

    Returns:
        The columns of this rubric's own metrics, as booleans, [queries] each.
    """
    table = np.array([_flags(verdict) for verdict in verdicts], dtype=np.bool_).reshape(-1, len(_COLUMNS))
    return dict(zip(_COLUMNS, table.T, strict=True))


def _flags(verdict: Verdict) -> tuple[bool, ...]:
    found, gold = verdict.typed or _NOTHING, verdict.truth.answer
    asks_value = gold is not None and gold["decision"] == VALUE
    return (
        found.typed,
        asks_value,
        asks_value and found.value is True,
        found.typed and verdict.correct and gold is not None and bool(gold["live"]),
        found.evidence == "live",
        found.typed and gold is not None and bool(gold["dead"]),
        verdict.resurrected,
        found.free_text is not None,
        found.free_text is True,
    )


def typed_metrics(section: str) -> tuple[Metric, ...]:
    """The figures of typed answers, under a heading of a page."""
    return (
        Metric(
            "decision_accuracy",
            "Decision accuracy",
            "The typed decision is right, with its value where a value is asked for: the headline. A line without a "
            "typed answer decides nothing.",
            every,
            _field("correct"),
            headline=True,
            section=section,
        ),
        Metric(
            "value_accuracy",
            "Value accuracy",
            "Of the queries that ask for a value: those whose value is right, whatever the decision is called.",
            _field("asks_value"),
            _field("value_right"),
            first=True,
            section=section,
        ),
        Metric(
            "evidence_rate",
            "Evidence",
            "Of the right decisions on queries that have evidence: those that cite some, and nothing but what holds.",
            _field("shown"),
            _field("evidenced"),
            first=True,
            section=section,
        ),
        Metric(
            "stale_rate",
            "Stale",
            "Of the typed answers to queries about something outdated: those that give an outdated value or cite "
            "outdated evidence.",
            _field("can_be_stale"),
            _field("stale"),
            better="lower",
            first=True,
            section=section,
        ),
        Metric(
            "typed_rate",
            "Typed",
            "Queries with a typed answer.",
            every,
            _field("typed"),
            split="all",
            first=True,
            section=section,
        ),
        Metric(
            "free_text_accuracy",
            "Free text",
            "Of the queries answered in free text: right decisions by the rubric of free text, from the first 80 "
            "words. Not ranked.",
            _field("prose"),
            _field("prose_right"),
            first=True,
            section=section,
        ),
    )


def _field(name: str) -> RowFunction:
    def column(columns: Columns) -> Array:
        return columns[name]

    return column
