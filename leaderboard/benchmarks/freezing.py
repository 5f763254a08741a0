"""Preset -> frozen version: generate the rows once, hash everything, seal it."""

from __future__ import annotations

import hashlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from leaderboard.benchmarks import sources, storage
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.public_rows import PublicRows
from leaderboard.benchmarks.sources import ImportRefusedError, Source
from leaderboard.jobs import backoff, dispatch, faults, leases

log = logging.getLogger(__name__)
#: Called with (done, total): units of what is generated, KB of a file.
OnProgress = Callable[[int, int], None]


class FreezeError(Exception):
    """A version cannot be made of this preset; the text says why."""


def start(
    *,
    preset: Preset,
    slug: str = "",
    title: str = "",
    source_sha256: str = "",
    upload: str = "",
    open_demo: bool = False,
    wake_worker: bool = True,
) -> Version:
    """A draft version of a preset, and a worker woken to freeze it (unless the caller freezes it itself).

    Rows that exist already lie in the stored file `source_sha256`, or in an `upload` that nobody has read yet. Whoever
    knows the seeds can make the gold, and those of a preset are known: new ones are drawn, with a key for the ids,
    unless the rows come from a file, their gold is public, or the version is to be an `open_demo`.
    """
    engine, settings = preset.benchmark.engine, preset.checked_settings()
    if open_demo:
        settings |= {"key": OPEN_KEY}
    elif not (source_sha256 or upload or settings.get("public_gold")):
        settings = engine.with_secret_seeds(settings)
    version = _draft(
        benchmark=preset.benchmark,
        preset=preset,
        slug=slug or preset.name,
        title=title or preset.title or preset.name,
        numbered=not title,
        description=preset.description,
        settings=settings,
        source_sha256=source_sha256,
        upload=upload,
    )
    if wake_worker:
        enqueue_freeze(version)
    return version


def _draft(*, benchmark: Benchmark, slug: str, title: str, numbered: bool, **fields: Any) -> Version:
    taken = set(
        Version.objects.filter(benchmark=benchmark, slug__startswith=slug).values_list("slug", flat=True)
    )
    for number in range(1, 1000):
        candidate = f"{slug}-{number}" if number > 1 else slug
        named = f"{title[:110]} {number}" if numbered and number > 1 else title
        if candidate not in taken:
            try:
                with transaction.atomic():
                    return Version.objects.create(benchmark=benchmark, slug=candidate, title=named, **fields)
            except IntegrityError:  # taken in the meantime
                continue
    raise FreezeError(f"There are too many versions called {slug!r}. Choose another name.")


def enqueue_freeze(version: Version) -> None:
    """Wake a worker once the transaction is through."""
    dispatch.enqueue_on_commit("freeze_version", version.pk)


def freeze(version_id: int, *, on_progress: OnProgress | None = None) -> bool:
    """Freeze one version. Safe to run twice and to be killed.

    False where there was nothing to do, it failed, or has to wait until a fault of the platform has passed.
    """
    unfinished = Version.objects.filter(pk=version_id, status__in=Version.UNFINISHED)
    lease = leases.claim(unfinished, status=Version.Status.FREEZING, progress_done=0)
    if lease is None:
        return False
    with lease:
        version = lease.row("benchmark")
        outcome = _attempt(version, lease, on_progress)
        if isinstance(outcome, str):
            lease.wait(outcome)
            return False
        lease.release(**outcome)
        if version.upload and "upload" in outcome:
            sources.discard(version.upload)
        return bool(outcome["status"] == Version.Status.FROZEN)
    return False


class _Pulse:
    """Says how far a freeze is, at most twice a second."""

    EVERY_S = 0.5

    def __init__(self, lease: leases.Lease, on_progress: OnProgress | None) -> None:
        self._lease, self._on_progress, self._next = lease, on_progress, 0.0

    def __call__(self, source: Source, units: int, *, at_once: bool = False) -> None:
        """Raises leases.LostError where it is no longer ours to go on."""
        if (now := time.monotonic()) < self._next and not at_once:
            return
        self._next = now + self.EVERY_S
        self._lease.check()
        done, total = source.progress(units)
        self._lease.tell(done, total, at_once=True)
        if self._on_progress:
            self._on_progress(done, total)


def _attempt(version: Version, lease: leases.Lease, on_progress: OnProgress | None) -> dict[str, Any] | str:
    """The columns to write: the seal, or why there is none; as a text, what to wait for.

    A file that was refused is not needed any more. Raises leases.LostError.
    """
    try:
        if version.attempts > backoff.MAX_ATTEMPTS:
            raise FreezeError(
                f"the worker died {backoff.MAX_ATTEMPTS} times, in the course of a day; it may need more memory "
                "than there is"
            )
        with sources.open_source(version) as source:
            sealed = _write_files(version, source, _Pulse(lease, on_progress))
        return sealed | {"status": Version.Status.FROZEN, "frozen_at": timezone.now(), "upload": ""}
    except leases.LostError:
        raise
    except ImportRefusedError as error:
        return _failed(str(error)) | {"upload": version.upload}
    except (FreezeError, BenchmarkError) as error:
        return _failed(f"The rows could not be made: {error}")
    except Exception as error:
        if reason := faults.passing(error):
            log.warning("freezing version %s waits: %s", version.pk, error)
            return reason
        log.exception("freezing version %s failed", version.pk)
        return _failed(f"The rows could not be made: {error or type(error).__name__}")


