"""Loads the rows of one page of a board with their figures, for placements that are in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from django.db.models import Count, Max, Min, Q

from evaluation.core.records import Figures
from evaluation.core.suite import REFERENCES, Column, Gate
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown as sealed
from leaderboard.benchmarks.sealing.shown import Shown
from leaderboard.boards import prices, slices
from leaderboard.boards.lengths import figures as length_figures
from leaderboard.boards.lengths.figures import Lengths
from leaderboard.boards.placements import families, placements, ranking
from leaderboard.boards.placements.outcomes import requirements_words
from leaderboard.boards.placements.ranking import Figure, Placement
from leaderboard.boards.placements.ties import TieMark
from leaderboard.boards.scaled import SCALED, Scale
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.conformance.models import ConformanceReport
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.submissions.scores.score_tables import Interval, MetricCell, interval, judged

#: Large fields that no row shows. Groups are loaded for a part of the version, measures for unranked kinds.
UNSEEN = {
    "score__groups",
    "score__measures",
    "score__unit_scores",
    "score__robust_scores",
    "score__cells",
    "score__cell_scores",
    "score__metric_sums",
    "score__exact",
    "provenance",
    "flags",
}
Steps = list[tuple[str, float | None]]
#: Why a submission represents its system: declared before grading; the first attempt; or chosen, when its owner could
#: already know scores.
Entry = Literal["declared", "first", "chosen"]


@dataclass
class BoardRow:
    """One system on a board. Properties compute the figures that not every page needs."""

    submission: Submission
    score: Score
    placement: Placement
    attempts: int = 1
    entry: Entry = "first"
    conformance: ConformanceReport | None = None
    part: BoardSlice = WHOLE  # rows behind the figures
    scale: Scale | None = None  # floor and ceiling of the board; None: it has none, or it was not requested
    lengths: Lengths | None = None  # None: not known, or not requested
    ties: list[TieMark] = field(default_factory=list)  # brackets beside its rank
    names_owner: bool = False  # another row would look the same without its owner

    @property
    def system(self) -> System:
        return self.submission.system

    @property
    def reads(self) -> str:
        """The system's way of reading, followed by its owner if another row would look the same."""
        owner = f"by {self.system.owner.get_username()}" if self.names_owner else ""
        return " · ".join(filter(None, (self.system.reads, owner)))

    @property
    def rank(self) -> int | None:
        return self.placement.rank

    @property
    def rank_low(self) -> int | None:
        return self.placement.low

    @property
    def rank_high(self) -> int | None:
        return self.placement.high

    @property
    def rank_range(self) -> str:
        """Possible ranks as text: "1", "2–5", or "(2–5)" if a requirement is not met; empty without a rank."""
        return ranking.range_words(self.rank_low, self.rank_high, gated=self.gated)

    @property
    def tie(self) -> bool:
        return self.placement.tie

    @property
    def reason(self) -> str:
        return self.placement.reason

    @property
    def reference(self) -> str:
        """The role of a reference system: `oracle`, `floor` or `rule`; empty for other systems."""
        return self.placement.reference

    @property
    def role(self) -> str:
        return REFERENCES.get(self.reference, "")

    @property
    def robust(self) -> float | None:
        version = self.submission.version
        if not version.shown_step:
            return self.placement.robust
        value: float | None = self.score.metrics.get(version.bound.tie_breaker.name)
        return None if self.part else value

    @property
    def gated(self) -> bool:
        return self.score.gated

    @property
    def state(self) -> str:
        """The CSS class of the row: `reference`, `guessing`, `gated` or empty."""
        if self.reference:
            return "reference"
        return "gated" if self.gated and self.placement.above else "" if self.placement.above else "guessing"

    @property
    def unmet(self) -> str:
        """The requirements that the system fails, in words; empty if none is known to fail."""
        return requirements_words(gate for gate in self.gates if gate.state == "fail")

    @property
    def headline(self) -> Column:
        return slices.headline(self.submission.version, self.part)

    @property
    def value(self) -> float | None:
        if self.part:
            return part_headline(self.submission.version, self.placement.figure).value
        return self.submission.headline_of(self.score)

    @cached_property
    def span(self) -> Interval:
        name = self.headline.name
        if self.value is None:
            return None
        if self.part and self.score.repeats > 1 and self.figures["metrics"].get(name) is not None:
            return interval(self.figures["intervals"], name)  # the stored one, as on every other page
        if self.part:
            return part_headline(self.submission.version, self.placement.figure).interval
        return interval(self.score.intervals, name)

    @property
    def scaled(self) -> MetricCell:
        """The headline on the scale from guessing (0) to oracle (1); not reported if the board has no scale."""
        if self.scale is None:
            return SCALED, None, None
        return SCALED, self.scale.scaled(self.value), self.scale.interval(self.span)

    @cached_property
    def figures(self) -> Figures:
        """Metrics and intervals over the rows shown. Empty for two crossed facets, whose figures are not stored."""
        if not self.part:
            return {"metrics": self.score.metrics, "intervals": self.score.intervals}
        grouping, group = self.part.group or ("", "")
        figures: Figures | None = self.score.groups.get(grouping, {}).get(group) if grouping else None
        return figures or {"metrics": {}, "intervals": {}}

    @property
    def run_sd(self) -> float | None:
        """Standard deviation of the value between repeats. None for a single file, or for a part of the rows."""
        return None if self.part else self.submission.run_sd

    @property
    def low(self) -> float | None:
        return self.span[0] if self.span else None

    @property
    def high(self) -> float | None:
        return self.span[1] if self.span else None

    @cached_property
    def gates(self) -> list[Gate]:
        return judged(self.submission.version, self.score)

    @cached_property
    def decomposition(self) -> Steps:
        return self.submission.version.suite.display.decomposition(self.figures["metrics"])

    @cached_property
    def own_decomposition(self) -> Steps:
        """The steps of the system's own retrieval and reading; empty if its file does not say what was retrieved."""
        return self.submission.version.suite.display.own_decomposition(self.figures["metrics"])

    @property
    def order(self) -> Steps:
        """The rates by order of the evidence, over all rows of the version. Empty if the board covers only a part."""
        return [] if self.part else [(label, value) for label, value in self.score.spread]

    @property
    def measures(self) -> Mapping[str, float | None]:
        """Measures of a system that gives no answers, at its largest token budget; empty if not measured."""
        return max(self.score.measures, key=lambda row: row["budget"], default={})

    @cached_property
    def cells(self) -> list[tuple[Column, Any, Interval]]:
        columns = self.submission.version.columns
        metrics, intervals = self.figures["metrics"], self.figures["intervals"]
        cells = [(c, metrics.get(c.name), interval(intervals, c.name)) for c in columns if not c.headline]
        return [*([self.scaled] if self.scale else []), *self._length_cells, *cells]

    @property
    def _length_cells(self) -> list[MetricCell]:
        if self.lengths is not None:
            return self.lengths.cells
        return length_figures.unknown() if length_figures.rungs_of(self.submission.version) else []

    @property
    def covers(self) -> tuple[int, int] | None:
        """Numbers of answered splits and of all splits; None if the file answers all splits."""
        answered, there = len(self.submission.conditions), len(self.submission.version.conditions)
        return (answered, there) if answered < there else None

    @property
    def tokens(self) -> float | None:
        """Tokens per query over all rows of the version, even if the board covers a part."""
        tokens: float | None = self.submission.efficiency.get("tokens_per_query")
        return tokens

    @cached_property
    def price(self) -> float | None:
        """US dollars per 1,000 questions, over all rows of the version; None if not known."""
        price = prices.submission_price(self.submission)
        return None if price is None else price * prices.QUESTIONS

    @property
    def about(self) -> str:
        """The model card in one line: developer, weights, size, age and price."""
        facts = {row.label: row.text for row in self.system.card}
        seen = f"seen the benchmark: {self.system.seen_words}" if self.system.seen else ""
        weights = facts.get("weights", "")
        said = [
            facts.get("developer", ""),
            facts.get("parameters", ""),
            f"weights: {weights.lower()}" if weights else "",
            f"reads {facts['context']}" if "context" in facts else "",
            f"released {facts['released']}" if "released" in facts else "",
            facts.get("licence", ""),
            f"{facts['price per million tokens']} a million tokens"
            if "price per million tokens" in facts
            else "",
            seen,
        ]
        return " · ".join(filter(None, said))

    @property
    def claimed(self) -> bool:
        """True if the result is self-reported: uploaded by its owner, not run by this site or its authors."""
        return self.submission.origin == Submission.Origin.REPORTED

    @property
    def when(self) -> datetime:
        return self.submission.created_at


