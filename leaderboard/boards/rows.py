"""A board: the rows of a page dressed with their figures. `places` says who stands where; only these rows are loaded
whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from django.db.models import Count, Max, Min, Q, QuerySet

from evaluation.core.records import Figures
from evaluation.core.suite import REFERENCES, Column, Gate
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown as sealed
from leaderboard.benchmarks.sealing.shown import Shown
from leaderboard.boards import slices
from leaderboard.boards.lengths import figures as length_figures
from leaderboard.boards.lengths.figures import Lengths
from leaderboard.boards.placements import placements, ranking
from leaderboard.boards.placements.of_submission import requirements_words
from leaderboard.boards.placements.ranking import Figure, Placement
from leaderboard.boards.scaled import SCALED, Scale
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.conformance.models import ConformanceReport
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.submissions.scores.score_tables import Interval, MetricCell, interval, judged

#: What no row of a board shows, and is large. Groups are read for a part of the version, measures for systems
#: that stand apart.
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
#: How a submission came to stand for its system: it was declared before it was graded; or it is the first attempt; or
#: it is one whose figures, or those of others, its owner could know before it stood.
Entry = Literal["declared", "first", "chosen"]


@dataclass
class BoardRow:
    """One system on a board. What only a page shows is worked out when it is asked for."""

    submission: Submission
    score: Score
    placement: Placement
    attempts: int = 1
    #: How the submission came to stand for its system, see `Entry`.
    entry: Entry = "first"
    conformance: ConformanceReport | None = None
    part: BoardSlice = WHOLE  # what of the version the row speaks of
    scale: Scale | None = None  # floor and ceiling of the board; None: it has none, or nobody asked
    lengths: Lengths | None = None  # how far it holds as texts grow; None: not known, or nobody asked

    @property
    def system(self) -> System:
        return self.submission.system

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
        """The ranks that it may have: "1", "2–5", "(2–5)" where a requirement is not met; empty where it has none."""
        return ranking.range_words(self.rank_low, self.rank_high, gated=self.gated)

    @property
    def tie(self) -> bool:
        return self.placement.tie

    @property
    def reason(self) -> str:
        """Why it has no rank; empty where it has one."""
        return self.placement.reason

    @property
    def reference(self) -> str:
        """Its role, where it is a reference: `oracle`, `floor` or `rule`; empty for others."""
        return self.placement.reference

    @property
    def role(self) -> str:
        """What a reference of its role is, in a sentence; empty for others."""
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
        """The class of its row: `reference`, `guessing`, `gated`; empty for others."""
        if self.reference:
            return "reference"
        return "gated" if self.gated and self.placement.above else "" if self.placement.above else "guessing"

    @property
    def unmet(self) -> str:
        """The requirements that it does not meet, in words; empty where it meets all, or none is shown."""
        return requirements_words(gate for gate in self.gates if gate.state == "fail")

    @property
    def headline(self) -> Column:
        """What the value is a figure of."""
        return slices.headline(self.submission.version, self.part)

    @property
    def value(self) -> float | None:
        if self.part:
            return of_part(self.submission.version, self.placement.figure).value
        return self.submission.headline_of(self.score)

    @cached_property
    def span(self) -> Interval:
        name = self.headline.name
        if self.value is None:
            return None
        if self.part and self.score.repeats > 1 and self.figures["metrics"].get(name) is not None:
            return interval(self.figures["intervals"], name)  # as every page says it of this part
        if self.part:
            return of_part(self.submission.version, self.placement.figure).interval
        return interval(self.score.intervals, name)

    @property
    def scaled(self) -> MetricCell:
        """The headline between floor and ceiling; not reported where the board lacks one of them."""
        if self.scale is None:
            return SCALED, None, None
        return SCALED, self.scale.scaled(self.value), self.scale.interval(self.span)

    @cached_property
    def figures(self) -> Figures:
        """Metrics and intervals of the part shown; empty where two facets cross: they are not kept."""
        if not self.part:
            return {"metrics": self.score.metrics, "intervals": self.score.intervals}
        grouping, group = self.part.group or ("", "")
        figures: Figures | None = self.score.groups.get(grouping, {}).get(group) if grouping else None
        return figures or {"metrics": {}, "intervals": {}}

    @property
    def run_sd(self) -> float | None:
        """The standard deviation of the value between repeats; None of a single file, and of a part of the version."""
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
        """The decomposition of the system's own retrieval; empty where its file does not say what was shown."""
        return self.submission.version.suite.display.own_decomposition(self.figures["metrics"])

    @property
    def order(self) -> Steps:
        """The order bias, which is a figure of the whole version."""
        return [] if self.part else [(label, value) for label, value in self.score.spread]

    @property
    def measures(self) -> Mapping[str, float | None]:
        """What a system of a kind that is not ranked shows a model at the largest budget; empty: not measured."""
        return max(self.score.measures, key=lambda row: row["budget"], default={})

    @cached_property
    def cells(self) -> list[tuple[Column, Any, Interval]]:
        columns = self.submission.version.columns
        metrics, intervals = self.figures["metrics"], self.figures["intervals"]
        cells = [(c, metrics.get(c.name), interval(intervals, c.name)) for c in columns if not c.headline]
        return [*([self.scaled] if self.scale else []), *self._length_cells, *cells]

    @property
    def _length_cells(self) -> list[MetricCell]:
        """The figures of lengths, which are of the whole version."""
        if self.lengths is not None:
            return self.lengths.cells
        return length_figures.unknown() if length_figures.rungs_of(self.submission.version) else []

    @property
    def covers(self) -> tuple[int, int] | None:
        """(splits that the file answers, those there are), None where it answers all."""
        answered, there = len(self.submission.conditions), len(self.submission.version.conditions)
        return (answered, there) if answered < there else None

    @property
    def tokens(self) -> float | None:
        """Per query of the whole version, whatever part is shown."""
        tokens: float | None = self.submission.efficiency.get("tokens_per_query")
        return tokens

    @property
    def when(self) -> datetime:
        return self.submission.created_at


