"""What looks mistaken in a file that is taken: said to whoever sent it, before and after, and in nobody's way.

The check of the file knows most of it (`evaluation.core.diagnosis`), and that is stored with the submission. Whether
the same file was sent before is asked anew each time, among what everybody may read and what is the sender's own: so it
never tells that somebody else has sent it privately. Nothing here knows an answer.

Where a file is refused for an unknown id, its ids may tell which version it belongs to. That is asked within bounds:
some of its lines, some of the versions that readers see (never a draft), a few seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from django.db.models import Q

from evaluation.core import validation
from evaluation.core.diagnosis import Finding
from evaluation.core.files import limits as bounded
from evaluation.core.files.artifacts import is_artifact
from leaderboard.accounts import permissions
from leaderboard.benchmarks import expected_ids, storage
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission

MOST_LINES = 5_000  # of the file that are compared with other versions
MOST_BYTES = 8 << 20  # of those lines
MOST_COUNTED = 64 << 20  # bytes whose lines are counted
MOST_SECONDS = 5.0  # for the versions, whose ids may have to be read first
MOST_VERSIONS = 12  # fewer than `expected_ids` keeps in memory
OF_IDS = ("unknown_id", "no_id")
MANY_UNKNOWN = 0.25  # of the lines, before another version is looked for
NEARLY_ALL = 0.9  # of the lines: what that version has to know


def same_file(version: Version, sha256: str, user: Any, *, but: Submission | None = None) -> list[Finding]:
    """Whether the same lines were sent for the same version before.

    Args:
        version: What the file answers.
        sha256: Of its lines.
        user: Who sends it. Private submissions of others are not looked at.
        but: The submission that the file became; None before there is one.

    Returns:
        One finding that names the earliest such submission; none where there is no other.
    """
    seen = Q(visibility=Submission.Visibility.PUBLIC) & ~Q(status=Submission.Status.FAILED)
    others = Submission.objects.filter(Q(submitter=user) | seen, version=version, file_sha256=sha256)
    if but is not None:
        others = others.exclude(pk=but.pk).filter(created_at__lte=but.created_at)
    first = others.select_related("system", "submitter").order_by("created_at", "pk").first()
    if first is None:
        return []
    whose = "" if first.submitter_id == user.pk else f" by {first.submitter.get_username()}"
    day = f"{first.created_at:%Y-%m-%d}"
    message = (
        f"The same file was submitted{whose} on {day}, as {first.system.name}: every figure of the two is the same. "
        "Was this the file that was meant?"
    )
    return [Finding("same_file", message)]


def of_submission(submission: Submission, reader: Any) -> list[Finding]:
    """What looks mistaken in the file of a submission.

    Args:
        submission: Any one. A mean of repeats has no file.
        reader: Who asks. It is told to the submitter, and to who may look at private submissions.

    Returns:
        The findings; none for everybody else.
    """
    if submission.is_mean or not may_be_read_by(submission, reader):
        return []
    stored = stored_findings(submission.warnings)
    if submission.source in Submission.OURS:  # made by a run: the same figures are what a repeat is for
        return stored
    return stored + same_file(
        submission.version, submission.file_sha256, submission.submitter, but=submission
    )


def may_be_read_by(submission: Submission, reader: Any) -> bool:
    """Whether the reader is told what looks mistaken in a submission's file.

    Args:
        submission: Any one.
        reader: Who asks.
    """
    return submission.is_open_to(reader, permissions.VIEW_SUBMISSION)


def stored_findings(stored: Sequence[Mapping[str, str]]) -> list[Finding]:
    """Findings as a column of the database has them.

    Args:
        stored: `code` and `message` of each.
    """
    return [Finding(each["code"], each["message"]) for each in stored]


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


def _candidates(version: Version, records: Sequence[Mapping[str, object]], lines: int) -> list[Version]:
    """Other versions that name their rows as these lines do: open ones first, then those of a like size."""
    others = Version.objects.readable().exclude(pk=version.pk)
    alike = [other for other in others if any(other.benchmark.engine.row_id(data) for data in records)]
    return sorted(alike, key=lambda each: (not each.is_open, abs(each.row_count - lines)))


def _records(path: Path, limits: validation.Limits) -> Iterator[Mapping[str, object]]:
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


def _known(version: Version, records: Sequence[Mapping[str, object]]) -> int:
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
