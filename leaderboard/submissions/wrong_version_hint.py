"""A file that was sent to the wrong version: its ids tell where it belongs.

Asked only when a file is refused for an unknown id, and within bounds: some of its lines, some of the versions that
readers see (never a draft), a few seconds. Versions of one benchmark name their rows alike, so that a wrong one may
know half of a file.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from evaluation.core import validation
from evaluation.core.files import limits as bounded
from evaluation.core.files.artifacts import is_artifact
from leaderboard.benchmarks import expected_ids, storage
from leaderboard.benchmarks.models import Version

MOST_LINES = 5_000  # of the file that are compared with other versions
MOST_BYTES = 8 << 20  # of those lines
MOST_COUNTED = 64 << 20  # bytes whose lines are counted
MOST_SECONDS = 5.0  # for the versions, whose ids may have to be read first
MOST_VERSIONS = 12  # fewer than `expected_ids` keeps in memory
OF_IDS = ("unknown_id", "no_id")
MANY_UNKNOWN = 0.25  # of the lines, before another version is looked for
NEARLY_ALL = 0.9  # of the lines: what that version has to know


def belongs_to(
    version: Version, path: str | Path, intake: validation.Intake, *, limits: validation.Limits
) -> Version | None:
    """The frozen or retired version that a refused file answers.

    Args:
        version: What it was sent for.
        path: The file, gzip or not.
        intake: What the check found.
        limits: Of the file and its lines.

    Returns:
        The version whose ids the file has; None where few ids are unknown, or no other version knows nearly all.
    """
    if not any(code in intake.counts for code in OF_IDS):
        return None
    records = list(_records(Path(path), limits))
    own = _known(version, records)
    if own > (1 - MANY_UNKNOWN) * len(records):
        return None
    lines, deadline = _line_count(Path(path), limits), time.monotonic() + MOST_SECONDS
    answer, best = None, (0, 0)
    for other in _candidates(version, records, lines)[:MOST_VERSIONS]:
        fit = (_known(other, records), -abs(_count(other) - lines))
        if fit[0] > own and fit[0] >= NEARLY_ALL * len(records) and (answer is None or fit > best):
            answer, best = other, fit
        if best == (len(records), 0) or time.monotonic() > deadline:
            break
    return answer


def _candidates(version: Version, records: list[dict[str, Any]], lines: int) -> list[Version]:
    """Other versions that name their rows as these lines do: open ones first, then those of a like size."""
    others = Version.objects.readable().exclude(pk=version.pk)
    alike = [other for other in others if any(other.benchmark.engine.row_id(data) for data in records)]
    return sorted(alike, key=lambda each: (not each.is_open, abs(each.row_count - lines)))


def _records(path: Path, limits: validation.Limits) -> Iterator[dict[str, Any]]:
    """Of the first lines those that hold an object, up to where reading on is pointless."""
    size = 0
    try:
        for number, line in bounded.lines(path, limits):
            size += len(line) if isinstance(line, bytes) else 0
            if number > MOST_LINES or size > MOST_BYTES:
                return
            try:
                data = orjson.loads(line) if isinstance(line, bytes) else None
            except orjson.JSONDecodeError:
                continue
            if isinstance(data, dict) and not is_artifact(data):
                yield data
    except bounded.RefusedError:
        return


def _line_count(path: Path, limits: validation.Limits) -> int:
    """How many lines a file has, at least."""
    count = size = 0
    try:
        for chunk in bounded.chunks(path, limits):
            count, size = count + chunk.count(b"\n"), size + len(chunk)
            if size > MOST_COUNTED:
                break
    except bounded.RefusedError:
        pass
    return count


def _known(version: Version, records: list[dict[str, Any]]) -> int:
    """How many of the lines answer a row of this version."""
    splits, row_id = _splits(version), version.suite.row_id
    return sum(row_id(data) in splits for data in records)


def _count(version: Version) -> int:
    return len(_splits(version))


def _splits(version: Version) -> Any:
    """The ids of a version; none where its stored gold is damaged, which is no fault of this file."""
    try:
        return expected_ids.expected_rows(version).splits
    except storage.DamagedFileError:
        return {}
