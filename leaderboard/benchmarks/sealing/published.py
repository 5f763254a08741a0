"""Lists the public files of a version with the checksums of `sha256sum` and `zcat | sha256sum`."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version


class Download(NamedTuple):
    what: str  # rows | documents | gold
    content_sha256: str  # of the uncompressed lines: never changes
    file_sha256: str  # of the gzip file; empty if missing
    bytes: int | None  # size of the gzip file; None if not stored


def downloads_of(version: Version) -> list[Download]:
    """List the public files: rows, documents if stored separately, and gold if published."""
    files: list[tuple[str, str, int | None]] = [("rows", version.rows_sha256, version.rows_bytes)]
    if version.documents_sha256:
        files.append(("documents", version.documents_sha256, version.documents_bytes))
    if version.disclosure.publishes_gold:
        files.append(("gold", version.gold_sha256, None))
    return [Download(what, sha256, file_sha256(sha256), size) for what, sha256, size in files]


def file_sha256(sha256: str) -> str:
    """SHA-256 of the gzip file, given the SHA-256 of its lines; empty if the file is missing."""
    with suppress(storage.MissingFileError):
        return storage.packed_sha256(sha256)
    return ""
