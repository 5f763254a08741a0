"""Restores a backup: first the files, then the database, so that no row ever lacks its file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.cache import caches
from django.core.files import File
from django.core.files.storage import storages
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.care import databases, manifest
from leaderboard.care.manifest import BackupError, Manifest
from leaderboard.jobs import faults, models
from leaderboard.runs.model_job import ModelJob

Tell = Callable[[int, int], None]


def restore(generation: Path, *, tell: Tell, replace: bool = False, secret_key: bool = False) -> Manifest:
    """Replace the site's data with a backup. May be repeated after an interruption: complete files stay.

    Raises BackupError if the backup is damaged, of another kind of database or of a newer release, or if the site is
    not empty and `replace` is False. `tell` gets (files done, files in all).
    """
    described, sums = manifest.read(generation), manifest.read_sums(generation)
    try:
        _refuse(generation, described, replace, secret_key)
        dump = generation / databases.FILES[described.vendor]
        _compare(dump, sums.pop(dump.name, ""))
        for done, (name, sha256) in enumerate(sums.items(), 1):
            _put(generation, name, sha256)
            tell(done, len(sums))
        databases.restore(dump)
    except databases.DumpError as error:
        raise BackupError(f"{error} The database was not changed.") from error
    except Exception as error:
        if reason := faults.passing(error):
            raise BackupError(f"Stopped: {reason} ({error}). The same command resumes from here.") from error
        raise
    if (rows := databases.row_counts()) != described.rows:
        tables = sorted(table for table, _ in rows.items() ^ described.rows.items())
        raise BackupError(f"Restored tables with a wrong number of rows: {', '.join(set(tables))}.")
    _settle(generation, secret_key)
    return described


def _refuse(generation: Path, described: Manifest, replace: bool, secret_key: bool) -> None:
    if described.vendor != connection.vendor:
        raise BackupError(
            f"The backup is of {described.vendor}, but DATABASE_URL names {connection.vendor}: "
            "a dump can only be restored into the same kind of database."
        )
    known = set(map(".".join, MigrationLoader(None).disk_migrations))
    ours = (name for name in described.migrations if name.startswith("leaderboard."))
    if newer := [name for name in ours if name not in known]:
        raise BackupError(
            f"The backup is of a newer release ({described.release}, {newer[-1]}): upgrade this site first."
        )
    if secret_key and not (generation / manifest.SECRET_KEY).exists():
        raise BackupError(f"{generation} has no secret_key: the backup was made without --secret-key.")
    if not replace and (there := _contents()):
        raise BackupError(f"This site has {there}. To replace all of it, add --replace.")


def _contents() -> str:
    if Version._meta.db_table not in connection.introspection.table_names():
        return ""
    accounts, versions = get_user_model().objects.count(), Version.objects.count()
    return (
        f"{number_of(accounts, 'account')} and {number_of(versions, 'version')}"
        if accounts + versions
        else ""
    )


def _put(generation: Path, name: str, sha256: str) -> None:
    kept = name.removeprefix(manifest.artifact_path(""))
    if _holds(kept, sha256):
        return
    path = generation / name
    _compare(path, sha256)
    with path.open("rb") as content:
        storage.put(kept, File(content))
    if not _holds(kept, sha256):
        raise BackupError(f"The storage changed the bytes of {kept}.")


def _holds(name: str, sha256: str) -> bool:
    try:
        with storages["artifacts"].open(name, "rb") as kept:
            return storage.hash_of(kept) == sha256
    except FileNotFoundError:
        return False


def _compare(path: Path, sha256: str) -> None:
    try:
        with path.open("rb") as content:
            same = storage.hash_of(content) == sha256
    except FileNotFoundError as error:
        raise BackupError(f"{path} is missing in the backup.") from error
    if not same:
        raise BackupError(f"{path} does not match its SHA-256 in {manifest.SUMS}: the backup is damaged.")


def _settle(generation: Path, secret_key: bool) -> None:
    """Reset state that backups do not contain: jobs forget the copies of their files, and the cache is cleared.

    Also restores the secret key if `secret_key` is True.
    """
    for kind in models.kinds():
        if issubclass(kind, ModelJob):
            kind._default_manager.update(files_copy={})
    caches["results"].clear()
    if secret_key:
        path = Path(settings.DATA_DIR) / manifest.SECRET_KEY
        path.touch(mode=0o600)
        path.write_text((generation / manifest.SECRET_KEY).read_text())


def not_applied() -> list[str]:
    """Migrations of this release that the database lacks."""
    known = map(".".join, MigrationLoader(None).disk_migrations)
    return sorted(set(known).difference(databases.migrations()))
