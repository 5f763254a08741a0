"""Input of the charts of a board: a few numbers of each system, cached under the fingerprint of the board.

Without the cache a board of a thousand scores would read some 20 MB of JSON. Names are not cached, because they may
change without a new grading.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.db.models.fields.json import KeyTransform
from django.http import QueryDict
from django.urls import reverse

from evaluation.core.metric import Metric, Reduction
from evaluation.core.suite import Column
from leaderboard.benchmarks.models import Version
from leaderboard.boards import prices, slices
from leaderboard.boards.figures.groups import GroupFigure, Groups, groups_of
from leaderboard.boards.filters import BoardFilter, filtered
from leaderboard.boards.headline_summary import short_names
from leaderboard.boards.placements import placements, ranking, stored
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.rows import part_headline
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions import verdicts
from leaderboard.submissions.models import Submission
from leaderboard.submissions.scores.score_tables import Interval, interval
from leaderboard.web.results_cache import cache

KEEP_SECONDS = 24 * 3600
#: Increase whenever the fields of `Reported` change: entries of an earlier release may still be cached.
FORM = 2


class Reported(NamedTuple):
    """Figures of a system's score, as the charts use them. They are rounded if the version is sealed."""

    value: float | None  # the headline
    ends: Interval
    tokens: float | None  # per query
    orders: Sequence[tuple[str, float | None]]  # the order bias: order -> rate
    spread: Interval  # of the distance between orders
    failures: Mapping[str, int]
    rows: int  # denominator of failures
    groups: Mapping[str, GroupFigure]  # of the grouping that divides the board
    gates: Sequence[str]  # states of the requirements; empty if not shown
    by_split: bool  # figures beside the headline are shown
    is_mean: bool


class Facts(NamedTuple):
    owner: str
    slug: str
    model: str
    reads: str  # the choice of `System.Reading`
    released: date | None
    context: int | None  # context window in tokens, from the model's card
    price: float | None  # US dollars per question


#: Their columns of `System`, before those of the price.
FACTS = ("owner__username", "slug", "model", "reading", "released", "context")


@dataclass(frozen=True, slots=True)
class BoardSystem:
    placement: Placement
    facts: Facts
    reported: Reported
    short: str  # the model, with its harness only if needed to distinguish it on the board
    alike: Sequence[str] = ()  # names of further references on its line, because their figures are equal

    @property
    def name(self) -> str:
        return self.placement.name

    @property
    def names(self) -> str:
        """Names of all systems that are drawn as this one line of a chart, because their figures are equal."""
        return ", ".join([self.name, *self.alike])

    @property
    def reference(self) -> str:
        return self.placement.reference

    @property
    def label(self) -> str:
        """Short name in a chart. For a reference system the role comes first, because names may be cut off."""
        several = "s" if self.alike else ""
        return f"{self.reference}{several}: {self.names}" if self.reference else self.short

    @property
    def url(self) -> str:
        return reverse("leaderboard:system", args=[self.facts.owner, self.facts.slug])

    @property
    def rows_url(self) -> str:
        """URL of the page of the system's rows. Not all readers may see it."""
        return reverse("leaderboard:submission_rows", args=[self.placement.key])


@dataclass
class FiguresBoard:
    """The systems of a board that pass its filters, in board order, as input of charts."""

    version: Version
    filters: BoardFilter
    part: BoardSlice
    everybody: list[Placement]  # including references and kinds without decisions
    reported: Mapping[Any, Reported]
    facts: Mapping[Any, Facts]  # by submission

    @cached_property
    def short_names(self) -> dict[Any, str]:
        return short_names(self.everybody)

    @cached_property
    def systems(self) -> list[BoardSystem]:
        """The systems that compete for ranks, in board order."""
        return self._systems_of(placement for placement in self.everybody if not placement.apart)

    @cached_property
    def references(self) -> list[BoardSystem]:
        """The reference systems, in the order of their headline."""
        return self._systems_of(placement for placement in self.everybody if placement.reference)

    @property
    def why_no_ranks(self) -> str:
        """Reason for which no system on the board has a rank; empty if some systems are ranked."""
        return ranking.why_no_ranks(self.everybody)

    @property
    def headline(self) -> Column:
        """The metric that charts draw as quality: the headline over the chosen rows."""
        return slices.headline(self.version, self.part)

    @property
    def groups(self) -> Groups | None:
        """The groups into which charts divide the version's rows; None if there are no groups."""
        return groups_of(self.version)

    @cached_property
    def shows_rows(self) -> bool:
        """True if anonymous readers may see the verdicts of single rows."""
        return not verdicts.why_withheld(self.version, AnonymousUser())

    def value(self, system: BoardSystem) -> float | None:
        return (
            part_headline(self.version, system.placement.figure).value if self.part else system.reported.value
        )

    def _systems_of(self, chosen: Iterable[Placement]) -> list[BoardSystem]:
        return [
            BoardSystem(placement, self.facts[key], self.reported[key], self.short_names[key])
            for placement in chosen
            for key in (placement.key,)
            if key in self.reported and key in self.facts
        ]


