"""The placements on a board: every shown submission in order, ranked if a worker has computed the ranks.

A board may have a thousand systems, so this reads tuples, not model instances. Nothing is ranked in a request: a worker
calls `store`, and `board_placements` reads the result. Filters hide placements and do not change them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from django.db import transaction
from django.db.models import QuerySet, TextField
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast

from evaluation.core.statistics import VERSION as STATISTICS
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown as sealed
from leaderboard.boards import guessing, prices, slices
from leaderboard.boards.placements import ahead, ranking, signals, stored
from leaderboard.boards.placements.contestants import (
    EXEMPT_BY,
    RANKED_BY,
    contestants_of,
    contestants_of_scores,
    exemptions,
    unit_strata,
)
from leaderboard.boards.placements.ranking import COMPUTING, CROSSED, RANKING, Contestant, Figure, Placement
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.submissions.models import Score, Submission
from leaderboard.web.results_cache import cache

#: A key names one state of a board and is unused once the board changes: this only bounds the size of the cache.
KEEP_SECONDS = 24 * 3600
KEEP_LOWEST = 30 * KEEP_SECONDS
#: A sort key beside the columns: the headline scaled between floor and ceiling, see `boards.scaled`.
SCALED = "scaled"
#: Cache prefix; changes with the fields of a placement, because entries of an older release may still be cached.
KEY = f"places-{stored.fingerprint([RANKING])[:8]}"


class State(NamedTuple):
    #: Changes when a submission joins, leaves or is graded again, or its system is no longer ranked.
    fingerprint: str
    names: Mapping[Any, str]  # submission -> name of its system


def board_placements(
    version: Version, shown: QuerySet[Submission], part: BoardSlice, state: State | None = None
) -> list[Placement]:
    """The placements of the submissions on a board, best first. Submissions without a rank are last."""
    state = state or board_state(version, shown)
    named = hashlib.sha256(f"{state} {part.name}".encode()).hexdigest()[:32]
    key = f"{KEY}:{version.pk}:{named}"
    placements: list[Placement] | None = cache.get(key)
    if placements is None:
        why = why_diagnostic(version)
        placements = None if why else stored.read(version, part.name, state.fingerprint)
        if placements is None:
            why = why or (CROSSED if len(part.parts) + bool(part.family) > 1 else COMPUTING)
            placements = _without_ranks(version, shown, part, why)
        for placement in placements:
            placement.name = state.names.get(placement.key, placement.name)
        if ranking.why_no_ranks(placements) != COMPUTING:
            cache.set(key, placements, KEEP_SECONDS)
    return placements


def stored_parts(version: Version, parts: Sequence[BoardSlice], state: State) -> dict[str, list[Placement]]:
    """Map the name of each part to its placements, for parts stored in this state of the board. One query."""
    if why_diagnostic(version):
        return {}
    found = stored.read_several(version, [part.name for part in parts], state.fingerprint)
    for placement in (each for board in found.values() for each in board):
        placement.name = state.names.get(placement.key, placement.name)
    return found


def _without_ranks(
    version: Version, shown: QuerySet[Submission], part: BoardSlice, why: str
) -> list[Placement]:
    """Placements without ranks, ordered by headline. `why` is their reason. Asks a worker for missing ranks."""
    if why == COMPUTING:
        ahead.ask(version.pk)
    return _place(version, contestants_of(version, shown, [part])[0], part, unranked=why)


def why_diagnostic(version: Version) -> str:
    """Why a version has no ranks: public twin, attacker above its ceiling, or too few units. Empty if it has ranks."""
    if version.is_twin:
        return ranking.TWIN
    report = version.attack_report
    if report and (why := ranking.guessable(report["diagnostic"])):
        return why
    return ranking.diagnostic(version.drawn.units, version.drawn.unit)


def board_state(version: Version, shown: QuerySet[Submission]) -> State:
    """The present state of a board, which its ranks depend on. One query, or two if several systems share a name."""
    return _state(version, [row for _, row in _state_rows(shown)])


def board_states(versions: Sequence[Version], left_out: Mapping[int, Collection[Any]]) -> dict[int, State]:
    """Map the key of each version to the state of its board without submissions in `left_out`. Two queries at most."""
    rows: dict[int, list[Any]] = {version.pk: [] for version in versions}
    for version_id, row in _state_rows(Submission.objects.filter(version__in=versions, shown=True)):
        if row[0] not in left_out[version_id]:
            rows[version_id].append(row)
    return {version.pk: _state(version, rows[version.pk]) for version in versions}


def _state_rows(shown: QuerySet[Submission]) -> Iterator[tuple[int, list[Any]]]:
    as_text = [Cast(name, TextField()) for name in ("pk", "score__graded_at")]  # cheaper than as objects
    columns = ("version_id", "pk", "system__name", *EXEMPT_BY, "score_id")
    for version_id, *row in shown.order_by().values_list(*columns, *as_text):
        yield version_id, row


def _state(version: Version, rows: Sequence[list[Any]]) -> State:
    exempt = exemptions(version)
    scores = ((pk, at, score, exempt.stands(*exempt_by)[0]) for _, _, *exempt_by, score, pk, at in rows)
    names = {key: name for key, name, *_ in sorted(rows, key=str)}
    return State(_fingerprint(version, scores), names | _told_apart(names))


def _told_apart(names: Mapping[Any, str]) -> dict[Any, str]:
    times = Counter(names.values())
    again = [key for key, name in names.items() if times[name] > 1]
    if not again:
        return {}
    owners = Submission.objects.filter(pk__in=again).order_by().values_list("pk", "system__owner__username")
    return {key: f"{names[key]} · {owner}" for key, owner in owners}


def ranked_parts(version: Version) -> list[BoardSlice]:
    """The boards of a version that have ranks: over all rows, and over each single part of the rows."""
    chosen = [{facet.name: part} for facet in slices.facets_of(version) for part, _ in facet.choices]
    return [WHOLE, *(slices.board_slice(version, choice) for choice in chosen)]


def store(version: Version) -> int:
    """Compute and store outdated placements of a version's ranked boards. Returns the number of stored boards."""
    return store_parts(version, Submission.objects.on_board(version), ranked_parts(version))


