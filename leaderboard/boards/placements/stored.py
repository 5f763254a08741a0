"""Placements in the database: written by a worker, read by every page that shows a rank.

A board is one value: zlib over JSON {"fields": [...], "places": [[...], …], "test": "..."}, in board order, the values
of a placement in the order of the fields. 1,000 placements take about 45 kB.
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

#: Names are read with the board: renaming a system changes no rank.
FIELDS = tuple(field.name for field in dataclasses.fields(Placement) if field.name != "name")


def fingerprint(state: Iterable[object]) -> str:
    """Hash of the data that ranks depend on, and of the fields of a placement. `state` has a value per score."""
    return hashlib.sha256(f"{FIELDS} {sorted(map(str, state))}".encode()).hexdigest()


def read(version: Version, part: str, of: str) -> list[Placement] | None:
    """The stored placements in board order, without names. None if none are stored with the fingerprint `of`."""
    return read_several(version, [part], of).get(part)


def read_several(version: Version, parts: Iterable[str], of: str) -> dict[str, list[Placement]]:
    """Map each part to its stored placements, if they have the fingerprint `of`. One query."""
    kept = StoredPlacements.objects.filter(version=version, ranking=RANKING, fingerprint=of)
    rows = kept.filter(part__in=list(parts)).values_list("part", "places")
    return {part: unpacked(bytes(packed)) for part, packed in rows}


class Former(NamedTuple):
    """The last stored placements of a board, even if its submissions have changed since."""

    placements: list[Placement]
    test: str  # see `ranking.test_name`
    at: datetime


def former(version: Version, part: str) -> Former | None:
    """The last stored placements of a board. None if they were stored with other fields or another ranking method."""
    kept = StoredPlacements.objects.filter(version=version, part=part, ranking=RANKING).first()
    if kept is None:
        return None
    content = jsonl.parse(zlib.decompress(bytes(kept.places)))
    if tuple(content["fields"]) != FIELDS:
        return None
    return Former(unpacked(bytes(kept.places)), content.get("test", ""), kept.computed_at)


def count_fresh(version: Version, parts: Iterable[str], of: str) -> int:
    """The number of boards (one per part) whose placements are stored with the fingerprint `of`."""
    kept = StoredPlacements.objects.filter(version=version, ranking=RANKING, fingerprint=of)
    return kept.filter(part__in=list(parts)).count()


def is_fresh(version: Version, part: str, of: str) -> bool:
    kept = StoredPlacements.objects.filter(version=version, part=part, ranking=RANKING, fingerprint=of)
    return kept.exists()


def write(version: Version, part: str, of: str, placements: Sequence[Placement], test: str = "") -> None:
    """Store the placements of a board, given in board order. They replace the stored placements."""
    fields = {"ranking": RANKING, "fingerprint": of, "places": packed(placements, test)}
    StoredPlacements.objects.update_or_create(version=version, part=part, defaults=fields)


def packed(placements: Sequence[Placement], test: str = "") -> bytes:
    """Compress placements for the database. `unpacked` reads them back, without names."""
    places = [[_plain(getattr(placement, name)) for name in FIELDS] for placement in placements]
    return zlib.compress(jsonl.dumps({"fields": FIELDS, "places": places, "test": test}))


def unpacked(data: bytes) -> list[Placement]:
    content = jsonl.parse(zlib.decompress(data))
    return [_placement(dict(zip(content["fields"], place, strict=True))) for place in content["places"]]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _placement(fields: dict[str, Any]) -> Placement:
    placement = Placement(**fields | {"key": UUID(fields["key"])})
    if fields["lead_ends"]:
        placement.lead_ends = tuple(fields["lead_ends"])
    if fields["figure"]:
        value, interval, rows = fields["figure"]
        placement.figure = Figure(value, tuple(interval) if interval else None, rows)
    return placement
