"""What every picture is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse

from evaluation import frames
from evaluation.core.records import Figures
from leaderboard.benchmarks.models import Version
from leaderboard.boards.charts.marks import Trace
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.submissions.scores.score_tables import Groups, interval

if TYPE_CHECKING:
    from pandas import DataFrame

RATES = (-0.03, 1.05)  # an axis from 0 to 1 that never hides what is at its ends


@dataclass(frozen=True, slots=True)
class Subject:
    """What is drawn: a system on a version, by the submission its board shows."""

    system: System
    version: Version
    submission: Submission

    @property
    def score(self) -> Score | None:
        return self.submission.score

    def groups(self, grouping: str) -> Mapping[str, Figures]:
        """The figures of each group of the score."""
        groups: Groups = self.score.groups if self.score else {}
        return groups.get(grouping, {})


def value_of(group: Figures, metric: str) -> tuple[float | None, float | None, float | None]:
    """A figure and its interval as three cells of a line.

    Args:
        group: The `metrics` and the `intervals` of a score, or of one of its groups; of an old grader no intervals.
        metric: The key of the figure.

    Returns:
        (value, low, high); None is not reported, or no interval.
    """
    low, high = interval(group.get("intervals") or {}, metric) or (None, None)
    return group.get("metrics", {}).get(metric), low, high


@dataclass
class Figure:
    """The marks of a picture: a page has them as a table, and its picture as traces for Plotly.

    `draw` makes the traces: no page needs them, as it fetches pictures when they come into view. `empty` says why there
    is nothing to see.
    """

    sentence: str = ""  # what the picture shows, in one statement that holds; above the caption
    caption: str = ""
    marks: DataFrame | None = None
    headings: Mapping[str, str] = field(default_factory=dict)  # column of the marks -> how the table heads it
    links: Mapping[str, str] = field(
        default_factory=dict
    )  # column of the table -> that of the addresses it links to
    table: str = (
        ""  # what the table is, where it holds not just what is drawn: "The hardest items as a table"
    )
    whole: Callable[[], DataFrame] | None = None  # makes what the file of the figure holds; None: the marks
    draw: Callable[[], list[Trace]] = list
    layout: dict[str, object] = field(default_factory=dict)
    empty: str = ""
    elsewhere: tuple[str, str] | None = None  # (words, address): where there is such a picture, if not here
    irrelevant: bool = False
    name: str = ""
    title: str = ""

    @cached_property
    def traces(self) -> list[Trace]:
        """What Plotly draws."""
        return self.draw()

    @property
    def below(self) -> str:
        """What stands below the picture, for who does not see it."""
        return "a table is below" if self.table else "the same numbers are in the table below"

    @property
    def columns(self) -> list[str]:
        """The headings of the table."""
        return list(self.headings.values())

    @cached_property
    def rows(self) -> list[list[Any]]:
        """The lines of the table: a mark each."""
        return self._lines(list(self.headings))

    @cached_property
    def linked_rows(self) -> list[list[tuple[Any, str]]]:
        """The lines of the table, each cell with the address that it links to; empty: to none."""
        addresses = self._lines([self.links[name] for name in self.headings if name in self.links])
        places = [name in self.links for name in self.headings]
        return [
            _linked(row, places, urls)
            for row, urls in zip(self.rows, addresses or [[]] * len(self.rows), strict=True)
        ]

    def _lines(self, columns: list[str]) -> list[list[Any]]:
        if self.marks is None or not columns:
            return []
        return [list(row) for row in zip(*(frames.plain(self.marks[name]) for name in columns), strict=True)]

    def as_json(self) -> dict[str, object]:
        """What the browser draws, or why there is nothing to draw."""
        if self.empty:
            return {"empty": self.empty, "title": self.title}
        return {"data": self.traces, "layout": self.layout, "title": self.title}


def _linked(row: list[Any], places: list[bool], urls: list[str | None]) -> list[tuple[Any, str]]:
    """Each cell with its address, which only some places have."""
    left = iter(urls)
    return [(cell, (next(left) or "") if has else "") for cell, has in zip(row, places, strict=True)]


def irrelevant() -> Figure:
    """This suite or version does not have what the picture shows: leave it out."""
    return Figure(irrelevant=True)


def figure_url(figure: Figure, submission: Submission) -> str:
    """Where the browser fetches a figure from.

    Args:
        figure: Drawn, so that it has its name.
        submission: Which it shows, with its system and the owner of that.

    Returns:
        The path on this site, with its query.
    """
    system = submission.system
    path = reverse("leaderboard:system_figure", args=[system.owner.get_username(), system.slug, figure.name])
    return f"{path}?{urlencode({'submission': str(submission.pk)})}"


def rate_axis(title: str) -> dict[str, object]:
    """An axis of rates."""
    return {"title": {"text": title}, "range": list(RATES), "tickformat": ".0%", "zeroline": False}
