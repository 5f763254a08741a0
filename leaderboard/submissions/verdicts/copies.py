"""Parquet on a disk of this machine, of files that lie elsewhere or are no Parquet. They may be deleted at any time.

Nothing is trusted because it is there: a process reads a file through once, and again whenever it was written to. What
it reads of it later has a checksum a page.
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
#: What copies may take together; those that were not read for the longest time go first. 200,000 verdicts take 5 MB,
#: 200,000 rows some hundred.
MOST_BYTES = 4 << 30
Identity = tuple[int, int, int]
Verified = tuple[Path, Any]  # where a file is, and its footer


def copy_of(sha256: str) -> Verified | None:
    """The copy of a stored file, if there is a whole one."""
    path = next(_folder().glob(f"{sha256}.*{PARQUET}"), None)
    if path is None:
        return None
    try:
        whole = verified(path, _digest(path))
        _mark_read(path)
        return whole
    except DamagedFileError:
        path.unlink(missing_ok=True)
        return None


def forget(sha256: str) -> None:
    """Delete the copy of a stored file that is gone."""
    for path in _folder().glob(f"{sha256}.*{PARQUET}"):
        path.unlink(missing_ok=True)


def make(sha256: str, fill: Callable[[IO[bytes]], None]) -> Verified:
    """Make the copy of a stored file.

    Args:
        sha256: The name of the stored file.
        fill: Writes the copy as Parquet to the file that it is given; what it raises leaves nothing.

    Returns:
        Where the copy is, and its footer.
    """
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
    return verified(path, _digest(path))


def verified(path: Path, sha256: str) -> Verified:
    """A file on a disk of this machine, read through unless this process did that since it was written to.

    Args:
        path: Where it is.
        sha256: What its bytes have to hash to.

    Returns:
        Where it is, and its footer.

    Raises:
        DamagedFileError: It is missing, or holds other bytes.
    """
    try:
        state = path.stat()
        return path, _footer(path, sha256, (state.st_ino, state.st_size, state.st_mtime_ns))
    except FileNotFoundError as error:
        raise MissingFileError(f"the stored file {sha256[:12]}… is missing") from error


def _mark_read(path: Path) -> None:
    """Note that a copy was read. When it was written stays: a file that is written to is read through again."""
    with suppress(FileNotFoundError):  # another process may have deleted it
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


@lru_cache(maxsize=128)
def _footer(path: Path, sha256: str, identity: Identity) -> Any:
    """The footer of a file that was read through. `identity` is another one as soon as it is written to."""
    with path.open("rb") as content:
        if storage.hash_of(content) != sha256:
            raise DamagedFileError(f"the stored file {sha256[:12]}… does not match its SHA-256")
    return read_footer(path)


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "copies"


def _digest(path: Path) -> str:
    """The SHA-256 of a copy's own bytes, which its name ends in."""
    return path.name.split(".")[1]


def _forget_old(newest: Path) -> None:
    room = MOST_BYTES
    states = []
    for path in _folder().glob(f"*{PARQUET}"):
        with suppress(FileNotFoundError):  # another process deletes some, too
            states.append((path.stat(), path))
    for state, path in sorted(states, key=lambda pair: pair[0].st_atime_ns, reverse=True):
        room -= state.st_size
        if room < 0 and path != newest:
            path.unlink(missing_ok=True)
