"""Finds damaged stored files that no check of versions or submissions covers, and files that no row refers to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.apps import apps
from django.core.files.storage import storages
from django.utils import timezone

from leaderboard.benchmarks import storage
from leaderboard.care import files
from leaderboard.runs.model_job import ModelJob
from leaderboard.runs.shipped import folders
from leaderboard.submissions.models import Score, Submission

#: Prefix of unfinished jobs' files; see `runs.copies`.
UNFINISHED = "unfinished/"


@dataclass(frozen=True, slots=True)
class Damage:
    """A stored file that is missing or changed, and the row that names it."""

    what: str
    owner: str
    why: str


@dataclass(frozen=True, slots=True)
class Orphan:
    name: str
    since: datetime


def damaged_others() -> Iterator[Damage]:
    """Yield the damaged files that belong to imports, benches or replaced scores."""
    for kind in files.KINDS:
        if kind.what not in ("imported file", "verdicts", "archive"):
            continue
        rows = kind.rows()
        if kind.model is Score:  # the present score is verified with its submission
            rows = rows.exclude(pk__in=Submission.objects.exclude(score=None).values("score"))
        for row in rows.iterator(500):
            name = kind.name_of(getattr(row, kind.field), _Stored())
            try:
                storage.check(name)
            except storage.DamagedFileError as error:
                yield Damage(kind.what, str(row), str(error))


class _Stored:
    """Container of the names of stored files. Asks the storage for one name at a time instead of listing all."""

    def __contains__(self, name: object) -> bool:
        return storages["artifacts"].exists(str(name))


def mend_shipped(submission: Submission) -> bool:
    """Store the files of a shipped run again, from the source tree. Returns False if the tree lacks any file."""
    wanted = {submission.file_sha256, submission.transcripts_sha256} - {""}
    for folder in folders.folders(folders.SHIPPED):
        run = folders.read(folder)
        if run.predictions_sha256 == submission.file_sha256:
            sent = {storage.keep(folder / folders.PREDICTIONS)}
            if run.transcripts_sha256:
                sent.add(storage.keep(folder / folders.TRANSCRIPTS))
            return wanted <= sent
    return False


def orphans() -> Iterator[Orphan]:
    stored = set(storage.names())
    named = files.named(stored)
    working = tuple(_working())
    for name in sorted(stored - named):
        if not name.startswith(working):
            yield Orphan(name, storages["artifacts"].get_modified_time(name))


def _working() -> Iterator[str]:
    yield "\0"  # `startswith` with this matches nothing, and the tuple is never empty
    for kind in apps.get_models():
        if issubclass(kind, ModelJob):
            for pk in kind._default_manager.exclude(files_copy={}).values_list("pk", flat=True):
                yield f"{UNFINISHED}{kind._meta.model_name}/{pk}/"


def remove(found: list[Orphan], *, days: int) -> int:
    """Delete orphaned files older than `days`, unless a row now refers to them. Returns the number of deleted files."""
    limit = timezone.now() - timedelta(days=days)
    old = [each.name for each in found if each.since < limit]
    named = files.named(old) if old else set()
    for name in old:
        if name not in named:
            storages["artifacts"].delete(name)
    return len(set(old) - named)
