"""The words, pages and pictures by which a suite is shown. All have defaults: a suite says what it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.core.plugin.examples import Example, Term
from evaluation.core.plugin.plots import Bars, Plot, Scatter
from evaluation.core.plugin.reached import Reached
from evaluation.core.records import Figures, Number, Row

#: What of its kind -> the rate of it; None where it is not reported.
Shares = list[tuple[str, float | None]]


@dataclass(frozen=True, slots=True)
class Mark:
    """A small picture in each row of a board: steps (`Display.decomposition`) or dots (`Display.order_bias`)."""

    label: str  # the heading of its column
    note: str  # below it
    over: str  # the rows that it is over: "candidate rows"
    help: str  # the tip of the heading
    legend: str
    sample: Sequence[tuple[str, float]]
    instead: str = ""  # how these rows differ from those of the score; {rows} are the latter
    figure: str = ""  # dots: what they are the rate of
    chance: str = ""  # dots: the metric that says what choosing at random gets; a dashed line
    apart: str = ""  # dots: the one that is drawn hollow and joined to none
    chain: Sequence[
        str
    ] = ()  # steps: the metrics whose figures a page writes in a row, each with an arrow to the next
    #: Steps: a metric that explains one of the chain, and what it says. A page writes it behind, where it is reported.
    beside: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class SplitPage:
    """A page of a board that shows the systems in one group of a grouping after the other."""

    slug: str  # ends its address: "tracks"
    grouping: str  # of `Report.groups`; a facet of that name ranks by the group
    noun: str
    whole: str  # the choice of all rows
    help: str
    plot: Scatter | Bars
    heading: str  # over the picture, for a screen reader

    @property
    def title(self) -> str:
        """Its tab: `By track`."""
        return f"By {self.noun}"


@dataclass(frozen=True, slots=True)
class SplitWords:
    """What the splits of a version are called, and what a file may leave out."""

    noun: str = "condition"
    help: str = ""  # what tells them apart, in a sentence
    #: What a file answers where rows do not say their split: of one version, and beside other suites.
    hidden: str = "a file answers all of them"
    hidden_beside: str = ""
    #: What a split of a version is called, and what it is in a sentence: (settings, name). None: its name says enough.
    named: Callable[[Mapping[str, object], str], Term] | None = None


@dataclass(frozen=True, slots=True)
class Display:
    """All of it."""

    summary: str = ""  # what the suite asks, in a line
    unit: str = "unit"  # what an `Item` is to a reader, and so what intervals are over: "episode"
    #: What one line of a predictions file answers, one of it and several.
    asked: tuple[str, str] = ("row", "rows")
    plots: Sequence[
        Plot
    ] = ()  # on the page of a system, in this order; those that every suite has come after
    page: SplitPage | None = None
    steps: Mark | None = None
    own_steps: Mark | None = None  # of a system's own retrieval (`own_decomposition`)
    dots: Mark | None = None
    #: From `Report.metrics` to the decomposition. All but the last are shares of the same rows, each a part of the one
    #: before: what is lost on the way. The last is the figure that they explain, which may be higher: an answer may be
    #: right in another way. And the same of the system's own retrieval, as its predictions report it.
    decomposition: Callable[[Mapping[str, Number]], Shares] = lambda metrics: []
    own_decomposition: Callable[[Mapping[str, Number]], Shares] = lambda metrics: []
    #: From `Report.groups` and the settings to how often a system chooses rightly, by the order of the candidates:
    #: first, middle, last, shuffle.
    order_bias: Callable[[Mapping[str, Mapping[str, Figures]], Mapping[str, object]], Shares] = (
        lambda groups, settings: []
    )
    splits: SplitWords = SplitWords()
    foot: str = (
        ""  # below the figures of a submission where the headline is over some rows only; {rows} are these
    )
    #: What a newcomer types, by step: "answer", "check", and what the suite's own templates ask for. {rows} is the
    #: downloaded file.
    commands: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)  # facet -> what the API says of it
    #: Stored figures of known systems over the preset that has these settings but for seeds and key, if there are any.
    reached: Callable[[Mapping[str, object]], Reached | None] = lambda settings: None
    #: Preset, or what its name begins with -> the question that its board answers.
    questions: Mapping[str, str] = field(default_factory=dict)
    demo: Sequence[str] = ()  # the presets that the demo freezes
    demo_sealed: str = ""  # the one of them that it also freezes under secret seeds; empty: none
    in_short: str = ""  # what it measures, in a sentence for somebody who has heard of none of this
    example: Callable[..., Example] | None = None  # a question to answer oneself; it is called with the suite
    terms: Sequence[Term] = ()  # the words that its pages use
    #: The formats of others in which rows can be had: name, as an address has it -> what makes one of its rows of a
    #: public row.
    formats: Mapping[str, Callable[[Row], Mapping[str, object]]] = field(default_factory=dict)