def _failed(reason: str) -> dict[str, Any]:
    return {"status": Version.Status.FAILED, "error": reason[:500]}


def _write_files(
    version: Version, source: Source, pulse: Callable[..., None], *, only: Collection[str] | None = None
) -> dict[str, Any]:
    """Write rows and gold, which are read back before they have a name; the sealed columns of the version.

    `only`: names of files that may be stored, others are not.
    """
    suite = version.suite
    version.source_sha256 = source.fingerprint()
    conditions: Counter[str] = Counter()
    public = PublicRows(version)
    row_count = unit_count = 0
    with storage.writing(only=only) as rows, storage.writing(only=only) as gold:
        for unit_count, item in enumerate(source.items(), 1):
            for row in item.rows:
                public.add(row)
            expected = suite.expected([item.gold]).conditions
            conditions.update(expected.values())
            row_count += len(expected)
            gold.write_row(item.gold)
            pulse(source, unit_count)
        public.write(rows, lambda: pulse(source, unit_count))
    pulse(source, unit_count, at_once=True)
    if not row_count:
        raise FreezeError("the settings yield no rows")
    source.keep()
    sealed: dict[str, Any] = {
        "grader": suite.grader,
        "rows_sha256": rows.sha256,
        "gold_sha256": gold.sha256,
        "rows_bytes": rows.stored_bytes,
        "row_count": row_count,
        "unit_count": unit_count,
        "conditions": dict(conditions),
        "sample": public.sample,
        "public_gold": bool(version.settings.get("public_gold", False)),
        "source_sha256": version.source_sha256,
        "progress_done": unit_count,
        "progress_total": unit_count,
    }
    return sealed | {"sha256": digest(version, **sealed)}


def digest(version: Version, *, grader: str, rows_sha256: str, gold_sha256: str, **_: Any) -> str:
    """SHA-256 over suite, settings, grader, rows and gold: what "the same version" means."""
    manifest = {
        "suite": version.benchmark.suite,
        "settings": version.settings,
        "grader": grader,
        "rows": rows_sha256,
        "gold": gold_sha256,
    }
    return hashlib.sha256(jsonl.canonical(manifest)).hexdigest()


def forget(version: Version) -> None:
    """Delete a version that was never frozen, with the file that it waited for. Raises FrozenError for another."""
    version.delete()
    sources.discard(version.upload)


def enqueue_verification(version: Version) -> None:
    """Let a worker recompute a version's hashes."""
    dispatch.enqueue_on_commit("verify_version", version.pk)


def verify(version_id: int) -> bool:
    """Recompute a frozen version's hashes from its files and record what came out; True where they match.

    Raises what the storage raises where it cannot be read: that says nothing of the version.
    """
    version = Version.objects.readable().get(pk=version_id)
    try:
        check_seal(version)
        storage.verify(version.rows_sha256)
        storage.verify(version.gold_sha256)
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

    Only what hashes to the sealed names is stored. Raises FreezeError where other rows come out, or none.
    """
    version = Version.objects.readable().get(pk=version_id)
    sealed = {version.rows_sha256, version.gold_sha256}
    try:
        with sources.open_source(version) as source:
            made = _write_files(version, source, lambda *_, **__: None, only=sealed)
    except (BenchmarkError, ImportRefusedError, storage.DamagedFileError) as error:
        raise FreezeError(f"it cannot be made again: {error}") from error
    if {made["rows_sha256"], made["gold_sha256"]} != sealed:
        raise FreezeError("its settings make other rows by now: restore its files from a backup")
    return verify(version_id)


def check_seal(version: Version) -> None:
    """Whether the sealed columns still hash to the version's SHA-256. Raises storage.DamagedFileError."""
    found = digest(
        version, grader=version.grader, rows_sha256=version.rows_sha256, gold_sha256=version.gold_sha256
    )
    if found != version.sha256:
        raise storage.DamagedFileError(f"version {version} does not match its SHA-256 {version.sha256[:12]}…")


def preview(preset: Preset) -> dict[str, Any]:
    """One public row of what this preset would generate."""
    suite = preset.benchmark.engine
    item = next(iter(suite.generate(preset.checked_settings())))
    return suite.public_row(item.rows[0])


def retry(version: Version, *, upload: str = "") -> None:
    """Queue a version whose freeze failed once more, with a corrected file where its file was refused.

    Raises FreezeError where there are no rows to try again.
    """
    if not upload and not sources.is_there(version):
        raise FreezeError("Its file was refused and is gone: send a corrected one.")
    fields = {"upload": upload, "source_sha256": ""} if upload else {}
    failed = Version.objects.filter(pk=version.pk, status=Version.Status.FAILED)
    if not failed.update(
        status=Version.Status.DRAFT,
        error="",
        queued_at=timezone.now(),
        progress_done=0,
        progress_total=0,
        **leases.FRESH,
        **fields,
    ):
        raise FreezeError(f"{version} has not failed, so there is nothing to repeat.")
    enqueue_freeze(version)
