"""Figures of lengths in the database: written by a worker, read by whatever shows them.

Those of a version are one value: zlib over JSON {"fields": [...], "systems": {submission: [...]}}, the figures of each
with its fields in that order.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from evaluation.core import jsonl
from evaluation.core.statistics import LengthFigures
from leaderboard.benchmarks.models import Version
from leaderboard.boards.models import StoredLengths

FIELDS = LengthFigures._fields
#: What the figures are computed by. Another one whenever a figure may come out otherwise: they are computed again.
METHOD = "paired ratio by recovered variance, guessing by rung, 3"


def read(version: Version, of: str) -> dict[Any, LengthFigures] | None:
    """The figures as a worker stored them.

    Args:
        version: Whose systems they are of.
        of: The fingerprint of what its board shows now.

    Returns:
        submission -> its figures; None where none are stored of this state.
    """
    kept = StoredLengths.objects.filter(version=version, method=METHOD, fingerprint=of)
    packed = kept.values_list("figures", flat=True).first()
    return None if packed is None else _unpacked(bytes(packed))


def is_fresh(version: Version, of: str) -> bool:
    """Whether figures of this state are stored.

    Args:
        version: Whose systems they are of.
        of: The fingerprint of what its board shows now.
    """
    return StoredLengths.objects.filter(version=version, method=METHOD, fingerprint=of).exists()


def write(version: Version, of: str, figures: Mapping[Any, LengthFigures]) -> None:
    """Store the figures of a version in the stead of former ones.

    Args:
        version: Whose systems they are of.
        of: The fingerprint of what they were computed from.
        figures: submission -> its figures.
    """
    systems = {str(key): list(each) for key, each in figures.items()}
    packed = zlib.compress(jsonl.dumps({"fields": FIELDS, "systems": systems}))
    fields = {"method": METHOD, "fingerprint": of, "figures": packed}
    StoredLengths.objects.update_or_create(version=version, defaults=fields)


def _unpacked(data: bytes) -> dict[Any, LengthFigures]:
    content = jsonl.parse(zlib.decompress(data))
    named = {key: dict(zip(content["fields"], each, strict=True)) for key, each in content["systems"].items()}
    return {UUID(key): _figures(fields) for key, fields in named.items()}


def _figures(fields: dict[str, Any]) -> LengthFigures:
    """JSON has lists for tuples."""
    for name in ("rates", "ratios"):
        fields[name] = tuple(fields[name])
    for name in ("intervals", "ratio_intervals"):
        fields[name] = tuple(tuple(ends) if ends else None for ends in fields[name])
    fields["area_interval"] = tuple(fields["area_interval"]) if fields["area_interval"] else None
    return LengthFigures(**fields)
