"""Words, pages and plots that a suite declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.core.plugin.examples import Example, Term
from evaluation.core.plugin.plots import Bars, Plot, Scatter
from evaluation.core.plugin.reached import Reached
from evaluation.core.records import Figures, Number, Row

#: (part, rate); None if not reported.
Shares = list[tuple[str, float | None]]


@dataclass(frozen=True, slots=True)
class Mark:
    """Chart in a leaderboard row: bars for steps (`Display.decomposition`), or dots by order (`Display.order_bias`)."""

    label: str  # column heading
    note: str  # below the heading
    over: str  # the rows it covers: "candidate rows"
    help: str  # tooltip of the heading
    legend: str
    sample: Sequence[tuple[str, float]]
    instead: str = ""  # how these rows differ from the rows of the score, {rows}
    figure: str = ""  # dots: name of the rate
    chance: str = ""  # dots: metric with the chance level, drawn as a dashed line
    apart: str = ""  # dots: the group drawn hollow and unconnected
    #: Steps: metric -> word; a page writes the figures in a row with arrows between.
    chain: Mapping[str, str] = field(default_factory=dict)
    #: Steps: a metric that explains one of the chain, and its word; written after the chain if reported.
    beside: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class SplitPage:
    """A leaderboard page with the results of the systems in each group of a grouping."""

    slug: str  # ends its address: "tracks"
    grouping: str  # of `Report.groups`; a facet of that name ranks by the group
    noun: str
    whole: str  # label of the choice "all rows"
    help: str
    plot: Scatter | Bars
    heading: str  # of the plot, for screen readers

    @property
    def title(self) -> str:
        return f"By {self.noun}"


@dataclass(frozen=True, slots=True)
class SplitWords:
    """Words with which pages name and explain the splits of a version."""

    noun: str = "condition"
    help: str = ""  # how the splits differ, in a sentence
    #: Note on rows that hide their split: for one version, and beside other suites.
    hidden: str = "a file answers all of them"
    hidden_beside: str = ""
    #: Name and description of a split: (settings, name) -> Term. None: the name is enough.
    named: Callable[[Mapping[str, object], str], Term] | None = None


@dataclass(frozen=True, slots=True)
class Display:
    """All that a suite declares for pages, commands and the demo. Every field has a default."""

    summary: str = ""  # the task in one line
    unit: str = "unit"  # noun for an `Item`, the unit of intervals: "episode"
    #: Noun for the thing that one line of a predictions file answers, singular and plural.
    asked: tuple[str, str] = ("row", "rows")
    #: On the page of a system, in this order, before the plots that every suite has.
    plots: Sequence[Plot] = ()
    page: SplitPage | None = None
    steps: Mark | None = None
    own_steps: Mark | None = None  # for a system's own retrieval (`own_decomposition`)
    dots: Mark | None = None
    #: From `Report.metrics` to the decomposition. All but the last are shares of the same rows, each contained in the
    #: previous one. The last is the figure that they explain; it may be higher, as an answer may be right in another
    #: way. `own_decomposition`: the same for the system's own retrieval, as its predictions report it.
    decomposition: Callable[[Mapping[str, Number]], Shares] = lambda metrics: []
    own_decomposition: Callable[[Mapping[str, Number]], Shares] = lambda metrics: []
    #: From `Report.groups` and the settings to the rate of right choices by position of the gold candidate:
    #: first, middle, last, shuffle.
    order_bias: Callable[[Mapping[str, Mapping[str, Figures]], Mapping[str, object]], Shares] = (
        lambda groups, settings: []
    )
    splits: SplitWords = SplitWords()
    #: Text below the figures of a submission if the headline covers only some rows, {rows}.
    foot: str = ""
    #: Commands for newcomers by step: "answer", "check", and those of the suite's templates. {rows} is the
    #: downloaded file.
    commands: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)  # facet -> description in the API
    #: From the settings and the example line of a preview to the line that the version grades best.
    answer_line: Callable[[Mapping[str, object], str], str] = lambda settings, line: line
    #: Stored figures of known systems for the preset with these settings (seeds and key aside), or None.
    reached: Callable[[Mapping[str, object]], Reached | None] = lambda settings: None
    #: Preset name or prefix -> the question that its leaderboard answers.
    questions: Mapping[str, str] = field(default_factory=dict)
    demo: Sequence[str] = ()  # the presets that the demo freezes
    demo_sealed: str = ""  # the demo preset that is also frozen under secret seeds; empty: none
    in_short: str = ""  # what it measures, in a sentence for newcomers
    example: Callable[..., Example] | None = None  # a question for visitors; called with the suite
    terms: Sequence[Term] = ()  # the words that its pages use
    #: Export formats of other tools: name in the URL -> converter of a public row.
    formats: Mapping[str, Callable[[Row], Mapping[str, object]]] = field(default_factory=dict)
