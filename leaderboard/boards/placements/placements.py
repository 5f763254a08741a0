"""The places on a board: every shown submission ranked, from a few numbers of each.

There may be a thousand systems, so this reads tuples, and keeps what it finds in the cache until the board changes.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet, TextField
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Cast

from evaluation.core.statistics import Difference
from evaluation.core.suite import Suite
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import ranking
from leaderboard.boards.placements.ranking import Contestant, Placement
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission
from leaderboard.submissions.services import headline_of
from leaderboard.web.results_cache import cache

#: A key names one state of a board and is not asked for once the board changed: this only bounds what is kept.
KEEP_SECONDS = 24 * 3600
#: Of the cache: another one whenever a place gets another form, as what an older release kept may be there still.
_FORM = ",".join([*(field.name for field in dataclasses.fields(Placement)), *Difference._fields])
KEY = f"places-{hashlib.sha256(_FORM.encode()).hexdigest()[:8]}"


def board_placements(version: Version, shown: QuerySet[Submission], part: BoardSlice) -> list[Placement]:
    """The places of the submissions of a (filtered) board, best first, by the rows of one part of the version."""
    key = f"{KEY}:{version.pk}:{_fingerprint(shown, part)}"
    found: list[Placement] | None = cache.get(key)
    if found is None:
        engine = version.suite
        better, reasons = headline_of(engine).better, unranked_reasons(engine)
        found = (
            _by_part(shown, part, better, reasons)
            if part
            else ranking.place(_contestants(shown, reasons), better=better)
        )
        cache.set(key, found, KEEP_SECONDS)
    return found


def unranked_reasons(engine: Suite) -> dict[str, str]:
    """Kind of system -> why a board of this suite does not rank it."""
    return {kind: unranked.reason for kind, unranked in engine.unranked.items()}


def find(placings: Sequence[Placement], key: Any) -> tuple[Placement | None, int]:
    """The place of one submission among these, and how many of them are ranked."""
    at = next((placing for placing in placings if placing.key == key), None)
    return at, sum(placing.rank is not None for placing in placings)


def _fingerprint(shown: QuerySet[Submission], part: BoardSlice) -> str:
    """Changes when a submission joins, leaves or is graded again, or its system is of another kind: one query."""
    as_text = [Cast(name, TextField()) for name in ("pk", "score__graded_at")]  # cheaper than as objects
    state = sorted(shown.order_by().values_list("score_id", "system__kind", *as_text))
    return hashlib.sha256(f"{state} {part.name} {shown.query}".encode()).hexdigest()[:32]


def _contestants(shown: QuerySet[Submission], reasons: Mapping[str, str]) -> list[Contestant]:
    """By the headline over the rows that it is defined for."""
    fields = ("pk", "system__name", "score__headline", "score__gated", "score__unit_scores")
    rows = shown.order_by("system__name").values_list(*fields, "score__robust_scores", "system__kind")
    return [
        Contestant(key, name, value, gated, bytes(units), bytes(robust), reasons.get(kind, ""))
        for key, name, value, gated, units, robust, kind in rows
    ]


def _by_part(
    shown: QuerySet[Submission], part: BoardSlice, better: str, reasons: Mapping[str, str]
) -> list[Placement]:
    """By the headline over the rows of a part. Robustness decides nothing there: it looks at other rows."""
    fields = ("pk", "system__name", "system__kind", "score__gated", "score__cells", "score__cell_scores")
    contestants = [
        Contestant(key, name, None, gated, part.units(cells, bytes(packed)), b"", reasons.get(kind, ""))
        for key, name, kind, gated, cells, packed in shown.order_by("system__name").values_list(*fields)
    ]
    figures = ranking.figures(contestants)
    placings = ranking.place(
        [c._replace(value=figures[c.key].value) if c.key in figures else c for c in contestants],
        better=better,
    )
    for placing in placings:
        placing.figure = figures.get(placing.key)
    return placings


def sort(
    version: Version, shown: QuerySet[Submission], placings: list[Placement], by: str, part: BoardSlice
) -> list[Placement]:
    """Order by a column of the suite, `system`, `value`, `tokens` or `when`; a leading minus turns it round.

    Missing goes last either way, and behind it what stands in a table of its own. An unknown name leaves the order
    by rank.
    """
    name, falling = by.removeprefix("-"), by.startswith("-")
    there, apart = ([p for p in placings if p.apart is side] for side in (False, True))
    values = _sort_values(version, shown, there, name, part)
    if values is None:
        return (there[::-1] if by == "-rank" else there) + apart
    known = [placing for placing in there if values.get(placing.key) is not None]
    known.sort(key=lambda placing: _comparable(values[placing.key]), reverse=falling)
    return known + [placing for placing in there if values.get(placing.key) is None] + apart


def _sort_values(
    version: Version, shown: QuerySet[Submission], placings: Sequence[Placement], name: str, part: BoardSlice
) -> dict[Any, Any] | None:
    """What to sort by, of each submission; None for an unknown name."""
    if name == "value" and part:
        return {placing.key: placing.figure.value for placing in placings if placing.figure}
    fields = {
        "system": "system__name",
        "value": "score__headline",
        "tokens": "efficiency__tokens_per_query",
        "when": "created_at",
    }
    if name in fields:
        return dict(shown.order_by().values_list("pk", fields[name]))
    if name not in {column.name for column in version.suite.columns}:
        return None
    return dict(shown.order_by().values_list("pk", _figure(name, part))) if part.group or not part else {}


def _figure(name: str, part: BoardSlice) -> KeyTransform:
    """Where a score keeps a column: of the whole, or of one group. Key by key: a condition may have any name."""
    if part.group is None:
        return KeyTransform(name, "score__metrics")
    grouping, group = part.group
    members = KeyTransform(group, KeyTransform(grouping, "score__groups"))
    return KeyTransform(name, KeyTransform("metrics", members))


def _comparable(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value
