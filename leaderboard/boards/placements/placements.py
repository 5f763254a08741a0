"""The places on a board: every shown submission in order, ranked where a worker has computed the ranks.

There may be a thousand systems, so this reads tuples. Nothing is ranked in a request: `store` is what a worker calls,
and `board_placements` reads what it stored. Where two facets cross, the figures stand in order without ranks. Filters
hide places and change none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from django.db.models import QuerySet, TextField
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast, Coalesce
from numpy.typing import NDArray

from evaluation.core.statistics import VERSION
from evaluation.core.suite import unit_icc_of
from leaderboard.benchmarks import disclosure
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown as sealed
from leaderboard.boards import guessing, slices
from leaderboard.boards.placements import ahead, ranking, stored
from leaderboard.boards.placements.ranking import (
    COMPUTING,
    CROSSED,
    RANKING,
    SELF_REPORTED,
    Contestant,
    Figure,
    Placement,
)
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores import score_sums
from leaderboard.web.results_cache import cache

#: A key names one state of a board and is not asked for once the board changed: this only bounds what is kept.
KEEP_SECONDS = 24 * 3600
#: What a board can be sorted by beside its columns: the headline between floor and ceiling, see `boards.scaled`.
SCALED = "scaled"
#: Of the cache: another one whenever a place gets another form, as what an older release kept may be there still.
KEY = f"places-{stored.fingerprint([RANKING])[:8]}"


#: The headline before it is rounded, as versions that keep their answers show it.
RANKED_BY = Coalesce("score__exact_headline", "score__headline")


class State(NamedTuple):
    """What a board shows now: one query."""

    fingerprint: (
        str  # changes when a submission joins, leaves or is graded again, or its system is ranked no more
    )
    names: Mapping[Any, str]  # of the system of each submission


def board_placements(version: Version, shown: QuerySet[Submission], part: BoardSlice) -> list[Placement]:
    """The places of the submissions of a board, best first.

    Args:
        version: Whose board it is.
        shown: The submissions of it.
        part: Whose rows to order by.

    Returns:
        The place of each submission, those without a rank last.
    """
    state = board_state(version, shown)
    named = hashlib.sha256(f"{state} {part.name}".encode()).hexdigest()[:32]
    key = f"{KEY}:{version.pk}:{named}"
    placements: list[Placement] | None = cache.get(key)
    if placements is None:
        why = why_diagnostic(version)
        placements = None if why else stored.read(version, part.name, state.fingerprint)
        if placements is None:
            why = why or (CROSSED if len(part.parts) > 1 else COMPUTING)
            placements = _without_ranks(version, shown, part, why)
        for placement in placements:
            placement.name = state.names.get(placement.key, placement.name)
        if ranking.why_nobody(placements) != COMPUTING:
            cache.set(key, placements, KEEP_SECONDS)
    return placements


def _without_ranks(
    version: Version, shown: QuerySet[Submission], part: BoardSlice, why: str
) -> list[Placement]:
    """The figures in order, and why nobody is ranked. Ranks that are only late are asked for."""
    if why == COMPUTING:
        ahead.ask(version.pk)
    return _place(version, contestants_of(version, shown, [part])[0], part, unranked=why)


def why_diagnostic(version: Version) -> str:
    """Why a version ranks nobody: a twin, an attacker above its ceiling, too few units; empty where it ranks."""
    if version.is_twin:
        return ranking.TWIN
    report = version.attack_report
    if report and (why := ranking.guessable(report["diagnostic"])):
        return why
    return ranking.diagnostic(*version.suite.drawn_units(version.unit_count, version.conditions))


def board_state(version: Version, shown: QuerySet[Submission]) -> State:
    """What a board shows now. One query.

    Args:
        version: Whose board it is.
        shown: The submissions of it.
    """
    as_text = [Cast(name, TextField()) for name in ("pk", "score__graded_at")]  # cheaper than as objects
    exempt = exemptions(version)
    rows = list(shown.order_by().values_list("pk", "system__name", *EXEMPT_BY, "score_id", *as_text))
    scores = ((pk, at, score, exempt.stands(*exempt_by)[0]) for _, _, *exempt_by, score, pk, at in rows)
    return State(_fingerprint(version, scores), {key: name for key, name, *_ in sorted(rows, key=str)})


def ranked_parts(version: Version) -> list[BoardSlice]:
    """The boards of a version that have ranks: by all of its rows, and by each single part of them."""
    chosen = [{facet.name: part} for facet in slices.facets_of(version) for part, _ in facet.choices]
    return [WHOLE, *(slices.board_slice(version, choice) for choice in chosen)]


def store(version: Version) -> int:
    """Compute and store the places on every board of a version that has ranks, where they are not those of now.

    Args:
        version: Whose boards they are.

    Returns:
        How many boards were computed.
    """
    shown = Submission.objects.on_board(version)
    now = board_state(version, shown).fingerprint
    late = [part for part in ranked_parts(version) if not stored.is_fresh(version, part.name, now)]
    for part, contestants in zip(late, contestants_of(version, shown, late), strict=True):
        stored.write(version, part.name, now, _place(version, contestants, part))
    return len(late)


def is_late(version: Version) -> bool:
    """Whether a board of this version waits for its ranks."""
    if why_diagnostic(version):
        return False
    now = board_state(version, Submission.objects.on_board(version)).fingerprint
    return any(not stored.is_fresh(version, part.name, now) for part in ranked_parts(version))


def of_scores(version: Version, scores: Mapping[Any, Score], board: str) -> list[Placement]:
    """The places of given scores, as `store_scores` stored them.

    Args:
        version: That all of them are of.
        scores: By submission, with submissions and systems loaded.
        board: What the places are stored as.

    Returns:
        The place of each submission; in order and without ranks where none of these scores are stored.
    """
    if why := why_diagnostic(version):
        return rank(version, _of_scores(version, scores), unranked=why)
    placements = stored.read(version, board, _fingerprint_of(version, scores))
    if placements is None:
        ahead.ask(version.pk)
        return rank(version, _of_scores(version, scores), unranked=COMPUTING)
    for placement in placements:
        placement.name = scores[placement.key].submission.system.name
    return placements


def store_scores(version: Version, scores: Mapping[Any, Score], board: str) -> bool:
    """Compute and store the places of given scores, unless these are stored.

    Args:
        version: That all of them are of.
        scores: By submission, with submissions and systems loaded.
        board: What the places are stored as.

    Returns:
        Whether they were computed.
    """
    of = _fingerprint_of(version, scores)
    if stored.is_fresh(version, board, of):
        return False
    stored.write(version, board, of, rank(version, _of_scores(version, scores)))
    return True


def _fingerprint_of(version: Version, scores: Mapping[Any, Score]) -> str:
    exempt = exemptions(version)
    return _fingerprint(
        version,
        (
            (each.pk, each.graded_at.isoformat(), _exempt(exempt, each.submission)[0])
            for each in scores.values()
        ),
    )


def _fingerprint(version: Version, scores: Iterable[object]) -> str:
    """Of what a board ranks: the scores, and by which attackers its guessing line is drawn."""
    return stored.fingerprint([*scores, (version.guessing.get("revision"), version.guessing.get("grader"))])


def _exempt(exempt: Exemptions, submission: Submission) -> tuple[str, str]:
    system = submission.system
    return exempt.stands(system.kind, system.reference, submission.source, submission.verified)


def _of_scores(version: Version, scores: Mapping[Any, Score]) -> list[Contestant]:
    exempt, lowest = exemptions(version), slices.worst_of(version, WHOLE)
    contestants = []
    for key, score in scores.items():
        of_score = (score.ranked_by, score.gated, bytes(score.unit_scores), bytes(score.robust_scores))
        stands = _exempt(exempt, score.submission)
        contestant = Contestant(key, score.submission.system.name, *of_score, *stands)
        contestant = contestant._replace(ends=_ends(score.intervals.get(version.headline.name)))
        if lowest:
            contestant = _by_lowest(contestant, lowest, score.cells, bytes(score.cell_scores))
        contestants.append(contestant)
    return contestants


def apart(version: Version, first: Any, second: Any) -> Literal["better", "worse", "tied"] | None:
    """What the board of a version says of two of its systems.

    Args:
        version: Whose board it is, by all of its rows.
        first: The primary key of a submission.
        second: That of another one.

    Returns:
        What the first is beside the second, which holds for all pairs of the board together; None where not both
        of them have a rank.
    """
    board = board_placements(version, Submission.objects.on_board(version), WHOLE)
    one, other = (find(board, key)[0] for key in (first, second))
    if one is None or other is None or one.rank is None or other.rank is None:
        return None
    if ranking.are_tied(one, other):
        return "tied"
    return "better" if one.rank < other.rank else "worse"


#: Of a submission: what decides whether it takes part in a ranking.
EXEMPT_BY = ("system__kind", "system__reference", "source", "verified")


class Exemptions(NamedTuple):
    """Which submissions of a version stand apart from its ranking."""

    kinds: Mapping[str, str]  # kind of system -> why the suite does not rank it
    ranks_uploads: bool  # see `Disclosure.ranks_uploads`

    def stands(self, kind: str, reference: str, source: str, verified: bool) -> tuple[str, str]:
        """Why a submission stands apart, and its role as a reference; both are empty for one that takes part.

        Args:
            kind: The system's. A kind that decides nothing is no reference for systems that decide.
            reference: Its role, `System.reference`.
            source: `Submission.source`.
            verified: `Submission.verified`.
        """
        if kind in self.kinds:
            return self.kinds[kind], ""
        if reference:
            return ranking.reference_reason(reference), reference
        reported = Submission.origin_of(source, verified) == Submission.Origin.REPORTED
        return (SELF_REPORTED if reported and not self.ranks_uploads else ""), ""


def exemptions(version: Version) -> Exemptions:
    """Which submissions of a version stand apart from its ranking."""
    kinds = {kind: unranked.reason for kind, unranked in version.suite.unranked.items()}
    return Exemptions(kinds, disclosure.ranks_uploads(version))


def find(placements: Sequence[Placement], key: Any) -> tuple[Placement | None, int]:
    """The place of one submission.

    Args:
        placements: Of its board.
        key: Its primary key.

    Returns:
        Its place, None where the board does not show it; and how many of all places are ranked.
    """
    at = next((placement for placement in placements if placement.key == key), None)
    return at, sum(placement.rank is not None for placement in placements)


def contestants_of(
    version: Version, shown: QuerySet[Submission], parts: Sequence[BoardSlice]
) -> list[list[Contestant]]:
    """The systems of a board as ranking needs them.

    Args:
        version: Whose board it is.
        shown: The submissions of it.
        parts: Whose rows to order by: the headline over the rows that it is defined for, or over those of a part.

    Returns:
        The contestants for each of the parts, by name. One query, whatever their number; with parts another one for
        the repeats of means.
    """
    exempt, headline = exemptions(version), version.headline.name
    worst = [slices.worst_of(version, part) for part in parts]
    cells = ("score__cells", "score__cell_scores") if any(parts) or any(worst) else ()
    fields = ("pk", "system__name", "ranked_by", "score__gated", "score__by_split", "score__unit_scores")
    more = ("score__robust_scores", KeyTransform(headline, "score__intervals"), *EXEMPT_BY)
    exact = shown.annotate(ranked_by=RANKED_BY).order_by("system__name")
    rows = exact.values_list(*fields, *more, *cells)
    repeats = _cells_of_repeats(shown) if any(parts) else {}
    boards: list[list[Contestant]] = [[] for _ in parts]
    for key, name, value, gated, by_split, units, robust, ends, *others in rows:
        stands, of_cells = exempt.stands(*others[: len(EXEMPT_BY)]), others[len(EXEMPT_BY) :]
        whole = Contestant(key, name, value, gated, bytes(units), bytes(robust), *stands)
        whole = whole._replace(ends=_ends(ends))
        of_repeats = repeats.get(key, ())
        for board, part, lowest in zip(boards, parts, worst, strict=True):
            if part and not by_split:
                board.append(whole._replace(value=None, ends=None, units=b"", robust=b""))
                continue
            of_part = _by_part(whole, part, *of_cells, repeats=of_repeats) if part else whole
            if part and sealed.is_of_few(version, ranking.count_rows(of_part)):
                of_part = of_part._replace(units=b"", runs=())
            board.append(_by_lowest(of_part, lowest, *of_cells) if lowest else of_part)
    return boards


def _ends(stored_ends: Sequence[float] | None) -> tuple[float, float] | None:
    """An interval as JSON keeps it."""
    return (stored_ends[0], stored_ends[1]) if stored_ends else None


Cells = tuple[Sequence[Sequence[str]], bytes]


def _cells_of_repeats(shown: QuerySet[Submission]) -> dict[Any, list[Cells]]:
    """The cells of the repeats of each mean that a board shows."""
    means = shown.order_by().filter(source=Submission.Source.MEAN).values("pk")
    members = Submission.objects.filter(mean__in=means, score__isnull=False).order_by("repeat")
    by_mean: dict[Any, list[Cells]] = {}
    for mean, cells, packed in members.values_list("mean", "score__cells", "score__cell_scores"):
        by_mean.setdefault(mean, []).append((cells, bytes(packed)))
    return by_mean


def unit_strata(version: Version) -> NDArray[np.int64] | None:
    """[units], the number of each unit's stratum in the version's order; None is one stratum.

    Args:
        version: Whose units they are. Any score that the present statistics graded knows them.
    """
    known = Score.objects.filter(submission__version=version, statistics=VERSION).exclude(metric_sums=b"")
    packed = known.values_list("metric_sums", flat=True).first()
    return score_sums.strata(bytes(packed)) if packed else None


def _by_part(
    whole: Contestant,
    part: BoardSlice,
    cells: Sequence[Sequence[str]],
    packed: bytes,
    *,
    repeats: Sequence[Cells],
) -> Contestant:
    """A contestant by the rows of a part. Robustness is left out: it looks at other rows."""
    rates = [ranking.rate_of(units) for each in repeats if (units := part.units(*each))]
    runs = tuple(rate for rate in rates if rate is not None)
    is_whole = len(runs) == len(repeats) and len(runs) > 1
    units = part.units(cells, bytes(packed))
    return whole._replace(value=None, ends=None, units=units, robust=b"", runs=runs if is_whole else ())


def _by_lowest(
    contestant: Contestant, lowest: Sequence[BoardSlice], cells: Sequence[Sequence[str]], packed: bytes
) -> Contestant:
    """A contestant by the lowest rate of some slices; without units where it lacks one of them."""
    parts = tuple(each.units(cells, bytes(packed)) for each in lowest)
    return contestant._replace(parts=parts) if all(parts) else contestant._replace(units=b"", parts=())


def _place(
    version: Version, contestants: list[Contestant], part: BoardSlice, *, unranked: str = ""
) -> list[Placement]:
    icc = unit_icc_of(version.suite)
    figures = ranking.figures(contestants, unit_strata(version), icc=icc) if part else {}
    if part:
        contestants = [_with_figure(version, c, figures.get(c.key)) for c in contestants]
    placements = rank(version, contestants, part, unranked=unranked)
    for placement in placements:
        placement.figure = figures.get(placement.key)
    if version.shown_step and placements and placements[0].lead is not None:
        placements[0].lead = _shown_lead(version, placements[0], placements[1])
    return placements


def _with_figure(version: Version, contestant: Contestant, figure: Figure | None) -> Contestant:
    """A contestant by the figure of a part, its interval as pages show it."""
    if figure is None:
        return contestant
    ends = sealed.figure(version, *figure).interval
    return contestant._replace(value=figure.value, ends=ends)


def _shown_lead(version: Version, first: Placement, second: Placement) -> float | None:
    """How far the first is from the second by what a version that keeps its answers shows of both."""
    if first.figure and second.figure:
        values = [sealed.figure(version, *each).value for each in (first.figure, second.figure)]
    else:
        shown = Submission.objects.filter(pk__in=[first.key, second.key])
        values = list(shown.values_list("score__headline", flat=True))
    known = [value for value in values if value is not None]
    return round(abs(known[0] - known[-1]), 12) if len(known) > 1 else None


def rank(
    version: Version, contestants: Sequence[Contestant], part: BoardSlice = WHOLE, *, unranked: str = ""
) -> list[Placement]:
    """Systems in the order of a version's headline, ranked by its units. For a worker, unless nobody is ranked.

    Args:
        version: Whose headline it is.
        contestants: In any order, references among them.
        part: Whose rows their values are over.
        unranked: Why there are no ranks at all; empty: the test decides.

    Returns:
        The place of each of them, as `ranking.place` has it.
    """
    engine = version.suite
    strata = None if unranked else unit_strata(version)
    better = version.headline.better
    _, word = engine.drawn_units(version.unit_count, version.conditions)
    line = guessing.guessing_of(version, part)
    return ranking.place(
        contestants,
        better=better,
        unit=word,
        strata=strata,
        unranked=unranked,
        guessing=line.value if line else None,
    )


def sort(
    version: Version,
    shown: QuerySet[Submission],
    placements: list[Placement],
    by: str,
    part: BoardSlice,
    *,
    in_place: Any = False,
    beside: Mapping[str, Mapping[Any, Any]] | None = None,
) -> list[Placement]:
    """Order places as a reader asks for.

    Missing goes last either way, then what is not above guessing, and behind it what stands in a table of its own. An
    unknown name leaves the order by rank.

    Args:
        version: Whose board it is.
        shown: The submissions that the values are read of: at least those of the places.
        placements: In board order.
        by: A column of the suite, `system`, `value`, `tokens` or `when`; a leading minus turns it round, as in `-rank`.
        part: The part of the version whose figures are sorted by. Where two
            facets cross, no column but the headline is kept.
        in_place: Whether references stand among the others, in the order of the value, and not behind them.
        beside: The values of further columns: name -> submission -> value.

    Returns:
        The same places.
    """
    name, falling = by.removeprefix("-"), by.startswith("-")
    if name == SCALED:
        name, falling = "value", falling == (version.headline.better == "higher")
    there = [p for p in placements if not p.apart or (in_place and p.reference)]
    apart = [p for p in placements if p.apart and not (in_place and p.reference)]
    values: Mapping[Any, Any] | None = (beside or {}).get(name)
    if values is None:
        values = _sort_values(version, shown, there, name, part)
    if values is None:
        if in_place:
            headlines = _sort_values(version, shown, there, "value", part) or {}
            there = ranking.in_order(there, headlines, better=version.headline.better)
        return _guesses_last(there[::-1] if by == "-rank" else there) + apart
    known = [placement for placement in there if values.get(placement.key) is not None]
    known.sort(key=lambda placement: _comparable(values[placement.key]), reverse=falling)
    missing = [placement for placement in there if values.get(placement.key) is None]
    return _guesses_last(known + missing) + apart


def _guesses_last(placements: list[Placement]) -> list[Placement]:
    """Places in their order, those that are not above guessing behind the others."""
    return sorted(placements, key=lambda placement: not placement.above)


def _sort_values(
    version: Version,
    shown: QuerySet[Submission],
    placements: Sequence[Placement],
    name: str,
    part: BoardSlice,
) -> dict[Any, Any] | None:
    """What to sort by, of each submission; None for an unknown name."""
    if name == "value" and part:
        return {placement.key: placement.figure.value for placement in placements if placement.figure}
    fields = {
        "system": "system__name",
        "value": "ranked_by",
        "tokens": "efficiency__tokens_per_query",
        "when": "created_at",
    }
    if name in fields:
        annotated = shown.annotate(ranked_by=RANKED_BY).order_by()
        return dict(annotated.values_list("pk", fields[name]))
    if name not in {column.name for column in version.columns}:
        return None
    return dict(shown.order_by().values_list("pk", _figure(name, part))) if part.group or not part else {}


def _figure(name: str, part: BoardSlice) -> KeyTransform:
    """Where a score keeps a column: of the whole, or of one group. Key by key: a split may have any name."""
    if part.group is None:
        return KeyTransform(name, "score__metrics")
    grouping, group = part.group
    members = KeyTransform(group, KeyTransform(grouping, "score__groups"))
    return KeyTransform(name, KeyTransform("metrics", members))


def _comparable(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value
