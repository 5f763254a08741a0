"""Whether a frozen version is still what was sealed; and its files made again where they are damaged."""

from __future__ import annotations

from django.utils import timezone

from evaluation.core.errors import BenchmarkError
from leaderboard.benchmarks import sources, storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import seal
from leaderboard.benchmarks.sources import ImportRefusedError
from leaderboard.jobs import dispatch


class RepairError(Exception):
    """The files of a version cannot be made again; the text says why."""


def enqueue_verification(version: Version) -> None:
    """Let a worker recompute a version's hashes."""
    dispatch.enqueue_on_commit("verify_version", version.pk)


def verify(version_id: int) -> bool:
    """Recompute a frozen version's hashes from its files and record what came out; True where they match.

    Raises what the storage raises where it cannot be read: that says nothing of the version.
    """
    version = Version.objects.readable().get(pk=version_id)
    try:
        seal.check(version)
        for sha256 in version.file_names:
            storage.verify(sha256)
    except storage.DamagedFileError as error:
        version.damage = f"{str(error)[:1].upper()}{str(error)[1:]}."
    else:
        version.damage = ""
    # who was overtaken by another verification has nothing new to tell
    unchanged = Version.objects.filter(pk=version_id, verified_at=version.verified_at)
    unchanged.update(verified_at=timezone.now(), damage=version.damage)
    return not version.damage


def repair(version_id: int) -> bool:
    """Make the files of a damaged version again from its settings or its imported file; True where they match then.

    Only what hashes to the sealed names is stored. Raises RepairError where other rows come out, or none.
    """
    version = Version.objects.readable().get(pk=version_id)
    sealed = set(version.file_names)
    try:
        with sources.open_source(version) as source:
            made = seal.write_files(version, source, lambda *_, **__: None, only=sealed, attack=False)
    except (BenchmarkError, ImportRefusedError, storage.DamagedFileError) as error:
        raise RepairError(f"it cannot be made again: {error}") from error
    if {made[name] for name in version.FILES if made[name]} != sealed:
        raise RepairError("its settings now make other rows: restore its files from a backup")
    return verify(version_id)
