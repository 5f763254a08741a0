"""Commands of GoldEvidenceBench. `evaluation.cli` maps each command to its suite."""

from __future__ import annotations


def words(text: str) -> list[str]:
    """The words of a comma-separated option."""
    return [word.strip() for word in text.split(",") if word.strip()]
