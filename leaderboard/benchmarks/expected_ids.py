"""The row ids that predictions files must have, cached in memory, because frozen versions never change."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from evaluation.core.suite import ExpectedRows, get_suite
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version


def expected_rows(version: Version) -> ExpectedRows:
    """The rows that a predictions file of the version must answer."""
    return _expected(version.benchmark.suite, version.gold_sha256, version.disclosure.hides_splits)


@lru_cache(maxsize=16)
def _expected(name: str, gold_sha256: str, by_form: bool) -> ExpectedRows:
    suite = get_suite(name)
    expected = suite.expected(storage.rows(gold_sha256), lines=True)
    if not by_form:
        return expected
    forms = {row_id: suite.form_of(split) for row_id, split in expected.splits.items()}
    return replace(expected, forms=forms)
