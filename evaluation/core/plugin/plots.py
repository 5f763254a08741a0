"""Pictures that a suite declares and a site draws, a class a kind.

A picture names what it reads: figures by their key in `Report.metrics`, groupings by theirs in `Report.groups`. Where
a score has nothing of it, the picture is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Plot:
    """What every picture has."""

    name: str  # ends its address: "order-bias"
    title: str
    help: str  # the caption: what is drawn, over which rows


@dataclass(frozen=True, slots=True)
class Axis:
    """A rate along an axis."""

    metric: str  # key in Report.metrics
    label: str  # heads its column of the table
    title: str = ""  # along the axis; empty: the label
    better: str = "higher"  # or "lower"


@dataclass(frozen=True, slots=True)
class Waterfall(Plot):
    """The decomposition (`Display.decomposition`): falling bars, what comes back on top of the last, and their sum."""

    _: KW_ONLY
    of: str  # heads the column of the steps: "Of the candidate rows"
    axis: str  # "Share of candidate rows"
    rest: str  # what comes back: right in another way
    empty: str  # why there is nothing to see where a score lacks a step
    own: bool = False  # of the system's own retrieval (`Display.own_decomposition`) instead


class Place(NamedTuple):
    """Where the figure of a group stands in a picture of lines."""

    group: str
    series: str  # the line that it belongs to
    x: str | float


@dataclass(frozen=True, slots=True)
class Lines(Plot):
    """A rate over something in which the groups of a grouping differ: a line a series.

    `places` says where the groups of a version stand, in the order of the axis; a series with one place is none.
    """

    _: KW_ONLY
    grouping: str
    rate: Axis
    places: Callable[[Settings], Sequence[Place]]
    series: str  # heads its column of the table
    x: str  # likewise
    x_title: str
    numbers: bool = False  # x are numbers, on a logarithmic axis
    gaps: bool = False  # a group without a figure stays, as a gap
    tip: str = ""  # of a point; {series} is its line, %{x} and %{y} as Plotly reads them
    chance: str = ""  # the metric that says what choosing at random gets; a dashed line
    empty: str = "No predictions were uploaded for these rows."


@dataclass(frozen=True, slots=True)
class Buckets(Plot):
    """A rate over ordered groups, a panel a grouping."""

    _: KW_ONLY
    panels: Mapping[str, str]  # grouping -> what it measures
    rate: Axis
    left_out: frozenset[str] = frozenset({"None", "unknown"})  # groups that have no place in the order


@dataclass(frozen=True, slots=True)
class Bars(Plot):
    """A rate, a bar a group of a grouping; on a page of a board a bar a system."""

    _: KW_ONLY
    grouping: str
    rate: Axis
    groups: str  # heads their column of the table: "Length"


@dataclass(frozen=True, slots=True)
class Scatter(Plot):
    """One rate across against another up: a point a group of a grouping; on a page of a board a point a system.

    `no_across` and `no_up` are the reasons why a group may have none of the two.
    """

    _: KW_ONLY
    across: Axis
    up: Axis
    grouping: str = ""
    noun: str = ""  # what a group is called: "track"
    no_across: str = ""
    no_up: str = "nothing was answered there"


@dataclass(frozen=True, slots=True)
class AcrossVersions(Plot):
    """A rate of a system over a setting in which the versions of this suite differ.

    `x` reads it from the settings of a version; None: the version is no point of the line.
    """

    _: KW_ONLY
    rate: Axis
    x: Callable[[Settings], float | None]
    x_title: str
    tip: str  # behind the version's title


@dataclass(frozen=True, slots=True)
class Curves(Plot):
    """What a system shows a model (`Unranked.measure`) over the budget: rates above, an amount below."""

    _: KW_ONLY
    x: str  # key of a row of `Unranked.measure`
    x_title: str
    unit: str  # what x and the amount count: "tokens"
    amount: str  # key of the amount; x itself is drawn dotted, as its bound
    rates: Mapping[str, tuple[str, str]]  # key -> (label, role of its colour: "good", "bad", "blue")
    columns: Mapping[str, str]  # key -> heading of the table
