"""The verdicts of scores: kept as Parquet (`files`), shown a page at a time (`pages`)."""

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
