"""The boards of the front page: one row per model, and whether enough models are above guessing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from leaderboard.benchmarks.models import Benchmark, Version
from leaderboard.boards import headline_summary
from leaderboard.boards.guessing import Guessing, guessing_of_each
from leaderboard.boards.placements import families, placements, ranking
from leaderboard.boards.placements.ranking import Placement
from leaderboard.submissions.models import Submission, System

#: Number of models above guessing from which the page names a leader.
LEAST_MODELS = 3


class Entrant(NamedTuple):
    """A submission on a board, reduced to the fields that a list of boards needs."""

    system: int  # primary key; smaller ones were created earlier
    kind: str
    name: str
    model: str
    reading: str
    value: float | None
    origin: Submission.Origin
    when: datetime

    @property
    def title(self) -> str:
        """The model, or the name of a system that states no model."""
        return self.model or self.name

    @property
    def has_model(self) -> bool:
        return self.kind not in System.WITHOUT_MODEL


class Standing(NamedTuple):
    placement: Placement
    entrant: Entrant

    @property
    def counts(self) -> bool:
        """True if this site or its authors ran the system, and it has a model and a rank."""
        ours = self.entrant.origin != Submission.Origin.REPORTED
        return ours and self.entrant.has_model and self.placement.above and self.placement.rank is not None


@dataclass(frozen=True, slots=True)
class Board:
    """A board on the front page, with one row per model."""

    version: Version
    standings: Sequence[Standing]  # in board order, without references and unranked kinds
    systems: int  # on it, each harness counted
    guessing: float | None
    why_no_ranks: str  # empty if it has ranks
    hides: bool = False  # a ranked system is left out because another owner's has the same model

    def is_of(self, benchmark: Benchmark) -> bool:
        return self.version.benchmark_id == benchmark.pk

    @property
    def counting(self) -> list[Standing]:
        return [each for each in self.standings if each.counts]

    @property
    def leads(self) -> bool:
        """True if enough models count (`LEAST_MODELS`) that pages may name a leader."""
        return len(self.counting) >= LEAST_MODELS

    @property
    def ranked(self) -> list[Standing]:
        return [each for each in self.standings if each.placement.rank is not None]

    @property
    def leader(self) -> Standing | None:
        return next(iter(self.ranked), None)

    @property
    def tied(self) -> str:
        """Words such as "tied with 2 others" for the systems tied with the leader; empty without ties."""
        leader = self.leader
        if leader is None:
            return ""
        others = sum(ranking.are_tied(leader.placement, each.placement) for each in self.ranked) - 1
        return f"tied with {others:,} other{'s' if others > 1 else ''}" if others else ""

    @property
    def why_no_leader(self) -> str:
        if self.why_no_ranks == ranking.COMPUTING:
            return "ranks are being computed"
        if self.why_no_ranks:
            return "too small to rank"
        return "none above guessing" if self.standings else "no result yet"

    @property
    def last(self) -> datetime | None:
        """Time at which the newest of the listed results was submitted."""
        return max((each.entrant.when for each in self.standings), default=None)

    @property
    def finding(self) -> str:
        """Sentence about the leader, as on the board page, but over the systems listed here."""
        # The stored lead is over the next system, which may be hidden here.
        places = [
            replace(each.placement, name=each.entrant.title, lead=None if self.hides else each.placement.lead)
            for each in self.standings
        ]
        values = {each.placement.key: each.entrant.value for each in self.standings}
        better = self.version.headline.better
        return headline_summary.headline_summary(
            places, better=better, value_of=lambda place: values[place.key]
        )


def boards_of(versions: Sequence[Version]) -> list[Board]:
    """The boards of readable versions, in order. Four queries, plus one per board whose placements are not cached."""
    entrants, left_out = _entrants(versions), families.beside_main_ones(versions)
    states, guesses = placements.board_states(versions, left_out), guessing_of_each(versions)
    return [_board(each, entrants, left_out[each.pk], states[each.pk], guesses[each.pk]) for each in versions]


def _entrants(versions: Sequence[Version]) -> dict[UUID, Entrant]:
    shown = Submission.objects.filter(shown=True, version__in=versions, score__isnull=False).order_by()
    of_system = ("system_id", "system__kind", "system__name", "system__model", "system__reading")
    rows = shown.values_list("pk", *of_system, "score__headline", "source", "verified", "created_at")
    return {
        pk: Entrant(system, kind, name, model, reading, value, Submission.origin_of(source, verified), when)
        for pk, system, kind, name, model, reading, value, source, verified, when in rows
    }


def _board(
    version: Version,
    entrants: Mapping[UUID, Entrant],
    out: set[UUID],
    state: placements.State,
    guessing: Guessing | None,
) -> Board:
    """The board of a version with one system per model. `out` has the submissions that it leaves out."""
    shown = Submission.objects.on_board(version)
    part = families.part_of(version, families.MODELS if out else "")
    among = shown.exclude(pk__in=out) if out else shown
    everybody = placements.board_placements(version, among, part, state)
    contesting = [
        Standing(placement, entrants[placement.key])
        for placement in everybody
        if not placement.apart and placement.key in entrants
    ]
    takes_part = (entrants[key].origin != Submission.Origin.REPORTED for key in out if key in entrants)
    others = len(out) if version.disclosure.ranks_uploads else sum(takes_part)
    kept = one_per_model(contesting)
    return Board(
        version=version,
        standings=kept,
        systems=len(contesting) + others,
        guessing=guessing.value if guessing else None,
        why_no_ranks=ranking.why_no_ranks(everybody),
        hides=len(kept) < len(contesting),
    )


def one_per_model(standings: Sequence[Standing]) -> list[Standing]:
    """Keep one row per model, in board order. If several systems use one model, keeps the first created system.

    Results by this site or its authors take precedence over self-reported results.
    """
    chosen: dict[object, Standing] = {}
    for each in standings:
        model = each.entrant.title.casefold() if each.entrant.has_model else each.entrant.system
        if model not in chosen or _precedence(each) < _precedence(chosen[model]):
            chosen[model] = each
    kept = {each.placement.key for each in chosen.values()}
    return [each for each in standings if each.placement.key in kept]


def _precedence(standing: Standing) -> tuple[bool, int]:
    return standing.entrant.origin == Submission.Origin.REPORTED, standing.entrant.system