def store_parts(version: Version, shown: QuerySet[Submission], parts: Sequence[BoardSlice]) -> int:
    """Compute and store outdated placements of the boards over `parts`. Returns the number of stored boards."""
    now = board_state(version, shown).fingerprint
    late = [part for part in parts if not stored.is_fresh(version, part.name, now)]
    for part, contestants in zip(late, contestants_of(version, shown, late), strict=True):
        former, key = stored.former(version, part.name), _lowest_key(version, part)
        last = _last_test(former)
        known: ranking.Lowest = cache.get(key) or {}
        placements = _place(version, contestants, part, last=last, known=known)
        with transaction.atomic():
            stored.write(version, part.name, now, placements, last.name)
            if part == WHOLE and former:
                signals.ranked.send(Version, version=version, before=former.placements, after=placements)
        if known:
            cache.set(key, known, KEEP_LOWEST)
        # renewed per board: all boards of a version may take longer than the notice lasts
        ahead.tell_at_work(version.pk)
    return len(late)


def _lowest_key(version: Version, part: BoardSlice) -> str:
    """Cache key for rates of a board whose headline is the lowest of several. They take 5 ms per system to compute."""
    named = hashlib.sha256(f"{part.name} {STATISTICS}".encode()).hexdigest()[:16]
    return f"lowest-rates:{version.pk}:{named}"


def _last_test(former: stored.Former | None) -> ranking.LastTest:
    """The stored result of the last rank test of a board. Empty if none is stored."""
    if former is None:
        return ranking.LastTest()
    ranked = {each.key: each.as_tested() for each in former.placements if each.rank is not None}
    return ranking.LastTest(former.test, ranked)


def is_late(version: Version) -> bool:
    if why_diagnostic(version):
        return False
    now = board_state(version, Submission.objects.on_board(version)).fingerprint
    return any(not stored.is_fresh(version, part.name, now) for part in ranked_parts(version))


