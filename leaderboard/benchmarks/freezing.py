"""Freezes a preset into a version: generates the rows once, hashes everything and seals it."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluation.core.errors import BenchmarkError
from evaluation.core.records import Row
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from leaderboard.accounts import audit
from leaderboard.benchmarks import sources
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.models.version import OUR_LICENCE
from leaderboard.benchmarks.sealing import seal, signals
from leaderboard.benchmarks.sources import ImportRefusedError, Source
from leaderboard.jobs import backoff, dispatch, faults, leases

log = logging.getLogger(__name__)
#: Called with (done, total), in generated units or KB of a file.
OnProgress = Callable[[int, int], None]
#: Time limit for estimating a version's size; our own presets are generated completely within it.
OUTLOOK_S = 1.0


class FreezeError(Exception):
    """Raised if a preset cannot be frozen into a version. The message says why."""


def start(*, preset: Preset, **options: Any) -> Version:
    """Call `start_each`, which has the same options and errors, and return its first draft."""
    return start_each(preset=preset, **options)[0]


@transaction.atomic
def start_each(
    *,
    preset: Preset,
    slug: str = "",
    title: str = "",
    source_sha256: str = "",
    upload: str = "",
    open_demo: bool = False,
    licence: str = "",
    wake_worker: bool = True,
) -> list[Version]:
    """Draft the versions of a preset, all or none, and wake a worker to freeze them.

    Most presets make one version, some make several (`VersionSettings.versions`). Each version gets new secret seeds,
    because anyone who knows the seeds can generate the answers. Versions whose answers are not secret, and versions
    with rows from a file, use the preset's seeds.

    Args:
        slug: Empty: the preset's name. A number is appended if the slug is taken.
        title: Empty: the preset's title, numbered like the slug.
        source_sha256: Stored file to take the rows from instead of generating them.
        upload: Storage name of an uploaded file to take the rows from.
        open_demo: True: make a demonstration, whose answers are not secret.
        licence: Empty: `OUR_LICENCE`.

    Raises FreezeError if there are too many versions with that slug, SettingsError if the settings do not validate.
    """
    checked, is_import = preset.checked_settings(), bool(source_sha256 or upload)
    named = [("", checked)] if is_import else preset.bound.settings.versions()
    versions = [
        draft(
            benchmark=preset.benchmark,
            preset=preset,
            slug="-".join(filter(None, (slug or preset.name, name))),
            title=", ".join(filter(None, (title or preset.title or preset.name, name))),
            numbered=not title,
            description=preset.description,
            settings=settings if is_import else _seeded(preset, settings, open_demo=open_demo),
            source_sha256=source_sha256,
            upload=upload,
            licence=licence or OUR_LICENCE,
        )
        for name, settings in named
    ]
    if wake_worker:
        for version in versions:
            enqueue_freeze(version)
    return versions


def _seeded(preset: Preset, settings: dict[str, object], *, open_demo: bool) -> dict[str, object]:
    if open_demo:
        return settings | {"key": OPEN_KEY}
    if settings.get("public_gold"):
        return settings
    return preset.benchmark.engine.version(settings).settings.with_secret_seeds()


def draft(*, benchmark: Benchmark, slug: str, title: str, numbered: bool, **fields: Any) -> Version:
    """Create a draft. If `slug` is taken, adds a number to it, and to the title if `numbered`. Raises FreezeError."""
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
            except IntegrityError:  # a concurrent draft took the slug
                continue
    raise FreezeError(f"There are too many versions called {slug!r}. Choose another name.")


def enqueue_freeze(version: Version) -> None:
    dispatch.enqueue_on_commit("freeze_version", version.pk)


def freeze(version_id: int, *, on_progress: OnProgress | None = None) -> bool:
    """Freeze a version. Returns False if it failed, must wait or needs no work. Safe to repeat, even after a kill."""
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
        is_frozen = outcome["status"] == Version.Status.FROZEN
        with transaction.atomic():
            lease.release(**outcome)
            if is_frozen:
                signals.frozen.send(
                    Version, version=Version.objects.select_related("benchmark").get(pk=version_id)
                )
        if version.upload and "upload" in outcome:
            sources.discard(version.upload)
        dispatch.enqueue_later("render_pages", seconds=0)
        return is_frozen
    return False


class _Pulse:
    """Callable that renews the lease and reports the progress, at most twice a second."""

    EVERY_S = 0.5

    def __init__(self, lease: leases.Lease, on_progress: OnProgress | None) -> None:
        self._lease, self._on_progress, self._next = lease, on_progress, 0.0

    def __call__(self, source: Source, units: int, *, force: bool = False) -> None:
        """Report the number of finished units. Raises leases.LostError if another worker took over the version."""
        if (now := time.monotonic()) < self._next and not force:
            return
        self._next = now + self.EVERY_S
        self._lease.check()
        done, total = source.progress(units)
        self._lease.tell(done, total, force=True)
        if self._on_progress:
            self._on_progress(done, total)


def _attempt(
    version: Version, lease: leases.Lease, on_progress: OnProgress | None
) -> dict[str, object] | str:
    """Try to freeze a version. Raises leases.LostError if another worker took it over.

    Returns the columns to write (hashes and counts, or a permanent error), or the text of a temporary error.
    """
    try:
        if version.attempts > backoff.MAX_ATTEMPTS:
            raise FreezeError(
                f"the worker died {backoff.MAX_ATTEMPTS} times within a day, perhaps for lack of memory"
            )
        with sources.open_source(version) as source:
            sealed = seal.write_files(version, source, _Pulse(lease, on_progress))
        return sealed | {"status": Version.Status.FROZEN, "frozen_at": timezone.now(), "upload": ""}
    except leases.LostError:
        raise
    except ImportRefusedError as error:
        return _failed(str(error)) | {"upload": version.upload}
    except (FreezeError, BenchmarkError) as error:
        return _failed(f"The version could not be frozen: {error}")
    except Exception as error:
        if reason := faults.passing(error):
            log.warning("freezing version %s waits: %s", version.pk, error)
            return reason
        log.exception("freezing version %s failed", version.pk)
        return _failed(f"The version could not be frozen: {error or type(error).__name__}")


def _failed(reason: str) -> dict[str, object]:
    return {"status": Version.Status.FAILED, "error": reason[:500]}


def forget(version: Version) -> None:
    """Delete a version that was never frozen, and its upload. Raises FrozenError for a frozen version."""
    version.delete()
    sources.discard(version.upload)


def rehearse(suite: str, preset: str, *, store: bool) -> Version:
    """Freeze a preset for the demo, without saving the version to the database. `preset` is named as in URLs.

    Seeds and key come from the source code, so that rows and hash are the same on every machine. If `store` is False,
    computes the hashes without storing files. Raises BenchmarkError (a SettingsError for invalid settings).
    """
    benchmark = Benchmark(suite=suite, slug=suite)
    named = {name.replace("_", "-"): each for name, each in benchmark.engine.presets().items()}
    bound = benchmark.engine.version(named[preset].settings)
    _, chosen = bound.settings.versions()[0]
    version = Version(benchmark=benchmark, slug=preset, title=preset, settings=chosen | {"key": OPEN_KEY})
    with sources.open_source(version) as source:
        sealed = seal.write_files(
            version, source, lambda *_, **__: None, only=None if store else (), attack=False
        )
    for name, value in sealed.items():
        setattr(version, name, value)
    return version


def preview(preset: Preset) -> Row:
    suite = preset.benchmark.engine
    _, settings = preset.bound.settings.versions()[0]
    item = next(suite.version(settings).generate())
    return suite.public_row(item.rows[0])


def outlook(preset: Preset) -> Version:
    """An unsaved version with estimated numbers of rows, extrapolated from the units generated in OUTLOOK_S seconds."""
    suite = preset.benchmark.engine
    _, checked = preset.bound.settings.versions()[0]
    version = suite.version(checked)
    units, seen, counted = version.count(), 0, Counter[str]()
    deadline = time.monotonic() + OUTLOOK_S
    for item in version.generate():
        seen += 1
        counted.update(suite.expected([item.gold]).splits.values())
        if time.monotonic() > deadline:
            break
    splits = {split: rows * units // seen for split, rows in counted.items()} if seen else {}
    rows = sum(splits.values())
    return Version(
        benchmark=preset.benchmark, settings=checked, unit_count=units, row_count=rows, conditions=splits
    )


@transaction.atomic
def retry(version: Version, *, upload: str = "") -> None:
    """Queue a failed version again. `upload` replaces the file of a failed import, unless empty. Raises FreezeError."""
    if not upload and not sources.is_there(version):
        raise FreezeError("The file of this import was refused and deleted: send a corrected file.")
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
        raise FreezeError(f"{version} has not failed, so it cannot be frozen again.")
    audit.record("freeze again", version, after=fields)
    enqueue_freeze(version)
