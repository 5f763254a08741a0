"""Local Parquet copies of files that are stored elsewhere or in another format. They can be deleted at any time.

A process reads and verifies a copy once, and again after each change. Later reads rely on page checksums.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from evaluation.frames.grouped_file import read_footer
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.storage import DamagedFileError, MissingFileError

PARQUET = ".parquet"
#: Most bytes of all copies; the least recently read are deleted. 200,000 verdicts take 5 MB, 200,000 rows 100 MB.
MOST_BYTES = 4 << 30
Identity = tuple[int, int, int]
Verified = tuple[Path, Any]  # path and footer


def copy_of(sha256: str) -> Verified | None:
    """Return the verified copy of a stored file, or None if there is no copy."""
    path = next(_folder().glob(f"{sha256}.*{PARQUET}"), None)
    if path is None:
        return None
    try:
        whole = verified(path, digest(path))
        _mark_read(path)
        return whole
    except DamagedFileError:
        path.unlink(missing_ok=True)
        return None


def forget(sha256: str) -> None:
    for path in _folder().glob(f"{sha256}.*{PARQUET}"):
        path.unlink(missing_ok=True)


def make(sha256: str, fill: Callable[[IO[bytes]], None]) -> Verified:
    """Make the local copy of a stored file. `fill` writes it as Parquet. If `fill` raises, no file remains."""
    _folder().mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=_folder(), suffix=storage.UNFINISHED, delete=False) as raw:
        try:
            fill(raw)
            path = _folder() / f"{sha256}.{storage.hash_of(raw)}{PARQUET}"
            raw.flush()
            os.replace(raw.name, path)
        except BaseException:
            os.unlink(raw.name)
            raise
    _forget_old(path)
    return verified(path, digest(path))


def verified(path: Path, sha256: str) -> Verified:
    """Check the SHA-256 of a local Parquet file, and return its path and footer. Raises DamagedFileError."""
    try:
        state = path.stat()
        return path, _footer(path, sha256, (state.st_ino, state.st_size, state.st_mtime_ns))
    except FileNotFoundError as error:
        raise MissingFileError(f"the stored file {sha256[:12]}… is missing") from error


def _mark_read(path: Path) -> None:
    """Update the access time of a file, but not its modification time, so that it is not verified again."""
    with suppress(FileNotFoundError):  # another process may have deleted it
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


@lru_cache(maxsize=128)
def _footer(path: Path, sha256: str, identity: Identity) -> Any:
    with path.open("rb") as content:
        if storage.hash_of(content) != sha256:
            raise DamagedFileError(f"the stored file {sha256[:12]}… does not match its SHA-256")
    return read_footer(path)


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "copies"


def digest(path: Path) -> str:
    return path.name.split(".")[1]


def _forget_old(newest: Path) -> None:
    room = MOST_BYTES
    states = []
    for path in _folder().glob(f"*{PARQUET}"):
        with suppress(FileNotFoundError):  # other processes delete copies too
            states.append((path.stat(), path))
    for state, path in sorted(states, key=lambda pair: pair[0].st_atime_ns, reverse=True):
        room -= state.st_size
        if room < 0 and path != newest:
            path.unlink(missing_ok=True)
