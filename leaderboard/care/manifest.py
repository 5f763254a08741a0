"""A backup on disk: generations of the database, and the stored files that they share.

    DEST/artifacts/ab/abc….jsonl.gz       each stored file once, named as in the storage
    DEST/20261127T104300Z/database.dump   (or database.sqlite3)
                         /SHA256SUMS      of the dump and of each file that it names: `sha256sum -c`
                         /manifest.json   counts, release, migrations
                         /secret_key      only with --secret-key

A generation gets its name once it is complete.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evaluation import __version__

ARTIFACTS, SUMS, MANIFEST, SECRET_KEY = "artifacts", "SHA256SUMS", "manifest.json", "secret_key"
STAMP = "%Y%m%dT%H%M%SZ"
_GENERATION = re.compile(r"\d{8}T\d{6}Z")
_SUM = re.compile(r"([0-9a-f]{64})  (.+)")


class BackupError(Exception):
    """A backup cannot be made, read or restored; the text says why and what to do."""


class Manifest(BaseModel):
    model_config = ConfigDict(frozen=True)

    format: int = Field(default=1, ge=1, le=1)
    made_at: datetime
    release: str = Field(default=__version__)
    vendor: str
    migrations: list[str]
    rows: dict[str, int]
    files: int
    bytes: int
    bad: dict[str, str] = {}


def generations(folder: Path) -> list[Path]:
    """Folders of the complete backups in `folder`, newest first."""
    found = [path for path in folder.iterdir() if _GENERATION.fullmatch(path.name)] if folder.is_dir() else []
    return sorted(found, reverse=True)


def chosen(folder: Path, name: str = "") -> Path:
    """Folder of the named backup, or of the newest backup if `name` is empty. Raises BackupError if there is none."""
    there = generations(folder)
    if not there:
        raise BackupError(f"{folder} contains no backup: no folder has a name like 20261127T104300Z.")
    if not name:
        return there[0]
    if folder / name not in there:
        raise BackupError(f"{folder} has no generation {name!r}. It has: {', '.join(p.name for p in there)}.")
    return folder / name


def read(generation: Path) -> Manifest:
    """Read the manifest of a backup. Raises BackupError if it is missing or invalid."""
    try:
        return Manifest.model_validate_json((generation / MANIFEST).read_bytes())
    except (OSError, ValidationError) as error:
        raise BackupError(f"{generation / MANIFEST} cannot be read: {error}") from error


def read_sums(generation: Path) -> dict[str, str]:
    """Read a backup's checksums: SHA-256 by path, relative to `generation`. Raises BackupError."""
    path, sums = generation / SUMS, {}
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not (parts := _SUM.fullmatch(line)):
            raise BackupError(f"{path}, line {number}, is not a SHA-256 with a file name.")
        sums[parts[2]] = parts[1]
    return sums


def write_sums(generation: Path, sums: dict[str, str]) -> None:
    """Write the checksums in the format of `sha256sum -c`. Paths in `sums` are relative to `generation`."""
    lines = (f"{sha256}  {name}\n" for name, sha256 in sorted(sums.items()))
    (generation / SUMS).write_text("".join(lines))


def artifact_path(name: str) -> str:
    """Path of a stored file, relative to a backup's folder."""
    return f"../{ARTIFACTS}/{name}"