def of_part(version: Version, figure: Figure | None) -> Shown:
    """The headline over a part of the rows, as a version shows it.

    Args:
        version: Whose figure it is.
        figure: As it was computed; None is not reported.
    """
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
    """Places as rows of a part of the version, in their order. Four queries, whatever their number.

    Args:
        version: Whose board it is.
        ordered: The places that a page shows. One whose submission left the board meanwhile is left out.
        part: What of the version the rows speak of.
        scale: Floor and ceiling of the board, where the scaled figure is shown.
        lengths: How far each submission holds as texts grow, where that is shown.
        with_groups: Whether the figures of groups are shown beside those of the part.

    Returns:
        The rows, with the attempts and the newest conformance report of their systems.
    """
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
    reports = ConformanceReport.objects.newest_of([row.system.pk for row in shown_rows])
    for row in shown_rows:
        row.conformance = reports.get(row.system.pk)
    return shown_rows


def _count_attempts(version: Version, shown_rows: Iterable[BoardRow]) -> None:
    """How many submissions of each system were graded, private and withdrawn ones included. One query."""
    by_system = {row.system.pk: row for row in shown_rows}
    graded = Submission.objects.filter(system__in=by_system, version=version, score__isnull=False).order_by()
    of_files = ~Q(source=Submission.Source.MEAN)  # the mean of repeats is no attempt of its own
    newest = Max("created_at", filter=Q(declared=True, mean=None))
    counted = graded.values_list("system").annotate(
        graded=Count("pk", filter=of_files),
        first_at=Min("created_at", filter=of_files),
        declared_at=newest,
    )
    for system, count, first_at, declared_at in counted:
        row = by_system[system]
        row.attempts = count
        row.entry = _entry_of(row.submission, first_at, declared_at)


def _entry_of(submission: Submission, first_at: datetime, declared_at: datetime | None) -> Entry:
    """How a submission came to stand, from when its system's first one and its last declared one were sent."""
    if submission.created_at == declared_at:
        return "declared"
    return "first" if submission.created_at == first_at and declared_at is None else "chosen"


def board_rows(version: Version, shown: QuerySet[Submission] | None = None) -> list[BoardRow]:
    """The whole board, for exports and other callers that need every row.

    Args:
        version: Whose board it is.
        shown: The submissions that are ranked; None for those that the board shows.

    Returns:
        The rows in board order.
    """
    chosen = Submission.objects.on_board(version) if shown is None else shown
    return rows(version, placements.board_placements(version, chosen, WHOLE))


def of_scores(version: Version, scores: Iterable[Score], board: str) -> list[BoardRow]:
    """A board of given scores, of older revisions, say.

    Args:
        version: That all of them are of.
        scores: At most one of a submission, with submissions and systems loaded.
        board: What its places are stored as, see `placements.of_scores`.

    Returns:
        The rows in board order. Their attempts are not counted.
    """
    by_key = {score.submission_id: score for score in scores}
    shown_rows = []
    for placement in placements.of_scores(version, by_key, board):
        score = by_key[placement.key]
        score.submission.version = version
        shown_rows.append(BoardRow(score.submission, score, placement))
    return shown_rows
