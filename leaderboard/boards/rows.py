"""A board: the rows of a page dressed with their figures. `places` says who stands where; only these rows are loaded
whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db.models import Count, QuerySet

from evaluation.core.suite import Column, Gate
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import placements, ranking
from leaderboard.boards.placements.ranking import Contestant, Placement
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.conformance.models import ConformanceReport
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.submissions.score_tables import Figures, Interval, interval
from leaderboard.submissions.services import headline_of

#: What no row of a board shows, and is large. Groups are read for a part of the version, measures for systems
#: that stand apart.
UNSEEN = {
    "score__groups",
    "score__measures",
    "score__unit_scores",
    "score__robust_scores",
    "score__cells",
    "score__cell_scores",
    "provenance",
    "flags",
}
Steps = list[tuple[str, float | None]]


@dataclass
class BoardRow:
    """One system on a board. What only a page shows is worked out when it is asked for."""

    submission: Submission
    score: Score
    placing: Placement
    attempts: int = 1
    conformance: ConformanceReport | None = None
    part: BoardSlice = WHOLE  # what of the version the row speaks of

    @property
    def system(self) -> System:
        return self.submission.system

    @property
    def rank(self) -> int | None:
        return self.placing.rank

    @property
    def rank_low(self) -> int | None:
        return self.placing.low

    @property
    def rank_high(self) -> int | None:
        return self.placing.high

    @property
    def tie(self) -> bool:
        return self.placing.tie

    @property
    def reason(self) -> str:
        """Why it has no rank; empty where it has one."""
        return self.placing.reason

    @property
    def robust(self) -> float | None:
        return self.placing.robust

    @property
    def gated(self) -> bool:
        return self.score.gated

    @property
    def value(self) -> float | None:
        if self.part:
            return self.placing.figure.value if self.placing.figure else None
        return self.score.headline

    @cached_property
    def span(self) -> Interval:
        if self.part:
            return self.placing.figure.interval if self.placing.figure else None
        return interval(self.score.intervals, headline_of(self.submission.version.suite).name)

    @cached_property
    def figures(self) -> Figures:
        """Metrics and intervals of the part shown; empty where two facets cross: they are not kept."""
        if not self.part:
            return {"metrics": self.score.metrics, "intervals": self.score.intervals}
        grouping, group = self.part.group or ("", "")
        found: Figures | None = self.score.groups.get(grouping, {}).get(group) if grouping else None
        return found or {"metrics": {}, "intervals": {}}

    @property
    def low(self) -> float | None:
        return self.span[0] if self.span else None

    @property
    def high(self) -> float | None:
        return self.span[1] if self.span else None

    @cached_property
    def gates(self) -> list[Gate]:
        return self.submission.version.suite.gates(self.score.metrics, self.score.intervals)

    @cached_property
    def decomposition(self) -> Steps:
        return self.submission.version.suite.decomposition(self.figures["metrics"])

    @property
    def order(self) -> Steps:
        """The order bias, which is a figure of the whole version."""
        return [] if self.part else [(label, value) for label, value in self.score.spread]

    @property
    def measures(self) -> dict[str, Any]:
        """What a system of a kind that is not ranked shows a model at the largest budget; empty: not measured."""
        return max(self.score.measures, key=lambda row: row["budget"], default={})

    @cached_property
    def cells(self) -> list[tuple[Column, Any, Interval]]:
        columns = self.submission.version.suite.columns
        metrics, intervals = self.figures["metrics"], self.figures["intervals"]
        return [(c, metrics.get(c.name), interval(intervals, c.name)) for c in columns if not c.headline]

    @property
    def covers(self) -> tuple[int, int] | None:
        """(conditions or tracks that the file answers, those there are), None where it answers all."""
        answered, there = len(self.submission.conditions), len(self.submission.version.conditions)
        return (answered, there) if answered < there else None

    @property
    def tokens(self) -> float | None:
        """Per query of the whole version, whatever part is shown."""
        found: float | None = self.submission.efficiency.get("tokens_per_query")
        return found

    @property
    def when(self) -> datetime:
        return self.submission.created_at


def rows(version: Version, placings: Sequence[Placement], part: BoardSlice = WHOLE) -> list[BoardRow]:
    """These places as rows of a part of the version, in their order. Four queries, whatever their number."""
    seen = {"score__groups"} if part.group else set()
    seen |= {"score__measures"} if any(placing.apart for placing in placings) else set()
    loaded = (
        Submission.objects.on_board(version)
        .filter(pk__in=[placing.key for placing in placings])
        .select_related("system__owner", "submitter", "score")
        .defer(*(UNSEEN - seen))
    )
    by_key = {submission.pk: submission for submission in loaded}
    found = []
    for placing in placings:
        submission = by_key.get(placing.key)
        if submission is not None and submission.score is not None:
            submission.version = version
            found.append(BoardRow(submission, submission.score, placing, part=part))
    _count_attempts(version, found)
    reports = ConformanceReport.objects.newest_of([row.system.pk for row in found])
    for row in found:
        row.conformance = reports.get(row.system.pk)
    return found


def _count_attempts(version: Version, found: Iterable[BoardRow]) -> None:
    """How many submissions of each system were graded, private and withdrawn ones included. One query."""
    by_system = {row.system.pk: row for row in found}
    graded = Submission.objects.filter(system__in=by_system, version=version, score__isnull=False).order_by()
    for system, count in graded.values_list("system").annotate(Count("pk")):
        by_system[system].attempts = count


def board_rows(version: Version, shown: QuerySet[Submission] | None = None) -> list[BoardRow]:
    """The whole board, for exports and whoever needs every row."""
    chosen = Submission.objects.on_board(version) if shown is None else shown
    return rows(version, placements.board_placements(version, chosen, WHOLE))


def of_scores(version: Version, scores: Iterable[Score]) -> list[BoardRow]:
    """A board of given scores (older revisions, say), their submissions and systems loaded."""
    by_key = {score.submission_id: score for score in scores}
    reasons = placements.unranked_reasons(version.suite)
    contestants = [
        Contestant(
            key,
            s.submission.system.name,
            s.headline,
            s.gated,
            bytes(s.unit_scores),
            bytes(s.robust_scores),
            reasons.get(s.submission.system.kind, ""),
        )
        for key, s in by_key.items()
    ]
    found = []
    for placing in ranking.place(contestants, better=headline_of(version.suite).better):
        score = by_key[placing.key]
        score.submission.version = version
        found.append(BoardRow(score.submission, score, placing))
    return found
