"""Files in the site's storage, seen from outside."""

from __future__ import annotations

from pathlib import Path

from django.core.files.storage import storages

from leaderboard.benchmarks import storage


def stored(data: bytes) -> str:
    """Store a file; its SHA-256."""
    with storage.writing() as writer:
        writer.write(data)
    return writer.sha256


def path_of(sha256: str) -> Path:
    """The path of a stored file."""
    return Path(storages["artifacts"].path(storage.name_of(sha256)))


def names() -> list[str]:
    """All files of the artifacts folder, incomplete ones included."""
    return sorted(path.name for path in Path(storages["artifacts"].location).rglob("*") if path.is_file())
