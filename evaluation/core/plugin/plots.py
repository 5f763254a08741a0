"""Plots that a suite declares and a site draws, one class per kind. A plot is left out if a score lacks its data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Plot:
    name: str  # last part of its URL: "order-bias"
    title: str
    help: str  # the caption, with the rows it covers


@dataclass(frozen=True, slots=True)
class Axis:
    metric: str  # key in Report.metrics
    label: str  # column heading
    title: str = ""  # of the axis; empty: the label
    better: str = "higher"  # or "lower"


@dataclass(frozen=True, slots=True)
class Waterfall(Plot):
    """Waterfall chart of `Display.decomposition`: a bar for the rows that fail at each step, and the right rows.

    One more bar shows the answers that are right although a step failed.
    """

    _: KW_ONLY
    of: str  # heading of the column of steps: "Of the candidate rows"
    axis: str  # "Share of candidate rows"
    rest: str  # label of the regained part: right in another way
    empty: str  # explanation if a score lacks a step
    own: bool = False  # use the system's own retrieval (`Display.own_decomposition`)


class Place(NamedTuple):
    """Position of a group in a `Lines` plot."""

    group: str
    series: str
    x: str | float


@dataclass(frozen=True, slots=True)
class Lines(Plot):
    """Line chart of a rate over a property of groups, one line per series with several x; `places` in axis order."""

    _: KW_ONLY
    grouping: str
    rate: Axis
    places: Callable[[Settings], Sequence[Place]]
    series: str  # column heading
    x: str  # column heading
    x_title: str
    numbers: bool = False  # x are numbers, on a logarithmic axis
    gaps: bool = False  # keep a group without a figure as a gap
    tip: str = ""  # tooltip: {series} and Plotly's %{x}, %{y}
    chance: str = ""  # metric with the chance level, drawn as a dashed line
    empty: str = "No predictions were uploaded for these rows."


@dataclass(frozen=True, slots=True)
class Buckets(Plot):
    """A rate over ordered groups, one panel for each grouping."""

    _: KW_ONLY
    panels: Mapping[str, str]  # grouping -> title
    rate: Axis
    left_out: frozenset[str] = frozenset({"None", "unknown"})  # groups outside of the order


@dataclass(frozen=True, slots=True)
class Bars(Plot):
    """A rate, one bar for each group of a grouping; on a leaderboard page one bar for each system."""

    _: KW_ONLY
    grouping: str
    rate: Axis
    groups: str  # column heading: "Length"


@dataclass(frozen=True, slots=True)
class Scatter(Plot):
    """One rate against another, by group or system. The caption says why a point is missing: `no_across` or `no_up`."""

    _: KW_ONLY
    across: Axis
    up: Axis
    grouping: str = ""
    noun: str = ""  # for a group: "track"
    no_across: str = ""
    no_up: str = "no question of the group was answered"


@dataclass(frozen=True, slots=True)
class AcrossVersions(Plot):
    """A rate of a system over a setting that differs between versions. A version whose `x` is None is left out."""

    _: KW_ONLY
    rate: Axis
    x: Callable[[Settings], float | None]
    x_title: str
    tip: str  # after the version's title


@dataclass(frozen=True, slots=True)
class Curves(Plot):
    """Curves over the token budget of contexts that a system builds: several rates, and the tokens used (`amount`).

    Each row that `Unranked.measure` returns is one point of every curve.
    """

    _: KW_ONLY
    x: str  # key of a row of `Unranked.measure`
    x_title: str
    unit: str  # of x and the amount: "tokens"
    amount: str  # key of the amount; x is drawn dotted as its upper bound
    rates: Mapping[str, tuple[str, str]]  # key -> (label, role of its colour: "good", "bad", "blue")
    columns: Mapping[str, str]  # key -> column heading
