"""Pace, duration, cost and provenance of a run as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from evaluation.adapters.estimate import duration as in_words
from evaluation.core import row_states
from leaderboard.benchmarks.models import Version
from leaderboard.runs import provenance

register = template.Library()
register.filter("counted", row_states.counted)
register.filter("unanswered_note", row_states.note)
register.simple_tag(row_states.described, name="row_states")

#: Label, key of `Submission.efficiency`, format, and whether it is a total to divide by the queries.
COSTS = (
    ("Tokens per query", "tokens_per_query", "count", False),
    ("Evaluated per query", "evaluated_tokens_per_query", "count", False),
    ("Prompt tokens from the cache", "reuse_ratio", "ratio", False),
    ("Prefill per query", "prefill_s", "seconds", True),
    ("Decode per query", "decode_s", "seconds", True),
    ("Wall clock per query", "wall_s_per_query", "seconds", False),
    ("Cost of the run", "cost", "ratio", False),
)


@register.filter
def duration(seconds: float | None) -> str:
    """`75` -> `1 min 15 s`; empty if unknown."""
    return in_words(seconds) if seconds is not None else ""


@register.filter
def pace(rate: float | None) -> str:
    """Rows per second, or seconds per row if that reads better."""
    if not rate:
        return ""
    if rate >= 100:
        return f"{rate:,.0f} rows/s"
    return f"{rate:.1f} rows/s" if rate >= 1 else f"{1 / rate:,.1f} s per row"


@register.simple_tag
def costs(efficiency: Mapping[str, float | None], rows: int) -> list[tuple[str, float, str]]:
    """The measured costs of a result as (label, value, format)."""
    measured = []
    for label, key, kind, total in COSTS:
        value = efficiency.get(key)
        if value is not None and (not total or rows):
            measured.append((label, value / rows if total else value, kind))
    return measured


@register.simple_tag
def provenance_lines(made: Mapping[str, object], version: Version) -> list[tuple[str, Any, bool]]:
    return provenance.lines(made, version.suite)


@register.filter
def unanswered(states: Mapping[str, int]) -> str:
    """`37 of 480 rows hold no readable answer …; they count as wrong.`; empty if all are answered."""
    return row_states.sentence(states, graded=True)


@register.filter
def at_key(mapping: Mapping[str, object], key: str) -> Any:
    return mapping.get(key)


@register.filter
def pairs(settings: Mapping[str, object]) -> list[tuple[str, str]]:
    """Settings as (name, text), sorted by name."""
    return [(name, "–" if value in ("", None) else str(value)) for name, value in sorted(settings.items())]
