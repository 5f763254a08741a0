"""Warnings to the sender of a valid file that looks like a mistake. The file is accepted all the same.

Most warnings come from the check of the file (`evaluation.core.diagnosis`) and are stored. Warnings do not use the
correct answers, and never reveal another account's private submission of the same file.
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
from leaderboard.accounts import permissions, teams
from leaderboard.benchmarks import expected_ids, storage
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission
from leaderboard.web.formatting import day

MOST_LINES = 5_000  # lines compared with other versions
MOST_BYTES = 8 << 20  # of those lines
MOST_COUNTED = 64 << 20  # bytes whose lines are counted
MOST_SECONDS = 5.0  # for all versions, whose ids may have to be read first
MOST_VERSIONS = 12  # fewer than `expected_ids` keeps in memory
OF_IDS = ("unknown_id", "no_id")
MANY_UNKNOWN = 0.25  # share of lines with unknown ids from which other versions are tried
NEARLY_ALL = 0.9  # share of lines whose ids such a version must have


def same_file(version: Version, sha256: str, user: Any, *, but: Submission | None = None) -> list[Finding]:
    """Return one warning if the same file was submitted before (before `but`), publicly or by the user, else none."""
    seen = Q(visibility=Submission.Visibility.PUBLIC) & ~Q(status=Submission.Status.FAILED)
    others = Submission.objects.filter(
        Q(submitter__in=teams.accounts_of(user)) | seen, version=version, file_sha256=sha256
    )
    if but is not None:
        others = others.exclude(pk=but.pk).filter(created_at__lte=but.created_at)
    first = others.select_related("system", "submitter").order_by("created_at", "pk").first()
    if first is None:
        return []
    whose = "" if teams.acts_for(user, first.submitter_id) else f" by {first.submitter.get_username()}"
    message = (
        f"The same file was submitted{whose} on {day(first.created_at)}, as {first.system.name}: all "
        "scores are the same. Is this the file that you meant?"
    )
    return [Finding("same_file", message)]


def for_submission(submission: Submission, reader: Any) -> list[Finding]:
    """Warnings about a submission's file; empty for readers who may not see them."""
    if submission.is_mean or not may_be_read_by(submission, reader):
        return []
    stored = stored_findings(submission.warnings)
    if submission.source in Submission.OURS:  # repeated runs are meant to give the same file
        return stored
    return stored + same_file(
        submission.version, submission.file_sha256, submission.submitter, but=submission
    )


def may_be_read_by(submission: Submission, reader: Any) -> bool:
    return submission.is_open_to(reader, permissions.VIEW_SUBMISSION)


def stored_findings(stored: Sequence[Mapping[str, str]]) -> list[Finding]:
    return [Finding(each["code"], each["message"]) for each in stored]


def belongs_to(
    version: Version, path: str | Path, intake: validation.Intake, *, limits: validation.Limits
) -> Version | None:
    """Return another version that has nearly all row ids of a refused file, or None if no version fits better.

    The search ends after MOST_VERSIONS versions or MOST_SECONDS seconds.
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
        fit = (_known(other, records), -abs(len(_splits(other)) - lines))
        if fit[0] > own and fit[0] >= NEARLY_ALL * len(records) and (answer is None or fit > best):
            answer, best = other, fit
        if best == (len(records), 0) or time.monotonic() > deadline:
            break
    return answer


def _candidates(version: Version, records: Sequence[Mapping[str, object]], lines: int) -> list[Version]:
    others = Version.objects.readable().exclude(pk=version.pk)
    alike = [other for other in others if any(other.benchmark.engine.row_id(data) for data in records)]
    return sorted(alike, key=lambda each: (not each.is_open, abs(each.row_count - lines)))


def _records(path: Path, limits: validation.Limits) -> Iterator[Mapping[str, object]]:
    """Yield the predictions at the start of a file, up to MOST_LINES lines or MOST_BYTES. Invalid lines are skipped."""
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
    splits, row_id = _splits(version), version.suite.row_id
    return sum(row_id(data) in splits for data in records)


def _splits(version: Version) -> Any:
    try:
        return expected_ids.expected_rows(version).splits
    except storage.DamagedFileError:
        return {}
