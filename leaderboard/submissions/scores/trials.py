"""Metrics of trials. A trial is a run over some of the rows, and its metrics are over these rows only.

Earlier releases graded trials over all rows, and counted the other rows as wrong. Until such a trial is graded again,
its metrics are hidden, and pages show only the number of right rows.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.core.sealing.rounding import LEAST_ROWS, expected_step, rounded, rounded_interval
from evaluation.core.statistics.power import version_power
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.models.score import ScoreColumns

NOT_ASKED = "missing"  # the failure of a row without a prediction

Failure = tuple[str, str, int, str]


@dataclass(frozen=True, slots=True)
class Trial:
    """Summary of a trial. `asked` is the number of its rows, `rows` the number of all rows of the version."""

    asked: int
    rows: int
    right: int | None  # None: hidden
    failures: Sequence[Failure]
    over_own_rows: bool


def trial_of(submission: Submission, score: Score | None, failures: Sequence[Failure]) -> Trial | None:
    """Return the summary of a graded trial, else None. `failures` are those of `score_tables.failures`."""
    if score is None or not submission.is_trial:
        return None
    asked, rows = submission.row_count, submission.version.row_count
    told = not submission.version.shown_step
    graded = rows if score.asked is None else score.asked
    not_asked = sum(count for code, _, count, _ in failures if code == NOT_ASKED)
    right = graded - sum(count for _, _, count, _ in failures)
    return Trial(
        asked,
        rows,
        right if told and not_asked == graded - asked else None,
        [each for each in failures if each[0] != NOT_ASKED] if told else [],
        submission.is_over_own_rows(score),
    )


def readable(submission: Submission, score: Score) -> Score:
    """Return the score. If it is of a trial that was graded over all rows, the metrics are removed."""
    if submission.is_over_own_rows(score):
        return score
    without = copy.copy(score)
    without.metrics, without.intervals, without.groups, without.failures = {}, {}, {}, {}
    without.metric_sums = b""
    return without


def sealed_figures(version: Version, exact: ScoreColumns, unit_scores: bytes) -> dict[str, object]:
    """Return columns with only the rounded headline (None for few rows). `unit_scores` has (sum, rows) of each unit."""
    of_units = np.frombuffer(unit_scores, np.float32).reshape(-1, 2)[:, 1]
    rows, value, ends = int(of_units.sum()), None, None
    if exact["headline"] is not None and rows >= LEAST_ROWS:
        units = int(np.count_nonzero(of_units))
        arm = version_power(units, rows).plus_minus
        value = rounded(exact["headline"], step := expected_step(units, rows))
        ends = rounded_interval(max(0.0, value - arm), min(1.0, value + arm), step)
    name = version.headline.name
    nothing: dict[str, object] = {"groups": {}, "spread": [], "failures": {}, "gated": False}
    return nothing | {"headline": value, "metrics": {name: value}, "intervals": {name: ends}}
