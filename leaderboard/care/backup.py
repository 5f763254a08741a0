"""Backup of a running site: copies the stored files, dumps the database, then copies the files added meanwhile.

The site stores a file before the row that names it, and deletes the row before the file. So a dump can name a file
that was deleted before the second copy; the dump is then repeated.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.db import connection
from filelock import FileLock, Timeout

from leaderboard.benchmarks import storage
from leaderboard.care import databases, files, manifest
from leaderboard.care.manifest import BackupError, Manifest
from leaderboard.jobs import faults

Tell = Callable[[int, int], None]
#: Most dumps. One is repeated only if a row was added after a copy and deleted before the next, which is rare.
_DUMPS = 5


@dataclass(slots=True)
class Outcome:
    """A finished backup: its folder, its manifest and the number of files copied by this call."""

    generation: Path
    manifest: Manifest
    copied: int


def make(folder: Path, *, tell: Tell, secret_key: bool = False, keep: int = 0) -> Outcome:
    """Make a new backup in `folder`, or resume an interrupted one without copying its files again.

    `tell` gets (files done, files in all). `keep` is the number of backups to keep, 0 for all. Raises BackupError if
    another process writes a backup to the folder, or if the storage, the database or the folder is unavailable.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock", timeout=0):
            made = _make(folder, tell, secret_key)
            if keep:
                _forget(folder, keep)
            return made
    except Timeout as error:
        raise BackupError(f"Another backup writes to {folder}.") from error
    except databases.DumpError as error:
        raise BackupError(str(error)) from error
    except Exception as error:
        if reason := faults.passing(error):
            raise BackupError(f"Stopped: {reason} ({error}). The same command resumes from here.") from error
        raise


def _make(folder: Path, tell: Tell, secret_key: bool) -> Outcome:
    for left_behind in folder.glob(f"*{storage.UNFINISHED}"):
        shutil.rmtree(left_behind)
    copier = _Copier(folder)
    copier.copy(files.named(set(storage.names())), tell)
    moment = datetime.now(UTC)
    part = folder / f"{moment.strftime(manifest.STAMP)}{storage.UNFINISHED}"
    part.mkdir()
    dump = part / databases.FILES[connection.vendor]
    for _ in range(_DUMPS):
        with databases.dumped(dump) as alias:
            names = files.named(set(storage.names()), using=alias)
            rows, migrations = databases.row_counts(alias), databases.migrations(alias)
        copier.copy(names, tell)
        gone = names & copier.bad.keys()
        if not gone - files.named(set(storage.names())):
            break
    whole = {name: copier.sums[name] for name in names & copier.sums.keys()}
    described = Manifest(
        made_at=moment, vendor=connection.vendor, migrations=migrations, rows=rows, files=len(whole),
        bytes=sum((copier.root / name).stat().st_size for name in whole),
        bad={name: why for name, why in copier.bad.items() if name in names},
    )  # fmt: skip
    sums = {dump.name: _hash(dump)} | {manifest.artifact_path(name): each for name, each in whole.items()}
    manifest.write_sums(part, sums)
    (part / manifest.MANIFEST).write_text(described.model_dump_json(indent=1))
    if secret_key:
        (part / manifest.SECRET_KEY).touch(mode=0o600)
        (part / manifest.SECRET_KEY).write_text(settings.SECRET_KEY)
    os.sync()  # the files must be on disk before the rename marks the generation as complete
    return Outcome(part.rename(part.with_suffix("")), described, copier.copied)


class _Copier:
    """Copies stored files into a folder; each is verified before it gets its final name."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / manifest.ARTIFACTS
        self.sums: dict[str, str] = {}  # of the bytes
        self.bad: dict[str, str] = {}
        self.copied = 0
        newest = manifest.generations(folder)[:1]
        self._known = manifest.read_sums(newest[0]) if newest else {}

    def copy(self, names: Iterable[str], tell: Tell) -> None:
        todo = sorted(set(names) - self.sums.keys())
        for done, name in enumerate(todo, 1):
            try:
                self.sums[name] = self._copied(name)
                self.bad.pop(name, None)
            except storage.DamagedFileError as error:
                self.bad[name] = str(error)
            tell(done, len(todo))

    def _copied(self, name: str) -> str:
        """Copy a file unless the folder already has it. Returns the SHA-256 of its bytes."""
        target = self.root / name
        if target.exists():
            return self._known.get(manifest.artifact_path(name)) or _hash(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(target.name + storage.UNFINISHED)
        with storage.opened(name) as source, part.open("wb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
        storage.check_copy(part, name)
        sha256 = _hash(part)
        part.replace(target)
        self.copied += 1
        return sha256


def _hash(path: Path) -> str:
    with path.open("rb") as content:
        return storage.hash_of(content)


def _forget(folder: Path, keep: int) -> None:
    """Delete all backups but the newest `keep`, and the stored files that only deleted backups list."""
    there = manifest.generations(folder)
    for old in there[keep:]:
        shutil.rmtree(old)
    root = folder / manifest.ARTIFACTS
    named = {name for each in there[:keep] for name in manifest.read_sums(each)}
    for path in root.rglob("*"):
        if path.is_file() and manifest.artifact_path(path.relative_to(root).as_posix()) not in named:
            path.unlink()
