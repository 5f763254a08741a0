"""Divides a board's rows into groups: by splits, or else by the parts of another facet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.core.records import Figures
from evaluation.core.suite import Column, Facet
from leaderboard.benchmarks.models import Version
from leaderboard.boards import slices
from leaderboard.boards.charts.figure import value_of
from leaderboard.submissions.scores.score_tables import NO_FIGURES, label, split_grouping

GroupFigure = tuple[float | None, float | None, float | None]  # value, low, high


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups into which a version's rows are divided, in the order of the version."""

    grouping: str  # of `Report.groups`
    noun: str  # singular, lower case
    labels: Mapping[str, str]  # group -> unique label
    columns: Mapping[str, Column]  # group -> column of its figure
    are_splits: bool  # then the page of rows can list one group

    def figures(self, members: Mapping[str, Figures]) -> dict[str, GroupFigure]:
        """Map each reported group of a score to (value, low, high). Without an interval, low and high are None."""
        found = dict[str, GroupFigure]()
        for name, column in self.columns.items():
            figures = value_of(members.get(name) or NO_FIGURES, column.name)
            if figures[0] is not None:
                found[name] = figures
        return found


def groups_of(version: Version) -> Groups | None:
    """The groups of a version: its splits, or with only one split the parts of another facet. None without either."""
    grouping = split_grouping(version)
    if grouping and len(version.conditions) > 1:
        noun = _facet(version, grouping).label.lower()
        return _groups(version, grouping, noun, _split_labels(version), are_splits=True)
    for facet in slices.facets_of(version):
        if facet.name != grouping and len(facet.choices) > 1:
            return _groups(version, facet.name, "part", dict(facet.choices), are_splits=False)
    return None


def _facet(version: Version, name: str) -> Facet:
    return next(facet for facet in slices.facets_of(version) if facet.name == name)


def _groups(
    version: Version, grouping: str, noun: str, labels: Mapping[str, str], *, are_splits: bool
) -> Groups:
    columns = {name: version.bound.headline(name) if are_splits else version.headline for name in labels}
    return Groups(grouping, noun, labels, columns, are_splits)


def _split_labels(version: Version) -> dict[str, str]:
    named = version.suite.display.splits.named
    called = {
        name: named(version.settings, name).name if named else label(name) for name in version.conditions
    }
    times = Counter(called.values())
    return {name: text if times[text] == 1 else f"{text} ({name})" for name, text in called.items()}
