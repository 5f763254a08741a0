"""Commands of GoldEvidenceBench. `evaluation.cli` maps each command to its suite."""

from __future__ import annotations


def words(text: str) -> list[str]:
    """Split a comma-separated option into its parts."""
    return [word.strip() for word in text.split(",") if word.strip()]
