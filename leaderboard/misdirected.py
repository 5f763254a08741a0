"""A file that was sent to the wrong version: its ids tell where it belongs.

Asked only when a file is refused and many of its ids are unknown, and within bounds: some of its lines, some of the
open versions. Versions of one benchmark name their rows alike, so that a wrong one may know half of a file.
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

MOST_LINES = 5_000
MOST_VERSIONS = 12  # fewer than `expectations` keeps in memory
OF_IDS = ("unknown_id", "no_id")
MANY_UNKNOWN = 0.25  # of the lines, before another version is looked for
NEARLY_ALL = 0.9  # of the lines: what that version has to know


def belongs_to(
    version: Version, path: str | Path, found: intake.Intake, *, limits: intake.Limits
) -> Version | None:
    """The open version that a refused file answers; None where few ids are unknown, or no other knows nearly all."""
    lines = found.rows + sum(count for code, count in found.counts.items() if code != "missing_id")
    if sum(found.counts.get(code, 0) for code in OF_IDS) < MANY_UNKNOWN * lines:
        return None
    records = list(islice(_records(Path(path), limits), MOST_LINES))
    own = _known(version, records)
    answer, best = None, (0, 0)
    for other in _candidates(version, records, lines)[:MOST_VERSIONS]:
        fit = (_known(other, records), -abs(_count(other) - lines))
        if fit[0] > own and fit[0] >= NEARLY_ALL * len(records) and (answer is None or fit > best):
            answer, best = other, fit
        if best == (len(records), 0):
            break
    return answer


def _candidates(version: Version, records: list[dict[str, Any]], lines: int) -> list[Version]:
    """The other open versions that name their rows as these lines do, those of a like size first."""
    others = Version.objects.open().exclude(pk=version.pk)
    alike = [other for other in others if any(other.benchmark.engine.row_id(data) for data in records)]
    return sorted(alike, key=lambda each: abs(each.row_count - lines))


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
