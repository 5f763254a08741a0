"""The places on a board: every shown submission in order, ranked where a worker has computed the ranks.

There may be a thousand systems, so this reads tuples. Nothing is ranked in a request: `store` is what a worker calls,
and `board_placements` reads what it stored. Where two facets cross, the figures stand in order without ranks. Filters
hide places and change none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from django.db.models import QuerySet, TextField
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast

from evaluation.core.statistics import VERSION as STATISTICS
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown as sealed
from leaderboard.boards import guessing, slices
from leaderboard.boards.placements import ahead, ranking, stored
from leaderboard.boards.placements.contestants import (
    EXEMPT_BY,
    RANKED_BY,
    contestants_of,
    contestants_of_scores,
    exemptions,
    unit_strata,
)
from leaderboard.boards.placements.ranking import (
    COMPUTING,
    CROSSED,
    RANKING,
    Contestant,
    Figure,
    Placement,
)
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.submissions.models import Score, Submission
from leaderboard.web.results_cache import cache

#: A key names one state of a board and is not asked for once the board changed: this only bounds what is kept.
KEEP_SECONDS = 24 * 3600
KEEP_LOWEST = 30 * KEEP_SECONDS
#: What a board can be sorted by beside its columns: the headline between floor and ceiling, see `boards.scaled`.
SCALED = "scaled"
#: Of the cache: another one whenever a place gets another form, as what an older release kept may be there still.
KEY = f"places-{stored.fingerprint([RANKING])[:8]}"


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
    return ranking.diagnostic(version.drawn.units, version.drawn.unit)


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
        last, key = _last_test(version, part), _lowest_key(version, part)
        known: ranking.Lowest = cache.get(key) or {}
        placements = _place(version, contestants, part, last=last, known=known)
        stored.write(version, part.name, now, placements, last.name)
        if known:
            cache.set(key, known, KEEP_LOWEST)
        ahead.tell_at_work(version.pk)
    return len(late)


def _lowest_key(version: Version, part: BoardSlice) -> str:
    """Where the lowest rates of the systems of a board are kept: a landing adds one, at 5 ms for each of a thousand."""
    named = hashlib.sha256(f"{part.name} {STATISTICS}".encode()).hexdigest()[:16]
    return f"lowest-rates:{version.pk}:{named}"


def _last_test(version: Version, part: BoardSlice) -> ranking.LastTest:
    """The last test of a board. What lands often takes no part in it: a self-reported result, rows of other parts."""
    former = stored.former(version, part.name)
    if former is None:
        return ranking.LastTest()
    ranked = {each.key: each.as_tested() for each in former.placements if each.rank is not None}
    return ranking.LastTest(former.test, ranked)


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
        return rank(version, contestants_of_scores(version, scores), unranked=why)
    placements = stored.read(version, board, _fingerprint_of(version, scores))
    if placements is None:
        ahead.ask(version.pk)
        return rank(version, contestants_of_scores(version, scores), unranked=COMPUTING)
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
    stored.write(version, board, of, rank(version, contestants_of_scores(version, scores)))
    return True


def _fingerprint_of(version: Version, scores: Mapping[Any, Score]) -> str:
    exempt = exemptions(version)
    return _fingerprint(
        version,
        (
            (each.pk, each.graded_at.isoformat(), exempt.of_submission(each.submission)[0])
            for each in scores.values()
        ),
    )


def _fingerprint(version: Version, scores: Iterable[object]) -> str:
    """Of what a board ranks: the scores, and by which attackers its guessing line is drawn."""
    return stored.fingerprint([*scores, (version.guessing.get("revision"), version.guessing.get("grader"))])


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


def _place(
    version: Version,
    contestants: list[Contestant],
    part: BoardSlice,
    *,
    unranked: str = "",
    last: ranking.LastTest | None = None,
    known: ranking.Lowest | None = None,
) -> list[Placement]:
    icc = version.bound.unit_icc
    figures = ranking.figures(contestants, unit_strata(version), icc=icc, known=known) if part else {}
    if part:
        contestants = [_with_figure(version, c, figures.get(c.key)) for c in contestants]
    placements = rank(version, contestants, part, unranked=unranked, last=last)
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
    version: Version,
    contestants: Sequence[Contestant],
    part: BoardSlice = WHOLE,
    *,
    unranked: str = "",
    last: ranking.LastTest | None = None,
) -> list[Placement]:
    """Systems in the order of a version's headline, ranked by its units. For a worker, unless nobody is ranked.

    Args:
        version: Whose headline it is.
        contestants: In any order, references among them.
        part: Whose rows their values are over.
        unranked: Why there are no ranks at all; empty: the test decides.
        last: See `ranking.place`.

    Returns:
        The place of each of them, as `ranking.place` has it.
    """
    strata = None if unranked else unit_strata(version)
    better = version.headline.better
    word = version.drawn.unit
    line = guessing.guessing_of(version, part)
    return ranking.place(
        contestants,
        better=better,
        unit=word,
        strata=strata,
        unranked=unranked,
        guessing=line.value if line else None,
        last=last,
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