def score_placements(version: Version, scores: Mapping[Any, Score], board: str) -> list[Placement]:
    """The placements that `store_scores` stored for these scores, without ranks if missing. Systems must be loaded."""
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
    """Compute and store the placements of given scores under the name `board`. Returns False if already stored."""
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
            (each.pk, each.graded_at.isoformat(), exempt.for_submission(each.submission)[0])
            for each in scores.values()
        ),
    )


def _fingerprint(version: Version, scores: Iterable[object]) -> str:
    """Fingerprint of the data that the ranks depend on: the scores, and the revision of the guessing scores."""
    return stored.fingerprint([*scores, (version.guessing.get("revision"), version.guessing.get("grader"))])


def apart(version: Version, first: Any, second: Any) -> Literal["better", "worse", "tied"] | None:
    """Compare two submissions by their rank ranges. Returns None unless both are ranked."""
    board = board_placements(version, Submission.objects.on_board(version), WHOLE)
    one, other = (find(board, key)[0] for key in (first, second))
    if one is None or other is None or one.rank is None or other.rank is None:
        return None
    if ranking.are_tied(one, other):
        return "tied"
    return "better" if one.rank < other.rank else "worse"


def find(placements: Sequence[Placement], key: Any) -> tuple[Placement | None, int]:
    """The placement of a submission (None if the board does not show it), and the number of ranked placements."""
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
        placements[0].lead_ends = None  # finer than what is shown
    return placements


def _with_figure(version: Version, contestant: Contestant, figure: Figure | None) -> Contestant:
    if figure is None:
        return contestant
    ends = sealed.figure(version, *figure).interval
    return contestant._replace(value=figure.value, ends=ends)


def _shown_lead(version: Version, first: Placement, second: Placement) -> float | None:
    """Lead of the first over the second in figures as a sealed version shows them; None if a figure is missing."""
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
    """Rank contestants by headline; slow, so only for workers. If `unranked` is a reason, gives no ranks, fast."""
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
    """Order placements by a column. An unknown name keeps the order by rank.

    In both directions the list ends with systems without a value, systems not above guessing, and unranked systems.

    Args:
        shown: The submissions that the values are read from: at least the submissions of the placements.
        by: A column of the suite, `system`, `value`, `tokens`, `price`, `when`, `released` or `context`; a
            leading minus reverses it, as in `-rank`.
        part: The rows whose figures are sorted by. If two facets choose the rows, the headline is the only metric.
        in_place: True: references are sorted among the other systems, instead of after them.
        beside: Values of further columns: name -> submission -> value.
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
    return sorted(placements, key=lambda placement: not placement.above)


def _sort_values(
    version: Version,
    shown: QuerySet[Submission],
    placements: Sequence[Placement],
    name: str,
    part: BoardSlice,
) -> dict[Any, Any] | None:
    if name == "value" and part:
        return {placement.key: placement.figure.value for placement in placements if placement.figure}
    fields = {
        "system": "system__name",
        "value": "ranked_by",
        "tokens": "efficiency__tokens_per_query",
        "when": "created_at",
        "released": "system__released",
        "context": "system__context",
    }
    if name == "price":
        return prices.board_prices(shown)
    if name in fields:
        annotated = shown.annotate(ranked_by=RANKED_BY).order_by()
        return dict(annotated.values_list("pk", fields[name]))
    if name not in {column.name for column in version.columns}:
        return None
    return dict(shown.order_by().values_list("pk", _figure(name, part))) if part.group or not part else {}


def _figure(name: str, part: BoardSlice) -> KeyTransform:
    """Query expression for a metric. Keys are looked up one by one, because the name of a split may contain `__`."""
    if part.group is None:
        return KeyTransform(name, "score__metrics")
    grouping, group = part.group
    members = KeyTransform(group, KeyTransform(grouping, "score__groups"))
    return KeyTransform(name, KeyTransform("metrics", members))


def _comparable(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value
