"""Preset -> frozen version: generate the rows once, hash everything, seal it."""

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
from leaderboard.benchmarks import sources
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.models.version import OUR_LICENCE
from leaderboard.benchmarks.sealing import seal
from leaderboard.benchmarks.sources import ImportRefusedError, Source
from leaderboard.jobs import backoff, dispatch, faults, leases

log = logging.getLogger(__name__)
#: Called with (done, total): units of what is generated, KB of a file.
OnProgress = Callable[[int, int], None]
#: An administrator waits for what a version could tell; presets of this project are generated in it whole.
OUTLOOK_S = 1.0


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
    licence: str = "",
    wake_worker: bool = True,
) -> Version:
    """The first of the drafts that `start_each` makes.

    Args:
        preset: Whose settings the version gets.
        slug: Its address, numbered where that is taken; empty for the preset's name.
        title: Empty for the preset's, numbered like the slug.
        source_sha256: Of the stored file that the rows lie in, where they exist already.
        upload: Name of an upload that holds the rows and that nobody has read yet.
        open_demo: Whether to keep the preset's seeds, which are known, with the open key.
        licence: Of the rows; empty for ours.
        wake_worker: False where the caller freezes it itself.

    Returns:
        The draft.

    Raises:
        FreezeError: There are too many versions of that slug.
        SettingsError: The preset's settings do not validate.
    """
    return start_each(
        preset=preset,
        slug=slug,
        title=title,
        source_sha256=source_sha256,
        upload=upload,
        open_demo=open_demo,
        licence=licence,
        wake_worker=wake_worker,
    )[0]


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
    """Draft versions of a preset, and a worker woken to freeze them (unless the caller freezes them itself).

    There is one, or as many as its settings make (`VersionSettings.versions`): of a preset whose protocol is `both` a
    closed and an open one. Each has seeds and a key of its own. A file of rows is always one version.

    Whoever knows the seeds can make the gold, and those of a preset are known: new ones are drawn, with a key for the
    ids, unless the rows come from a file, their gold is public, or the version is to be an `open_demo`.

    Args:
        preset: Whose settings the version gets.
        slug: Its address, numbered where that is taken; empty for the preset's name.
        title: Empty for the preset's, numbered like the slug.
        source_sha256: Of the stored file that the rows lie in, where they exist already.
        upload: Name of an upload that holds the rows and that nobody has read yet.
        open_demo: Whether to keep the preset's seeds, which are known, with the open key.
        licence: Of the rows; empty for ours.
        wake_worker: False where the caller freezes it itself.

    Returns:
        The drafts, all of them or none.

    Raises:
        FreezeError: There are too many versions of that slug.
        SettingsError: The preset's settings do not validate.
    """
    checked, is_import = preset.checked_settings(), bool(source_sha256 or upload)
    named = [("", checked)] if is_import else preset.bound.settings.versions()
    return [
        _start_one(
            preset,
            settings,
            slug="-".join(filter(None, (slug or preset.name, name))),
            title=", ".join(filter(None, (title or preset.title or preset.name, name))),
            numbered=not title,
            source_sha256=source_sha256,
            upload=upload,
            open_demo=open_demo,
            licence=licence or OUR_LICENCE,
            wake_worker=wake_worker,
        )
        for name, settings in named
    ]


def _start_one(
    preset: Preset,
    settings: dict[str, object],
    *,
    slug: str,
    title: str,
    numbered: bool,
    source_sha256: str,
    upload: str,
    open_demo: bool,
    licence: str,
    wake_worker: bool,
) -> Version:
    engine = preset.benchmark.engine
    if open_demo:
        settings |= {"key": OPEN_KEY}
    elif not (source_sha256 or upload or settings.get("public_gold")):
        settings = engine.version(settings).settings.with_secret_seeds()
    version = draft(
        benchmark=preset.benchmark,
        preset=preset,
        slug=slug,
        title=title,
        numbered=numbered,
        description=preset.description,
        settings=settings,
        source_sha256=source_sha256,
        upload=upload,
        licence=licence,
    )
    if wake_worker:
        enqueue_freeze(version)
    return version


def draft(*, benchmark: Benchmark, slug: str, title: str, numbered: bool, **fields: Any) -> Version:
    """A draft version at an address that is free.

    Args:
        benchmark: Of the version.
        slug: Its address, numbered where that is taken.
        title: Its title.
        numbered: Whether the title gets the same number.
        **fields: Its other columns.

    Raises:
        FreezeError: There are too many versions of that slug.
    """
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

    Args:
        version_id: Its primary key.
        on_progress: Called with (done, total), at most twice a second: units of what is generated, KB of a file.

    Returns:
        Whether it was frozen here. False where there was nothing to do, it failed, or has to wait until a fault of the
        platform has passed.
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
        dispatch.enqueue_later("render_pages", seconds=0)
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


def _attempt(
    version: Version, lease: leases.Lease, on_progress: OnProgress | None
) -> dict[str, object] | str:
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
            sealed = seal.write_files(version, source, _Pulse(lease, on_progress))
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


def _failed(reason: str) -> dict[str, object]:
    return {"status": Version.Status.FAILED, "error": reason[:500]}


def forget(version: Version) -> None:
    """Delete a version that was never frozen, with the file that it waited for. Raises FrozenError for another."""
    version.delete()
    sources.discard(version.upload)


def rehearse(suite: str, preset: str, *, store: bool) -> Version:
    """The version that a demo freezes of a preset, sealed here and put into no database.

    Its seeds and its key are in the source, so that rows and hash are the same on every machine.

    Args:
        suite: The name of the suite.
        preset: The name of one of its presets, as an address writes it.
        store: Whether its files are stored, for who reads its rows; else they are hashed and forgotten.

    Returns:
        The version with its sealed columns, but for what attackers reach.

    Raises:
        BenchmarkError: The settings yield no rows.
        SettingsError: The preset's settings do not validate.
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
    """One public row of what this preset would generate."""
    suite = preset.benchmark.engine
    _, settings = preset.bound.settings.versions()[0]
    item = next(suite.version(settings).generate())
    return suite.public_row(item.rows[0])


def outlook(preset: Preset) -> Version:
    """What would be frozen: how many units and rows, and rows of each split, estimated from a second's units.

    Args:
        preset: Whose settings generate the units.

    Returns:
        A version that is in no database.
    """
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


def retry(version: Version, *, upload: str = "") -> None:
    """Queue a version whose freeze failed once more.

    Args:
        version: The version.
        upload: Name of the upload that corrects a refused file; empty to try the same again.

    Raises:
        FreezeError: There are no rows to try again, or it has not failed.
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
