"""A score as a page reads it: metrics with intervals, group tables, failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from evaluation.core.files.artifacts import builder
from evaluation.core.metric import Metric
from evaluation.core.plugin import Mark
from evaluation.core.records import Figures, Number
from evaluation.core.suite import Column, Gate
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores import score_sums

Interval = tuple[float, float] | None
Ends = Sequence[float] | None  # an interval as a score keeps it: JSON has lists for tuples
Steps = Sequence[tuple[str, float | None]]
MetricCell = tuple[Column, Any, Interval]
#: How many figures a page shows before all others: what a reader takes in at a glance, and a phone in three screens.
FIRST = 12


#: A group that is not there.
NO_FIGURES: Figures = {"metrics": {}, "intervals": {}}
#: grouping -> group -> its figures, as `Report.groups`.
Groups = Mapping[str, Mapping[str, Figures]]


class FigureLine(NamedTuple):
    """One figure of a score, with what it takes to read it."""

    column: Column
    value: Any  # None is "not reported"
    interval: Interval
    denominator: (
        int | None
    )  # of how many rows, or of what else the column counts; None: not known, or of none
    chance: float | None  # what choosing at random gets in the same rows; None: not known


def metrics(version: Version, score: Score, kind: str = "") -> list[MetricCell]:
    """Every column of the suite with its value and interval; where systems build first, those of artifacts too.

    Args:
        version: Whose suite it is.
        score: Of that version.
        kind: The system's. Of one that decides nothing, only the figures are reported that are true all the same.

    Returns:
        (column, value, interval) in the suite's order; None is "not reported".
    """
    unranked = version.suite.unranked.get(kind)
    builds = builder(version.suite, version.settings)
    columns = (*version.columns, *(builds.columns if builds else ()))
    return [
        (column, score.metrics.get(column.name), interval(score.intervals, column.name))
        if unranked is None or column.name in unranked.columns
        else (column, None, None)
        for column in columns
    ]


def figures(version: Version, score: Score, kind: str = "") -> list[FigureLine]:
    """The same with denominators and chance levels.

    Args:
        version: Whose suite it is.
        score: Of that version. An older one, which keeps no sums, has no denominators.
        kind: The system's, see `metrics`.

    Returns:
        A line of every column, in the suite's order.
    """
    over, definitions = (
        score_sums.denominators(bytes(score.metric_sums)),
        version.bound.metrics,
    )
    return [
        FigureLine(
            *cell,
            _shown_denominator(version, cell, _denominator(cell[0], score.metrics, over, definitions)),
            score.metrics.get(cell[0].chance) if cell[0].chance else None,
        )
        for cell in metrics(version, score, kind)
    ]


def _shown_denominator(version: Version, cell: MetricCell, denominator: int | None) -> int | None:
    """The denominator as a version shows it: rounded while it keeps its answers, None of a hidden figure."""
    if denominator is None or not version.shown_step:
        return denominator
    return None if cell[1] is None else shown.count(version, denominator)


def _denominator(
    column: Column,
    values: Mapping[str, Number],
    over: Mapping[str, float],
    definitions: Mapping[str, Metric],
) -> int | None:
    """How many things a figure is over, None where they cannot be counted."""
    if column.part_of:
        whole = values.get(column.part_of)
        return None if whole is None or values.get(column.name) is None else int(whole)
    definition, weight = definitions.get(column.name), over.get(column.name)
    if definition is None or weight is None or not definition.has_denominator or not weight.is_integer():
        return None
    return int(weight)


def first_and_others(lines: Sequence[FigureLine]) -> tuple[list[FigureLine], list[FigureLine]]:
    """The few figures that a page shows first, and all others.

    Args:
        lines: Of a score, in the suite's order.

    Returns:
        At most `FIRST`: the headline, then those that are reported of what the suite calls first, or of all where it
        calls none so; and what is left, in the suite's order.
    """
    of_suite = [line for line in lines if line.column.first] or lines
    reported = [line for line in of_suite if line.value is not None and not line.column.headline]
    first = ([line for line in lines if line.column.headline] + reported)[:FIRST]
    names = {line.column.name for line in first}
    return first, [line for line in lines if line.column.name not in names]


def decompositions(version: Version, score: Score) -> list[tuple[Mark, Steps]]:
    """The decompositions that a score reports: of candidate rows, and of the system's own retrieval.

    Args:
        version: Whose suite decomposes.
        score: Of that version.

    Returns:
        How a page marks each, and its steps.
    """
    display = version.suite.display
    pairs = [
        (display.steps, display.decomposition(score.metrics)),
        (display.own_steps, display.own_decomposition(score.metrics)),
    ]
    return [(mark, steps) for mark, steps in pairs if mark and steps]


def interval(intervals: Mapping[str, Ends], name: str) -> Interval:
    """The interval of a figure; None where it has none.

    Ends that are equal are none: every unit has the same mean, or an earlier method saw no row that differs.

    Args:
        intervals: Metric -> [low, high], as a score keeps them.
        name: Of the metric.
    """
    ends = intervals.get(name)
    return (ends[0], ends[1]) if ends and ends[0] != ends[1] else None


def groups(
    version: Version, score: Score, kind: str = ""
) -> list[tuple[str, list[Column], list[tuple[str, list[MetricCell]]]]]:
    """The groups of a score, a table a grouping.

    Args:
        version: Whose suite names the columns.
        score: Of that version.
        kind: The system's, see `metrics`.

    Returns:
        (title of the grouping, columns, [(group, readings)]); columns that no group reports are left out.
    """
    tables, unranked = [], version.suite.unranked.get(kind)
    reportable = [c for c in version.columns if unranked is None or c.name in unranked.columns]
    for grouping, members in score.groups.items():
        if not members:
            continue
        columns = [
            column
            for column in reportable
            if any(group["metrics"].get(column.name) is not None for group in members.values())
        ]
        lines = [(name, readings(columns, group)) for name, group in members.items()]
        tables.append((label(grouping), columns, lines))
    return tables


def reportable(submission: Submission, group: Figures) -> Figures:
    """The figures of a group; of a system that decides nothing only those that are true of it all the same.

    Args:
        submission: Whose score the group is of.
        group: Its figures.
    """
    kind = submission.version.suite.unranked.get(submission.system.kind)
    if kind is None:
        return group
    untrue = {column.name for column in submission.version.columns} - set(kind.columns)
    return {
        "metrics": group["metrics"] | dict.fromkeys(untrue & set(group["metrics"])),
        "intervals": {
            name: ends for name, ends in (group.get("intervals") or {}).items() if name not in untrue
        },
    }


def readings(columns: Sequence[Column], group: Figures) -> list[MetricCell]:
    """What a group reports under some columns.

    Args:
        columns: Of the suite.
        group: Its figures. One that an old grader made may hold no intervals.

    Returns:
        (column, value, interval) in the order of the columns; None is "not reported".
    """
    intervals = group.get("intervals") or {}
    return [
        (column, group["metrics"].get(column.name), interval(intervals, column.name)) for column in columns
    ]


def label(name: str) -> str:
    """A code as words: `wrong_value` -> `Wrong value`."""
    return name.replace("_", " ").capitalize()


def failures(submission: Submission, score: Score) -> list[tuple[str, str, int, str]]:
    """What went wrong with the rows of a submission, most frequent first.

    Args:
        submission: Whose page of rows the links lead to.
        score: The revision whose failures are counted.

    Returns:
        (code, label, rows, link to those rows) of each failure.
    """
    rows = reverse("leaderboard:submission_rows", args=[submission.pk])
    counted = sorted(score.failures.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(code, label(code), count, f"{rows}?{urlencode({'failure': code})}") for code, count in counted]


def splits(submission: Submission) -> tuple[list[Column], list[tuple[str, list[MetricCell]]]] | None:
    """(columns, [(split, readings)]) of a submission whose score has several splits."""
    members = submission.score.groups.get(split_grouping(submission.version), {}) if submission.score else {}
    if len(members) < 2:
        return None
    unranked = submission.version.suite.unranked.get(submission.system.kind)
    columns = [
        column
        for column in submission.version.columns
        if column.by_split
        and (unranked is None or column.name in unranked.columns)
        and any(group["metrics"].get(column.name) is not None for group in members.values())
    ]
    return (
        (columns, [(name, readings(columns, group)) for name, group in members.items()]) if columns else None
    )


def split_grouping(version: Version) -> str:
    """The grouping of a report whose groups are the splits of the version; empty where it has none such."""
    facets = version.bound.facets(version.conditions)
    splits = set(version.conditions)
    named = ((each.name, {part for part, _ in each.choices} | {each.default}) for each in facets)
    return next((name for name, parts in named if parts - {""} == splits), "")


def gates_of(submission: Submission, score: Score | None) -> list[Gate]:
    """The gates as a score passed or failed them.

    Args:
        submission: Whose suite sets the gates.
        score: The revision that they judge; None before the first grading.

    Returns:
        The gates; empty before the first grading, and where the suite has none.
    """
    return judged(submission.version, score) if score else []


def judged(version: Version, score: Score) -> list[Gate]:
    """The gates with rounded figures in their words, and the states that the exact ones gave them.

    Args:
        version: Whose suite sets the gates.
        score: Of that version.
    """
    if not score.by_split:  # none of their figures is shown; whether one failed, its place says
        return []
    gates = version.bound.gates(score.metrics, score.intervals)
    if len(score.gates) != len(gates):
        return gates
    return [replace(gate, state=state) for gate, state in zip(gates, score.gates, strict=True)]
