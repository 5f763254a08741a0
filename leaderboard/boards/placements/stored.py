"""Placements in the database: written by a worker, read by whatever shows a rank.

The places of a board are one value: zlib over JSON {"fields": [...], "places": [[...], …], "test": "..."}, in board
order, a place with its fields in that order. 1,000 of them are about 45 kB.
"""

from __future__ import annotations

import dataclasses
import hashlib
import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from evaluation.core import jsonl
from leaderboard.benchmarks.models import Version
from leaderboard.boards.models import StoredPlacements
from leaderboard.boards.placements.ranking import RANKING, Figure, Placement

#: Names are read with the board: whoever renames a system changes no rank.
FIELDS = tuple(field.name for field in dataclasses.fields(Placement) if field.name != "name")


def fingerprint(state: Iterable[object]) -> str:
    """Of what is ranked: changes with it, and with the form of a place.

    Args:
        state: What tells each score from any other grading, in any order.
    """
    return hashlib.sha256(f"{FIELDS} {sorted(map(str, state))}".encode()).hexdigest()


def read(version: Version, part: str, of: str) -> list[Placement] | None:
    """The places as a worker stored them.

    Args:
        version: Whose board it is.
        part: Which of its boards.
        of: The fingerprint of what the board shows now.

    Returns:
        The places in board order, without names; None where none are stored of this state.
    """
    kept = StoredPlacements.objects.filter(version=version, part=part, ranking=RANKING, fingerprint=of)
    packed = kept.values_list("places", flat=True).first()
    return None if packed is None else unpacked(bytes(packed))


class Former(NamedTuple):
    """The places on a board as they were stored last, whatever it shows now."""

    placements: list[Placement]
    test: str  # names what was tested, see `ranking.test_name`
    at: datetime


def former(version: Version, part: str) -> Former | None:
    """The places that were stored last, of any state; None where there are none of the present form and test.

    Args:
        version: Whose board it is.
        part: Which of its boards.
    """
    kept = StoredPlacements.objects.filter(version=version, part=part, ranking=RANKING).first()
    if kept is None:
        return None
    content = jsonl.parse(zlib.decompress(bytes(kept.places)))
    if tuple(content["fields"]) != FIELDS:
        return None
    return Former(unpacked(bytes(kept.places)), content.get("test", ""), kept.computed_at)


def count_fresh(version: Version, parts: Iterable[str], of: str) -> int:
    """How many boards are stored in this state.

    Args:
        version: Whose boards they are.
        parts: Which of its boards.
        of: The fingerprint of what they show now.
    """
    kept = StoredPlacements.objects.filter(version=version, ranking=RANKING, fingerprint=of)
    return kept.filter(part__in=list(parts)).count()


def is_fresh(version: Version, part: str, of: str) -> bool:
    """Whether places of this state are stored.

    Args:
        version: Whose board it is.
        part: Which of its boards.
        of: The fingerprint of what the board shows now.
    """
    kept = StoredPlacements.objects.filter(version=version, part=part, ranking=RANKING, fingerprint=of)
    return kept.exists()


def write(version: Version, part: str, of: str, placements: Sequence[Placement], test: str = "") -> None:
    """Store the places of a board in the stead of its former ones.

    Args:
        version: Whose board it is.
        part: Which of its boards.
        of: The fingerprint of what was ranked.
        placements: In board order.
        test: Names what was tested.
    """
    fields = {"ranking": RANKING, "fingerprint": of, "places": packed(placements, test)}
    StoredPlacements.objects.update_or_create(version=version, part=part, defaults=fields)


def packed(placements: Sequence[Placement], test: str = "") -> bytes:
    """Places as the database keeps them; `unpacked` reads them back, without names.

    Args:
        placements: In board order.
        test: Names what was tested.
    """
    places = [[_plain(getattr(placement, name)) for name in FIELDS] for placement in placements]
    return zlib.compress(jsonl.dumps({"fields": FIELDS, "places": places, "test": test}))


def unpacked(data: bytes) -> list[Placement]:
    """The places that `packed` wrote."""
    content = jsonl.parse(zlib.decompress(data))
    return [_placement(dict(zip(content["fields"], place, strict=True))) for place in content["places"]]


def _plain(value: Any) -> Any:
    """JSON has no named tuples."""
    return list(value) if isinstance(value, tuple) else value


def _placement(fields: dict[str, Any]) -> Placement:
    placement = Placement(**fields | {"key": UUID(fields["key"])})
    if fields["figure"]:
        value, interval, rows = fields["figure"]
        placement.figure = Figure(value, tuple(interval) if interval else None, rows)
    return placement
