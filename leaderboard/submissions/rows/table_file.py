"""The public rows of a version with their texts as a Parquet file, made at the first request."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import IO, Any, NamedTuple

from django.conf import settings
from filelock import FileLock

from evaluation.frames.joined_file import write_joined
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.rows.reading import rows_of
from leaderboard.submissions.verdicts import copies

REVISION = 1


class TableFile(NamedTuple):
    path: Path
    sha256: str
    footer: Any  # a `pyarrow.parquet.FileMetaData`


def table_of(version: Version) -> TableFile:
    """Return the Parquet file of a frozen version. Equal rows give equal files. Raises storage.DamagedFileError."""
    said = f"joined/{REVISION} {version.rows_sha256} {version.documents_sha256}"
    name = hashlib.sha256(said.encode()).hexdigest()

    def fill(raw: IO[bytes]) -> None:
        write_joined(lambda: rows_of(version), raw)

    found = copies.copy_of(name)
    if found is None:
        with FileLock(Path(settings.DATA_DIR, f"{name}.lock")):
            found = copies.copy_of(name) or copies.make(name, fill)
    path, footer = found
    return TableFile(path, copies.digest(path), footer)
