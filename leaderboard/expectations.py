"""What a predictions file for a version has to hold, kept in memory: a frozen version never changes."""

from __future__ import annotations

from functools import lru_cache

from evaluation.suites import Expected, Suite
from leaderboard import storage
from leaderboard.models import Version


def of(version: Version) -> Expected:
    """The row ids to answer, each with its condition."""
    return _expected(version.benchmark.engine, version.gold_sha256)


@lru_cache(maxsize=16)
def _expected(suite: Suite, gold_sha256: str) -> Expected:
    return suite.expected(storage.rows(gold_sha256))
