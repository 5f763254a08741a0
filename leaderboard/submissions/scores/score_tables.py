"""Tables of a score for pages: metrics with intervals, groups, failures, requirements."""

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
Ends = Sequence[float] | None  # a stored interval: JSON has lists for tuples
Steps = Sequence[tuple[str, float | None]]
MetricCell = tuple[Column, Any, Interval]
#: Number of metrics that a page shows first: three screens of a phone.
FIRST = 12
#: Stands for a missing group.
NO_FIGURES: Figures = {"metrics": {}, "intervals": {}}
#: Grouping -> group -> its metrics, as in `Report.groups`.
Groups = Mapping[str, Mapping[str, Figures]]


class FigureLine(NamedTuple):
    """A metric of a score with its interval, denominator and chance level."""

    column: Column
    value: Any  # None is "not reported"
    interval: Interval
    denominator: int | None  # number of rows or other items; None: unknown or not applicable
    chance: float | None  # score of random choice on the same rows; None: unknown


def metrics(version: Version, score: Score, kind: str = "") -> list[MetricCell]:
    """Return (column, value, interval) of each metric, in the suite's order. Values that are not reported are None."""
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
    """Return the metrics with denominators and chance levels. Scores of earlier releases have no denominators."""
    over, definitions = score_sums.denominators(bytes(score.metric_sums)), version.bound.metrics
    return [
        FigureLine(
            *cell,
            _shown_denominator(version, cell, _denominator(cell[0], score.metrics, over, definitions)),
            score.metrics.get(cell[0].chance) if cell[0].chance else None,
        )
        for cell in metrics(version, score, kind)
    ]


def _shown_denominator(version: Version, cell: MetricCell, denominator: int | None) -> int | None:
    if denominator is None or not version.shown_step:
        return denominator
    return None if cell[1] is None else shown.count(version, denominator)


def _denominator(
    column: Column,
    values: Mapping[str, Number],
    over: Mapping[str, float],
    definitions: Mapping[str, Metric],
) -> int | None:
    if column.part_of:
        whole = values.get(column.part_of)
        return None if whole is None or values.get(column.name) is None else int(whole)
    definition, weight = definitions.get(column.name), over.get(column.name)
    if definition is None or weight is None or not definition.has_denominator or not weight.is_integer():
        return None
    return int(weight)


def first_and_others(lines: Sequence[FigureLine]) -> tuple[list[FigureLine], list[FigureLine]]:
    """Split the metrics into at most FIRST to show first, such as the headline, and all other metrics."""
    of_suite = [line for line in lines if line.column.first] or lines
    reported = [line for line in of_suite if line.value is not None and not line.column.headline]
    first = ([line for line in lines if line.column.headline] + reported)[:FIRST]
    names = {line.column.name for line in first}
    return first, [line for line in lines if line.column.name not in names]


def decompositions(version: Version, score: Score) -> list[tuple[Mark, Steps]]:
    """Return the charts that explain the score step by step: (description of the chart, values to draw)."""
    display = version.suite.display
    pairs = [
        (display.steps, display.decomposition(score.metrics)),
        (display.own_steps, display.own_decomposition(score.metrics)),
    ]
    return [(mark, steps) for mark, steps in pairs if mark and steps]


def interval(intervals: Mapping[str, Ends], name: str) -> Interval:
    """Return the stored interval, or None if its ends are equal, because it then says nothing about the error."""
    ends = intervals.get(name)
    return (ends[0], ends[1]) if ends and ends[0] != ends[1] else None


def reportable(submission: Submission, group: Figures) -> Figures:
    """Return the metrics of a group. A metric that is not valid for the kind of the system is None."""
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
    """Return (column, value, interval) of a group for each column. Values that are not reported are None."""
    intervals = group.get("intervals") or {}  # old graders stored none
    return [
        (column, group["metrics"].get(column.name), interval(intervals, column.name)) for column in columns
    ]


def label(name: str) -> str:
    """Return a name in words: `wrong_value` becomes `Wrong value`."""
    return name.replace("_", " ").capitalize()


def failures(submission: Submission, score: Score) -> list[tuple[str, str, int, str]]:
    """Return (code, label, number of rows, link to these rows) of each failure, most frequent first."""
    rows = reverse("leaderboard:submission_rows", args=[submission.pk])
    counted = sorted(score.failures.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(code, label(code), count, f"{rows}?{urlencode({'failure': code})}") for code, count in counted]


def splits(submission: Submission) -> tuple[list[Column], list[tuple[str, list[MetricCell]]]] | None:
    """Return the columns, and (split, cells) of each line, or None if fewer than two splits have metrics."""
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
    """Return the name of the grouping by split. Empty if the version has none."""
    facets = version.bound.facets(version.conditions)
    splits = set(version.conditions)
    named = ((each.name, {part for part, _ in each.choices} | {each.default}) for each in facets)
    return next((name for name, parts in named if parts - {""} == splits), "")


def gates_of(submission: Submission, score: Score | None) -> list[Gate]:
    return judged(submission.version, score) if score else []


def judged(version: Version, score: Score) -> list[Gate]:
    """Return the requirements for a rank. Exact values decide if they are met, and their texts quote rounded values."""
    if not score.by_split:  # their metrics are hidden; the standing says if a gate failed
        return []
    gates = version.bound.gates(score.metrics, score.intervals)
    if len(score.gates) != len(gates):
        return gates
    return [replace(gate, state=state) for gate, state in zip(gates, score.gates, strict=True)]
