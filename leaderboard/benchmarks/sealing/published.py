"""What everybody may have of a version, with the checksums that `sha256sum` and `zcat | sha256sum` print."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version


class Download(NamedTuple):
    """A file that can be downloaded."""

    what: str  # rows | documents | gold
    content_sha256: str  # of its lines, uncompressed: the same for ever
    file_sha256: str  # of the gzip file as it is sent; empty where it is missing
    bytes: int | None  # of the gzip file; None where that is not kept


def downloads_of(version: Version) -> list[Download]:
    """The rows; the texts that they name, where these stand apart; and the gold once it is published."""
    files: list[tuple[str, str, int | None]] = [("rows", version.rows_sha256, version.rows_bytes)]
    if version.documents_sha256:
        files.append(("documents", version.documents_sha256, version.documents_bytes))
    if version.disclosure.publishes_gold:
        files.append(("gold", version.gold_sha256, None))
    return [Download(what, sha256, file_sha256(sha256), size) for what, sha256, size in files]


def file_sha256(sha256: str) -> str:
    """What `sha256sum` prints of a download; empty where its file is missing.

    Args:
        sha256: The name of the file: the SHA-256 of its lines.
    """
    with suppress(storage.MissingFileError):
        return storage.packed_sha256(sha256)
    return ""
