"""Metrics of a score by groups of rows, such as the splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.core.records import Figures, Number
from evaluation.core.suite import Column
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown
from leaderboard.submissions.models import Score
from leaderboard.submissions.scores.score_tables import (
    Interval,
    MetricCell,
    interval,
    label,
    readings,
    split_grouping,
)

#: Metrics with the number of rows of a group.
ROW_COUNTS = ("n", "total_queries")


@dataclass(frozen=True, slots=True)
class Group:
    name: str  # in `Report.groups`
    column: Column | None  # column of `value`
    label: str
    value: Number | None
    interval: Interval
    rows: int | None  # None: not counted


@dataclass(frozen=True, slots=True)
class Grouping:
    """The metrics of a score by groups of rows that differ in one property."""

    name: str  # in `Report.groups`
    label: str
    column: Column  # column of most groups' values
    groups: Sequence[Group]
    columns: Sequence[Column]  # columns that any group reports
    lines: Sequence[tuple[str, list[MetricCell]]]  # (label of the group, readings under `columns`)
    is_of_lengths: bool  # groups are text lengths, alone or combined


def choices(version: Version, score: Score) -> list[tuple[str, str]]:
    """Return (name, label) of each grouping of a score: by split first, groupings with a single group last."""
    first = split_grouping(version)
    names = sorted(
        (name for name, members in score.groups.items() if members),
        key=lambda name: (len(score.groups[name]) < 2, name != first),
    )
    labels = {facet.name: facet.label for facet in version.bound.facets(version.conditions)}
    labels.setdefault(first, label(version.suite.display.splits.noun))
    return [(name, labels.get(name) or label(name)) for name in names]


def grouping(version: Version, score: Score, kind: str = "", by: str = "") -> Grouping | None:
    """Return the grouping named `by`, else the first grouping. Returns None if no metric is reported.

    Metrics that are not valid for systems of this `kind` are left out.
    """
    known = dict(choices(version, score))
    if not known:
        return None
    name = by if by in known else next(iter(known))
    members = score.groups[name]
    unranked = version.suite.unranked.get(kind)
    columns = [
        column
        for column in version.columns
        if (unranked is None or column.name in unranked.columns) and _is_reported(column, members)
    ]
    if not columns:
        return None
    labels = _labels(version, name, members)
    headlines = _headlines(version, name, members, columns)
    groups = [
        _group(version, each, labels[each], figures, headlines.get(each)) for each, figures in members.items()
    ]
    of_most = next((column for column in headlines.values() if column.headline), None)
    column = of_most or next(iter(headlines.values()), version.headline)
    lines = [(labels[each], readings(columns, figures)) for each, figures in members.items()]
    lengths = {rung.split for rung in version.bound.rungs}
    of_lengths = any(each.partition("|")[0] in lengths for each in members)
    return Grouping(name, known[name], column, groups, columns, lines, of_lengths)


def _is_reported(column: Column, members: Mapping[str, Figures]) -> bool:
    return any(group["metrics"].get(column.name) is not None for group in members.values())


def _headlines(
    version: Version, name: str, members: Mapping[str, Figures], columns: Sequence[Column]
) -> dict[str, Column]:
    known = {column.name for column in columns}
    own = version.bound.headline if name == split_grouping(version) else lambda _: version.headline
    found = {each: column for each in members if (column := own(each)).name in known}
    rate = next((column for column in columns if column.format == "ratio"), None)
    return found or (dict.fromkeys(members, rate) if rate else {})


def _group(version: Version, name: str, label: str, figures: Figures, column: Column | None) -> Group:
    metric = column.name if column else ""
    metrics, ends = figures["metrics"], interval(figures.get("intervals") or {}, metric)
    value = metrics.get(metric)
    counted = next((count for key in ROW_COUNTS if (count := metrics.get(key)) is not None), None)
    rows = None if counted is None else int(counted)
    if version.shown_step:
        # Exact numbers of rows could reveal secret answers.
        rows = None if rows is None or value is None else shown.count(version, rows)
    return Group(name, column, label, value, ends, rows)


def _labels(version: Version, name: str, members: Mapping[str, Figures]) -> dict[str, str]:
    named = version.suite.display.splits.named
    if name == split_grouping(version) and named:
        return {each: named(version.settings, each).name for each in members}
    facets = {facet.name: dict(facet.choices) for facet in version.bound.facets(version.conditions)}
    known = facets.get(name, {})
    return {each: known.get(each) or each.replace("|", " · ").replace("_", " ") for each in members}