def board_of(version: Version, query: QueryDict) -> FiguresBoard:
    """The board chosen by the parameters of a URL. Invalid parameters are ignored."""
    shown, filters, part = filtered(query, version)
    everybody = filters.kept(placements.board_placements(version, shown, part))
    return FiguresBoard(version, filters, part, everybody, reported_of(version), _facts_of(shown))


def _facts_of(shown: QuerySet[Submission]) -> dict[Any, Facts]:
    columns = (*(f"system__{name}" for name in FACTS), *prices.COLUMNS)
    rows = shown.order_by().values_list("pk", *columns)
    return {
        key: Facts._make([*of[: len(FACTS)], prices.per_question(*of[len(FACTS) :])]) for key, *of in rows
    }


def reported_of(version: Version) -> dict[Any, Reported]:
    """Map each submission on a board to the figures of its score. Cached until a score changes."""
    shown = Submission.objects.on_board(version)
    tells = stored.fingerprint(shown.order_by().values_list("pk", "score_id", "score__graded_at"))
    key = f"board-figures-{FORM}:{version.pk}:{version.shown_step}:{tells[:32]}"
    reported: dict[Any, Reported] = cache.get_or_set(key, lambda: dict(_read(version)), KEEP_SECONDS)
    return reported


def spread_metric(version: Version) -> Metric | None:
    """Metric of how much a rate depends on the order of the evidence. Returns None if the version has none."""
    metrics = version.bound.metrics.values() if version.suite.display.dots else ()
    return next((metric for metric in metrics if metric.reduction is Reduction.SPREAD), None)


def _read(version: Version) -> Iterable[tuple[Any, Reported]]:
    """Read each score of a board as (key of the submission, figures). One query, only of fields that charts use."""
    groups, spread = groups_of(version), spread_metric(version)
    columns = (
        "pk",
        "score__headline",
        KeyTransform(version.headline.name, "score__intervals"),
        "efficiency__tokens_per_query",
        "score__spread",
        KeyTransform(spread.name if spread else "", "score__intervals"),
        "score__failures",
        KeyTransform(groups.grouping if groups else "", "score__groups"),
        "score__by_split",
        "source",
        "conditions",
        "row_count",
        "score__gates",
        "score__metrics",
        "score__intervals",
    )
    rows = Submission.objects.on_board(version).filter(score__isnull=False).order_by().values_list(*columns)
    for (
        key,
        value,
        ends,
        tokens,
        orders,
        distance,
        failures,
        members,
        by_split,
        source,
        splits,
        count,
        gates,
        metrics,
        intervals,
    ) in rows.iterator(200):
        yield (
            key,
            Reported(
                value,
                interval({"": ends}, ""),
                tokens or None,
                [(order, rate) for order, rate in orders],
                _ends(distance),
                failures,
                sum(version.conditions.get(split, 0) for split in splits) or count,
                groups.figures(members or {}) if groups else {},
                _gates(version, gates, metrics, intervals) if by_split else [],
                by_split,
                source == Submission.Source.MEAN,
            ),
        )


def _gates(
    version: Version, kept: Sequence[str], metrics: Mapping[str, Any], intervals: Mapping[str, Any]
) -> Sequence[str]:
    """States of the requirements. Stored states come from exact figures; if they are incomplete, computes states."""
    gates = version.bound.gates(metrics, intervals)
    return kept if len(kept) == len(gates) else [gate.state for gate in gates]


def _ends(ends: Any) -> Interval:
    """The stored interval, which unlike that of `interval` may have no width."""
    return (ends[0], ends[1]) if ends else None