def part_headline(version: Version, figure: Figure | None) -> Shown:
    """The headline over a part of the rows, as the version shows it. Not reported if `figure` is None."""
    return sealed.figure(version, *figure) if figure else sealed.NOTHING


def rows(
    version: Version,
    ordered: Sequence[Placement],
    part: BoardSlice = WHOLE,
    *,
    scale: Scale | None = None,
    lengths: Mapping[Any, Lengths] | None = None,
    with_groups: bool = False,
) -> list[BoardRow]:
    """Load the rows for placements of a page. Submissions that have left the board are skipped. Four queries."""
    seen = {"score__groups"} if part.group or with_groups else set()
    seen |= {"score__measures"} if any(p.apart and not p.reference for p in ordered) else set()
    loaded = (
        Submission.objects.on_board(version)
        .filter(pk__in=[placement.key for placement in ordered])
        .select_related("system__owner", "submitter", "score")
        .defer(*(UNSEEN - seen))
    )
    by_key = {submission.pk: submission for submission in loaded}
    shown_rows = []
    for placement in ordered:
        submission = by_key.get(placement.key)
        if submission is not None and submission.score is not None:
            submission.version = version
            row = BoardRow(submission, submission.score, placement, part=part, scale=scale)
            row.lengths = (lengths or {}).get(placement.key)
            shown_rows.append(row)
    _count_attempts(version, shown_rows)
    _tell_apart(shown_rows, part)
    reports = ConformanceReport.objects.newest_of([row.system.pk for row in shown_rows])
    for row in shown_rows:
        row.conformance = reports.get(row.system.pk)
    return shown_rows


