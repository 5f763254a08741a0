"""Stored files that rows refer to by SHA-256. A file is stored before its row, and deleted after its last row."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet

from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.benches.services import ARCHIVE
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.verdicts import copies
from leaderboard.submissions.verdicts.copies import PARQUET


@dataclass(frozen=True, slots=True)
class Kind:
    """A database column with SHA-256s of stored files. `suffixes` are their file suffixes, the preferred first."""

    what: str
    model: type[Model]
    field: str
    suffixes: tuple[str, ...] = (storage.LINES,)
    removed: str = ""  # column with the time at which retention removed the file

    def rows(self, using: str = "default") -> QuerySet[Any]:
        rows = self.model._base_manager.using(using).exclude(**{self.field: ""}).order_by()
        return rows.filter(**{self.removed: None}) if self.removed else rows

    def name_of(self, sha256: str, stored: Container[str]) -> str:
        """Name of a file in the storage. `stored` has the names of all stored files."""
        names = [storage.name_of(sha256, suffix) for suffix in self.suffixes]
        return next((name for name in names if name in stored), names[0])


KINDS = (
    Kind("rows", Version, "rows_sha256"),
    Kind("documents", Version, "documents_sha256"),
    Kind("gold", Version, "gold_sha256"),
    Kind("imported file", Version, "source_sha256"),
    Kind("predictions", Submission, "file_sha256", removed="file_removed_at"),
    Kind("transcripts", Submission, "transcripts_sha256"),
    Kind("verdicts", Score, "verdicts_sha256", (PARQUET, storage.LINES)),
    Kind("archive", Bench, "files_sha256", (ARCHIVE,)),
)


def named(stored: Container[str], *, using: str = "default") -> set[str]:
    """Storage names of all files to which database rows refer, including files that are missing from the storage."""
    uploads = Version._base_manager.using(using).exclude(upload="").values_list("upload", flat=True)
    return set(uploads).union(*(_of_kind(kind, stored, using) for kind in KINDS))


def _of_kind(kind: Kind, stored: Container[str], using: str) -> Iterator[str]:
    for sha256 in kind.rows(using).values_list(kind.field, flat=True).distinct().iterator(10_000):
        yield kind.name_of(sha256, stored)


def submission_files(submissions: QuerySet[Submission]) -> set[tuple[str, str]]:
    """(SHA-256, suffix) of all files of the submissions and of their present and former scores."""
    own: dict[type[Model], QuerySet[Any]] = {
        Submission: submissions,
        Score: Score._base_manager.filter(submission__in=submissions),
    }
    return {
        (sha256, suffix)
        for kind in KINDS
        if kind.model in own
        for sha256 in own[kind.model].exclude(**{kind.field: ""}).values_list(kind.field, flat=True)
        for suffix in kind.suffixes
    }


def discard_unnamed(names: Iterable[tuple[str, str]]) -> int:
    """Delete those files (SHA-256, suffix) that no row refers to. Returns the number of deleted files."""
    gone = 0
    for sha256, suffix in names:
        if not is_named(sha256, suffix) and storage.exists(sha256, suffix):
            storage.discard(sha256, suffix)
            copies.forget(sha256)
            gone += 1
    return gone


def is_named(sha256: str, suffix: str) -> bool:
    kinds = (kind for kind in KINDS if suffix in kind.suffixes)
    return any(kind.rows().filter(**{kind.field: sha256}).exists() for kind in kinds)
