"""A score as a page reads it: metrics with intervals, group tables, failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict
from urllib.parse import urlencode

import numpy as np
from django.urls import reverse

from evaluation.core.statistics import ENOUGH_UNITS
from evaluation.core.suite import Column, Gate
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Score, Submission

#: What the table by condition shows: the decomposition and what explains it.
IN_CONDITION_TABLE = {
    "exact_acc",
    "value_acc",
    "gold_present_rate",
    "selection_rate",
    "accuracy_when_gold_present",
    "answer_acc_given_gold_selected",
    "selected_note_rate",
    "wrong_update_rate",
    "abstain_recall",
}
Interval = tuple[float, float] | None
MetricCell = tuple[Column, Any, Interval]


class Figures(TypedDict):
    """The figures of a score, or of one group of its rows: by the names of the suite's columns."""

    metrics: dict[str, Any]
    intervals: dict[str, Any]


def metrics(version: Version, score: Score) -> list[MetricCell]:
    """Every column of the suite with its value and interval; None is "not reported"."""
    columns = version.suite.columns
    return [
        (column, score.metrics.get(column.name), interval(score.intervals, column.name)) for column in columns
    ]


def interval(intervals: dict[str, Any], name: str) -> Interval:
    """The interval of a figure; None where it has none.

    Where every unit has the same figure, resampling finds ends that are equal: that is not certainty, and no interval.
    """
    found = intervals.get(name)
    return (found[0], found[1]) if found and found[0] != found[1] else None


def few_units(score: Score) -> int:
    """How many units the headline of a score is over, where they are too few for an interval to be believed; else 0."""
    units = int(np.count_nonzero(np.frombuffer(bytes(score.unit_scores), dtype=np.float32)[1::2]))
    return units if units < ENOUGH_UNITS else 0


def groups(
    version: Version, score: Score
) -> list[tuple[str, list[Column], list[tuple[str, list[MetricCell]]]]]:
    """(grouping, columns, [(group, readings)]); columns that no group reports are left out."""
    tables = []
    for grouping, members in score.groups.items():
        if not members:
            continue
        columns = [
            column
            for column in version.suite.columns
            if any(group["metrics"].get(column.name) is not None for group in members.values())
        ]
        lines = [(name, readings(columns, group)) for name, group in members.items()]
        tables.append((label(grouping), columns, lines))
    return tables


def readings(columns: Sequence[Column], group: Figures) -> list[MetricCell]:
    """What a group reports under each of these columns. One that an old grader made may hold no intervals."""
    intervals = group.get("intervals") or {}
    return [
        (column, group["metrics"].get(column.name), interval(intervals, column.name)) for column in columns
    ]


def label(name: str) -> str:
    """A code as words: `wrong_value` -> `Wrong value`."""
    return name.replace("_", " ").capitalize()


def failures(submission: Submission, score: Score) -> list[tuple[str, str, int, str]]:
    """(code, label, rows, link to those rows), most frequent first."""
    rows = reverse("leaderboard:submission_rows", args=[submission.pk])
    counted = sorted(score.failures.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(code, label(code), count, f"{rows}?{urlencode({'failure': code})}") for code, count in counted]


def conditions(submission: Submission) -> tuple[list[Column], list[tuple[str, list[MetricCell]]]] | None:
    """(columns, [(condition, readings)]) of a submission whose version has candidate conditions."""
    members = submission.score.groups.get("condition", {}) if submission.score else {}
    if len(members) < 2:
        return None
    columns = [
        column
        for column in submission.version.suite.columns
        if column.name in IN_CONDITION_TABLE
        and any(group["metrics"].get(column.name) is not None for group in members.values())
    ]
    return columns, [(name, readings(columns, group)) for name, group in members.items()]


def gates_of(submission: Submission, score: Score | None) -> list[Gate]:
    """The gates as a score passed or failed them; empty before the first grading."""
    engine = submission.version.suite
    return engine.gates(score.metrics, score.intervals) if score else []