def _tell_apart(shown_rows: Sequence[BoardRow], part: BoardSlice) -> None:
    """Set `names_owner` on rows that look alike, as on a one-per-model board with a row for each owner."""
    titles = [
        (row.system.title.casefold(), "" if part.family == families.MODELS else row.system.reads)
        for row in shown_rows
    ]
    times = Counter(titles)
    for row, title in zip(shown_rows, titles, strict=True):
        row.names_owner = times[title] > 1


def _count_attempts(version: Version, shown_rows: Iterable[BoardRow]) -> None:
    """Set the number of graded submissions of each row's system, private and withdrawn ones included. One query."""
    by_system = {row.system.pk: row for row in shown_rows}
    graded = Submission.objects.filter(system__in=by_system, version=version, score__isnull=False).order_by()
    of_files = ~Q(source=Submission.Source.MEAN)  # a mean of repeats is not an attempt of its own
    newest = Max("created_at", filter=Q(declared=True, mean=None))
    counted = graded.values_list("system").annotate(
        graded=Count("pk", filter=of_files), first_at=Min("created_at", filter=of_files), declared_at=newest
    )
    for system, count, first_at, declared_at in counted:
        row = by_system[system]
        row.attempts = count
        row.entry = _entry_of(row.submission, first_at, declared_at)


def _entry_of(submission: Submission, first_at: datetime, declared_at: datetime | None) -> Entry:
    if submission.created_at == declared_at:
        return "declared"
    return "first" if submission.created_at == first_at and declared_at is None else "chosen"


def score_rows(version: Version, scores: Iterable[Score], board: str) -> list[BoardRow]:
    """Rows for a board of given scores (see `placements.score_placements`). They have no number of attempts."""
    by_key = {score.submission_id: score for score in scores}
    shown_rows = []
    for placement in placements.score_placements(version, by_key, board):
        score = by_key[placement.key]
        score.submission.version = version
        shown_rows.append(BoardRow(score.submission, score, placement))
    return shown_rows
