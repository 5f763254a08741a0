"""What constructed answers affirm."""

from __future__ import annotations

import pytest

from evaluation.statebench.grading.affirmed.judge import strict_4
from tests.evaluation.statebench.grading.affirmed.sentences import ALL, QUERIES

JUDGES = {query: strict_4(truth) for query, truth in QUERIES.items()}


@pytest.mark.parametrize(("kind", "query", "answer", "expected"), ALL)
def test_an_answer_is_judged_by_what_it_affirms(kind, query, answer, expected):
    verdict = JUDGES[query](answer)
    assert (verdict.correct, any(verdict.violations)) == expected, verdict.reason
