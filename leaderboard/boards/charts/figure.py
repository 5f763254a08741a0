"""Parts that all charts share."""

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

RATES = (-0.03, 1.05)  # an axis from 0 to 1 that does not cut off points at its ends


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a chart: a system on a version, with the submission that represents it on the board."""

    system: System
    version: Version
    submission: Submission

    @property
    def score(self) -> Score | None:
        return self.submission.score

    def groups(self, grouping: str) -> Mapping[str, Figures]:
        groups: Groups = self.score.groups if self.score else {}
        return groups.get(grouping, {})


def value_of(group: Figures, metric: str) -> tuple[float | None, float | None, float | None]:
    """Value, low end and high end of a metric, each None if not reported. Old graders wrote no intervals."""
    low, high = interval(group.get("intervals") or {}, metric) or (None, None)
    return group.get("metrics", {}).get(metric), low, high


@dataclass
class Figure:
    """A chart: data shown as a table, and traces for Plotly. If there is no chart, `empty` is the reason.

    `draw` is lazy: a page needs only the table, and fetches a chart when it scrolls into view.
    """

    sentence: str = ""  # the finding in one supported statement, above the caption
    caption: str = ""
    marks: DataFrame | None = None
    headings: Mapping[str, str] = field(default_factory=dict)  # column of the marks -> heading in the table
    #: Column of the table -> the column with the addresses it links to.
    links: Mapping[str, str] = field(default_factory=dict)
    table: str = ""  # title of the table if it has more than is drawn: "The hardest items as a table"
    whole: Callable[[], DataFrame] | None = None  # makes the contents of the download; None: the marks
    draw: Callable[[], list[Trace]] = list
    layout: dict[str, object] = field(default_factory=dict)
    empty: str = ""
    elsewhere: tuple[str, str] | None = None  # (words, address) of a page with such a chart, if not here
    irrelevant: bool = False
    name: str = ""
    title: str = ""

    @cached_property
    def traces(self) -> list[Trace]:
        return self.draw()

    @property
    def below(self) -> str:
        """Clause in the chart's text alternative that says where its numbers are listed."""
        return "a table is below" if self.table else "the same numbers are in the table below"

    @property
    def columns(self) -> list[str]:
        return list(self.headings.values())

    @cached_property
    def rows(self) -> list[list[Any]]:
        return self._lines(list(self.headings))

    @cached_property
    def linked_rows(self) -> list[list[tuple[Any, str]]]:
        """The lines of the table. Each cell is a pair of value and URL; the URL is empty if the cell has no link."""
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
        """Data and layout for Plotly in the browser; for an empty chart, the reason why it is empty."""
        if self.empty:
            return {"empty": self.empty, "title": self.title}
        return {"data": self.traces, "layout": self.layout, "title": self.title}


def _linked(row: list[Any], places: list[bool], urls: list[str | None]) -> list[tuple[Any, str]]:
    left = iter(urls)
    return [(cell, (next(left) or "") if has else "") for cell, has in zip(row, places, strict=True)]


def irrelevant() -> Figure:
    """Make an empty figure that pages leave out, because the suite or version lacks the data for it."""
    return Figure(irrelevant=True)


def figure_url(figure: Figure, submission: Submission) -> str:
    """URL path from which a browser fetches a chart. The submission's system and its owner must be loaded."""
    system = submission.system
    path = reverse("leaderboard:system_figure", args=[system.owner.get_username(), system.slug, figure.name])
    return f"{path}?{urlencode({'submission': str(submission.pk)})}"


def rate_axis(title: str) -> dict[str, object]:
    return {"title": {"text": title}, "range": list(RATES), "tickformat": ".0%", "zeroline": False}
