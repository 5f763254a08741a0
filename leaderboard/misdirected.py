"""A file that was sent to the wrong version: its ids tell where it belongs.

Asked only when a file is refused and most of its ids are unknown, and within bounds: some of its lines, some of the
open versions.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from evaluation import bounded, intake
from leaderboard import expectations, storage
from leaderboard.models import Version

MOST_LINES = 1_000
MOST_VERSIONS = 12  # fewer than `expectations` keeps in memory
OF_IDS = ("unknown_id", "no_id")


def belongs_to(
    version: Version, path: str | Path, found: intake.Intake, *, limits: intake.Limits
) -> Version | None:
    """The open version that a refused file answers; None where most ids are known, or no other knows more."""
    lines = found.rows + sum(count for code, count in found.counts.items() if code != "missing_id")
    if 2 * sum(found.counts.get(code, 0) for code in OF_IDS) <= lines:
        return None
    records = list(islice(_records(Path(path), limits), MOST_LINES))
    own = _known(version, records)
    best, others = (max(own, len(records) // 2), -lines), Version.objects.open().exclude(pk=version.pk)
    answer = None
    for other in sorted(others, key=lambda each: abs(each.row_count - lines))[:MOST_VERSIONS]:
        fit = (_known(other, records), -abs(_count(other) - lines))
        if fit[0] > own and fit > best:
            answer, best = other, fit
        if best == (len(records), 0):
            break
    return answer


def _records(path: Path, limits: intake.Limits) -> Iterator[dict[str, Any]]:
    """The lines that hold an object, up to where reading on is pointless."""
    try:
        for _, line in bounded.lines(path, limits):
            try:
                data = orjson.loads(line) if isinstance(line, bytes) else None
            except orjson.JSONDecodeError:
                continue
            if isinstance(data, dict):
                yield data
    except bounded.RefusedError:
        return


def _known(version: Version, records: list[dict[str, Any]]) -> int:
    """How many of the lines answer a row of this version."""
    conditions, row_id = _conditions(version), version.benchmark.engine.row_id
    return sum(row_id(data) in conditions for data in records)


def _count(version: Version) -> int:
    return len(_conditions(version))


def _conditions(version: Version) -> Any:
    """The ids of a version; none where its stored gold is damaged, which is no fault of this file."""
    try:
        return expectations.of(version).conditions
    except storage.DamagedFileError:
        return {}
