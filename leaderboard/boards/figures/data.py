"""What the figures of a board read: a few numbers of each system, read once for each state of the board.

A thousand scores are some 20 MB of JSON. What figures need of them is kept in the results cache under the fingerprint
of the board, without names, which change without a new grading.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models.fields.json import KeyTransform
from django.http import QueryDict
from django.urls import reverse

from evaluation.core.metric import Metric, Reduction
from evaluation.core.suite import Column
from leaderboard.benchmarks.models import Version
from leaderboard.boards import slices
from leaderboard.boards.figures.groups import Groups, groups_of
from leaderboard.boards.filters import BoardFilter, filtered
from leaderboard.boards.placements import placements, ranking, stored
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.rows import of_part
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions import verdicts
from leaderboard.submissions.models import Submission
from leaderboard.submissions.scores.score_tables import Interval, interval
from leaderboard.web.results_cache import cache

KEEP_SECONDS = 24 * 3600
#: Another one whenever `Reported` gets another form: what an earlier release kept may be there still.
FORM = 1

GroupFigure = tuple[float | None, float | None, float | None]  # value, low, high


class Reported(NamedTuple):
    """What the score of a system says. Figures of a version that keeps its answers are rounded."""

    value: float | None  # the headline
    ends: Interval
    tokens: float | None  # per query
    orders: Sequence[tuple[str, float | None]]  # the order bias: order -> rate
    spread: Interval  # of the distance between orders
    failures: Mapping[str, int]
    rows: int  # what failures are counted over
    groups: Mapping[str, GroupFigure]  # of the grouping that the board is divided by
    by_split: bool  # whether anything but the headline is shown
    is_mean: bool


@dataclass(frozen=True, slots=True)
class OfSystem:
    """A system on the board."""

    placement: Placement
    owner: str
    slug: str
    reported: Reported

    @property
    def name(self) -> str:
        return self.placement.name

    @property
    def reference(self) -> str:
        """Its role, where it is a reference; empty for others."""
        return self.placement.reference

    @property
    def label(self) -> str:
        """Its name in a picture: that of a reference behind its role, as names may be cut off."""
        return f"{self.reference}: {self.name}" if self.reference else self.name

    @property
    def url(self) -> str:
        """Its page."""
        return reverse("leaderboard:system", args=[self.owner, self.slug])

    @property
    def rows_url(self) -> str:
        """The page of its rows, for who may see them."""
        return reverse("leaderboard:submission_rows", args=[self.placement.key])


@dataclass
class FiguresBoard:
    """The systems of a board that the filters leave, in its order."""

    version: Version
    filters: BoardFilter
    part: BoardSlice
    everybody: list[Placement]  # as the board has them: references and kinds that decide nothing among them
    reported: Mapping[Any, Reported]
    addresses: Mapping[Any, tuple[str, str]]  # submission -> owner and slug of its system

    @cached_property
    def systems(self) -> list[OfSystem]:
        """Who contests the board, in board order."""
        return self._of_system(placement for placement in self.everybody if not placement.apart)

    @cached_property
    def references(self) -> list[OfSystem]:
        """The reference systems, in the order of their headline."""
        return self._of_system(placement for placement in self.everybody if placement.reference)

    @property
    def why_nobody(self) -> str:
        """Why nobody of the board has a rank; empty where some have."""
        return ranking.why_nobody(self.everybody)

    @property
    def headline(self) -> Column:
        """What is drawn as quality: of the part that the address chooses."""
        return slices.headline(self.version, self.part)

    @property
    def groups(self) -> Groups | None:
        """How the rows of the version divide; None where they do not."""
        return groups_of(self.version)

    @cached_property
    def shows_rows(self) -> bool:
        """Whether everybody may see what came of single rows."""
        return not verdicts.why_withheld(self.version, AnonymousUser())

    def value(self, system: OfSystem) -> float | None:
        """The headline of a system, over the rows that the address chooses."""
        return of_part(self.version, system.placement.figure).value if self.part else system.reported.value

    def _of_system(self, chosen: Iterable[Placement]) -> list[OfSystem]:
        return [
            OfSystem(placement, *self.addresses[placement.key], self.reported[placement.key])
            for placement in chosen
            if placement.key in self.reported and placement.key in self.addresses
        ]


def board_of(version: Version, query: QueryDict) -> FiguresBoard:
    """The board as an address asks for it.

    Args:
        version: Whose board it is.
        query: Of the address: the filters of the board. What is not valid in it counts as no choice.
    """
    shown, filters, part = filtered(query, version)
    everybody = filters.kept(placements.board_placements(version, shown, part))
    columns = ("pk", "system__owner__username", "system__slug")
    addresses = {key: (owner, slug) for key, owner, slug in shown.order_by().values_list(*columns)}
    return FiguresBoard(version, filters, part, everybody, reported_of(version), addresses)


def reported_of(version: Version) -> dict[Any, Reported]:
    """What the scores on a board say, kept while they are the same.

    Args:
        version: Whose board it is.

    Returns:
        submission -> its figures.
    """
    shown = Submission.objects.on_board(version)
    tells = stored.fingerprint(shown.order_by().values_list("pk", "score_id", "score__graded_at"))
    key = f"board-figures-{FORM}:{version.pk}:{version.shown_step}:{tells[:32]}"
    found: dict[Any, Reported] | None = cache.get(key)
    if found is None:
        found = dict(_read(version))
        cache.set(key, found, KEEP_SECONDS)
    return found


def spread_metric(version: Version) -> Metric | None:
    """The figure of a version that says how far a rate moves between orders; None where it marks no order.

    Args:
        version: Any.
    """
    metrics = version.bound.metrics.values() if version.suite.display.dots else ()
    return next((metric for metric in metrics if metric.reduction is Reduction.SPREAD), None)


def _read(version: Version) -> Iterable[tuple[Any, Reported]]:
    """One query, without what no figure shows: of all groups those of one grouping are read."""
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
                by_split,
                source == Submission.Source.MEAN,
            ),
        )


def _ends(ends: Any) -> Interval:
    """An interval as it is kept; one whose ends are equal is one, too."""
    return (ends[0], ends[1]) if ends else None
