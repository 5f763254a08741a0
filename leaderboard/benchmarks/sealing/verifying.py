"""Verifies that a frozen version matches its seal, and rebuilds damaged files."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from evaluation.core.errors import BenchmarkError
from leaderboard.accounts import audit
from leaderboard.benchmarks import sources, storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import seal
from leaderboard.benchmarks.sources import ImportRefusedError
from leaderboard.jobs import dispatch


class RepairError(Exception):
    """Raised if files cannot be rebuilt. The message says why."""


@transaction.atomic
def enqueue_verification(version: Version) -> None:
    audit.record("verify", version)
    dispatch.enqueue_on_commit("verify_version", version.pk)


def verify(version_id: int) -> bool:
    """Recompute the hashes of a frozen version's files and record the outcome. Returns True if they match.

    Raises the error of the storage if it cannot be reached.
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
    # a verification that finished meanwhile has the newer result
    unchanged = Version.objects.filter(pk=version_id, verified_at=version.verified_at)
    unchanged.update(verified_at=timezone.now(), damage=version.damage)
    return not version.damage


def repair(version_id: int) -> bool:
    """Rebuild a version's files, store them only if their hashes match, and verify the version again.

    Returns True if all hashes match. Raises RepairError.
    """
    version = Version.objects.readable().get(pk=version_id)
    sealed = set(version.file_names)
    try:
        with sources.open_source(version) as source:
            made = seal.write_files(version, source, lambda *_, **__: None, only=sealed, attack=False)
    except (BenchmarkError, ImportRefusedError, storage.DamagedFileError) as error:
        raise RepairError(f"the files cannot be rebuilt: {error}") from error
    if {made[name] for name in version.FILES if made[name]} != sealed:
        raise RepairError("the settings now generate other rows: restore the files from a backup")
    return verify(version_id)
