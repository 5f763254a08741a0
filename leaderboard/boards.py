"""A board: every shown submission placed, and the rows of a page dressed with their figures.

Placing needs a few numbers of each of perhaps a thousand systems, so it reads tuples and is kept in the cache until
the board changes. Only the rows of the page are loaded whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Max, QuerySet, Sum

from evaluation.suites import Column, Gate
from leaderboard import ranking
from leaderboard.models import ConformanceReport, Score, Submission, System, Version
from leaderboard.ranking import Contestant, Placing
from leaderboard.scorecards import Interval, interval
from leaderboard.submissions import headline_of

KEEP_SECONDS = 24 * 3600
Steps = list[tuple[str, float | None]]


@dataclass
class BoardRow:
    """One system on a board. What only a page shows is worked out when it is asked for."""

    submission: Submission
    score: Score
    placing: Placing
    attempts: int = 1
    conformance: ConformanceReport | None = None

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
    def gated(self) -> bool:
        return self.score.gated

    @property
    def value(self) -> float | None:
        return self.score.headline

    @cached_property
    def span(self) -> Interval:
        return interval(self.score.intervals, headline_of(self.submission.version.benchmark.engine).name)

    @property
    def low(self) -> float | None:
        return self.span[0] if self.span else None

    @property
    def high(self) -> float | None:
        return self.span[1] if self.span else None

    @cached_property
    def gates(self) -> list[Gate]:
        return self.submission.version.benchmark.engine.gates(self.score.metrics, self.score.intervals)

    @cached_property
    def fall(self) -> Steps:
        return self.submission.version.benchmark.engine.steps(self.score.metrics)

    @property
    def order(self) -> Steps:
        return [(label, value) for label, value in self.score.spread]

    @cached_property
    def cells(self) -> list[tuple[Column, Any, Interval]]:
        columns = self.submission.version.benchmark.engine.columns
        metrics, intervals = self.score.metrics, self.score.intervals
        return [(c, metrics.get(c.name), interval(intervals, c.name)) for c in columns if not c.headline]

    @property
    def tokens(self) -> float | None:
        found: float | None = self.submission.efficiency.get("tokens_per_query")
        return found

    @property
    def when(self) -> datetime:
        return self.submission.created_at


def places(version: Version, shown: QuerySet[Submission]) -> list[Placing]:
    """The places of the submissions of a (filtered) board, best first. Kept until one of them changes."""
    key = f"places:{version.pk}:{_fingerprint(shown)}"
    found: list[Placing] | None = cache.get(key)
    if found is None:
        rows = shown.values_list(
            "pk",
            "system__name",
            "score__headline",
            "score__gated",
            "score__unit_scores",
            "score__robust_scores",
        )
        contestants = [
            Contestant(*row[:4], bytes(row[4]), bytes(row[5])) for row in rows.order_by("system__name")
        ]
        found = ranking.place(contestants, better=headline_of(version.benchmark.engine).better)
        cache.set(key, found, KEEP_SECONDS)
    return found


def _fingerprint(shown: QuerySet[Submission]) -> str:
    """Changes when a submission joins, leaves or is graded again: one indexed query."""
    state = shown.order_by().aggregate(
        n=Count("pk"), sum=Sum("score_id"), last=Max("score_id"), graded=Max("score__graded_at")
    )
    return hashlib.sha256(f"{state} {shown.query}".encode()).hexdigest()[:32]


def sort(version: Version, shown: QuerySet[Submission], placings: list[Placing], by: str) -> list[Placing]:
    """Order by a column of the suite, `system`, `value`, `tokens` or `when`; a leading minus turns it round.

    Missing goes last either way. An unknown name leaves the order by rank.
    """
    name, falling = by.removeprefix("-"), by.startswith("-")
    field = _sort_field(version, name)
    if field is None:
        return placings[::-1] if by == "-rank" else placings
    values = dict(shown.order_by().values_list("pk", field))
    known = [placing for placing in placings if values.get(placing.key) is not None]
    known.sort(key=lambda placing: _comparable(values[placing.key]), reverse=falling)
    return known + [placing for placing in placings if values.get(placing.key) is None]


def _sort_field(version: Version, name: str) -> str | None:
    fields = {
        "system": "system__name",
        "value": "score__headline",
        "tokens": "efficiency__tokens_per_query",
        "when": "created_at",
    }
    columns = {column.name: f"score__metrics__{column.name}" for column in version.benchmark.engine.columns}
    return (fields | columns).get(name)


def _comparable(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def rows(version: Version, placings: Sequence[Placing]) -> list[BoardRow]:
    """These places as rows, in their order. Four queries, whatever their number."""
    loaded = (
        Submission.objects.filter(version=version, pk__in=[placing.key for placing in placings])
        .select_related("system__owner", "submitter", "score")
        .defer(
            "score__groups",
            "score__measures",
            "score__unit_scores",
            "score__robust_scores",
            "provenance",
            "flags",
        )
    )
    by_key = {submission.pk: submission for submission in loaded}
    found = []
    for placing in placings:
        submission = by_key.get(placing.key)
        if submission is not None and submission.score is not None:
            submission.version = version
            found.append(BoardRow(submission, submission.score, placing))
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


def of(version: Version, shown: QuerySet[Submission] | None = None) -> list[BoardRow]:
    """The whole board, for exports and whoever needs every row."""
    return rows(
        version, places(version, shown if shown is not None else Submission.objects.on_board(version))
    )


def of_scores(version: Version, scores: Iterable[Score]) -> list[BoardRow]:
    """A board of given scores (older revisions, say), their submissions and systems loaded."""
    by_key = {score.submission_id: score for score in scores}
    contestants = [
        Contestant(
            key, s.submission.system.name, s.headline, s.gated, bytes(s.unit_scores), bytes(s.robust_scores)
        )
        for key, s in by_key.items()
    ]
    found = []
    for placing in ranking.place(contestants, better=headline_of(version.benchmark.engine).better):
        score = by_key[placing.key]
        score.submission.version = version
        found.append(BoardRow(score.submission, score, placing))
    return found
