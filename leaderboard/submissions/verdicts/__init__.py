"""Verdicts on single rows, stored as Parquet (`files`) and shown in pages (`pages`)."""

from __future__ import annotations

from leaderboard.submissions.verdicts.pages import (
    Filters,
    batch,
    choices,
    page,
    redacted_splits,
    why_withheld,
)

__all__ = ["Filters", "batch", "choices", "page", "redacted_splits", "why_withheld"]
