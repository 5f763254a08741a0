"""Preset -> frozen version: generate the rows once, hash everything, seal it."""

from __future__ import annotations

import copy
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
from evaluation.core.records import Row
from evaluation.core.sealing.attacks import AttackReport
from evaluation.core.sealing.keyed_ids import OPEN_KEY
from evaluation.core.suite import Suite
from leaderboard.benchmarks import sources, storage
from leaderboard.benchmarks.disclosure import State
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.models.version import OUR_LICENCE
from leaderboard.benchmarks.public_rows import PublicRows
from leaderboard.benchmarks.sealing import learning
from leaderboard.benchmarks.sealing.attacked import attacked
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

    There is one, or as many as the suite makes of such settings (`versions_of`): of a preset whose protocol is `both` a
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
    named = [("", checked)] if is_import else versions_of(preset.benchmark.engine, checked)
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


def versions_of(engine: Suite, settings: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The versions that a preset makes.

    Args:
        engine: Its suite; one that says nothing makes one.
        settings: The preset's, checked.

    Returns:
        (what is added to its name, settings) of each.
    """
    several = getattr(engine, "versions_of", None)
    return several(settings) if callable(several) else [("", settings)]


def _start_one(
    preset: Preset,
    settings: dict[str, Any],
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
        settings = engine.with_secret_seeds(settings)
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
        dispatch.enqueue_once("render_pages", seconds=0)
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
    version: Version,
    source: Source,
    pulse: Callable[..., None],
    *,
    only: Collection[str] | None = None,
    attack: bool = True,
) -> dict[str, Any]:
    """Write rows and gold, which are read back before they have a name; the sealed columns of the version.

    `only`: names of files that may be stored, others are not. `attack`: whether to measure what attackers reach.
    """
    suite = version.suite
    version.source_sha256 = source.fingerprint()
    splits: Counter[str] = Counter()
    public = PublicRows(version)
    row_count = unit_count = 0
    with storage.writing(only=only) as rows, storage.writing(only=only) as gold:
        for unit_count, item in enumerate(source.items(), 1):
            expected = suite.expected([item.gold]).splits
            for row in item.rows:
                public.add(row, expected.get(row["id"], ""))
            splits.update(expected.values())
            row_count += len(expected)
            gold.write_row(item.gold)
            pulse(source, unit_count)
        documents = _write_public(public, rows, lambda: pulse(source, unit_count), only)
    pulse(source, unit_count, at_once=True)
    if not row_count:
        raise FreezeError("the settings yield no rows")
    source.keep()
    sealed: dict[str, Any] = {
        "attacks": _attacks(version, rows, documents, gold, lambda: pulse(source, unit_count))
        if attack
        else {},
        "grader": suite.grader,
        "rows_sha256": rows.sha256,
        "gold_sha256": gold.sha256,
        "rows_bytes": rows.stored_bytes,
        "documents_sha256": documents.sha256 if documents else "",
        "documents_bytes": documents.stored_bytes if documents else 0,
        "document_count": len(public.documents),
        "row_count": row_count,
        "unit_count": unit_count,
        "conditions": dict(splits),
        "sample": public.sample or {},
        "public_gold": bool(version.settings.get("public_gold", False)),
        "source_sha256": version.source_sha256,
        "progress_done": unit_count,
        "progress_total": unit_count,
    }
    return sealed | {"sha256": digest(version, **sealed), "figure_step": _figure_step(version, sealed)}


def _write_public(
    public: PublicRows, rows: storage.Writer, beat: Callable[[], None], only: Collection[str] | None
) -> storage.Writer | None:
    """Write the public rows and, in a file of their own, the texts that they share; that file, where there is one."""
    if not public.has_documents:
        public.write(rows, None, beat)
        return None
    with storage.writing(only=only) as documents:
        public.write(rows, documents, beat)
    return documents


def _figure_step(version: Version, sealed: dict[str, Any]) -> float:
    """To what figures are rounded, where its answers are kept."""
    frozen = copy.copy(version)
    for name, value in sealed.items():
        setattr(frozen, name, value)
    return learning.figure_step(frozen) if frozen.disclosure.state == State.SEALED else 0.0


def _attacks(
    version: Version,
    rows: storage.Writer,
    documents: storage.Writer | None,
    gold: storage.Writer,
    beat: Callable[[], None],
) -> AttackReport | dict[str, Any]:
    """What attackers reach, from the files as others read them; empty without attackers."""
    names = {"rows_sha256": rows.sha256, "documents_sha256": documents.sha256 if documents else ""}
    return attacked(version, **names, gold_sha256=gold.sha256, beat=beat) or {}


def digest(
    version: Version,
    *,
    grader: str,
    rows_sha256: str,
    gold_sha256: str,
    documents_sha256: str = "",
    **_: Any,
) -> str:
    """SHA-256 over suite, settings, grader, rows, documents and gold: what "the same version" means.

    Args:
        version: For suite and settings.
        grader: Name and revision of the grader.
        rows_sha256: Of the file of public rows.
        gold_sha256: Of the file of gold.
        documents_sha256: Of the file of documents; empty, and no part of it, where the rows hold their texts.
        **_: Other sealed columns, which do not count.

    Returns:
        64 hex digits.
    """
    manifest = {
        "suite": version.benchmark.suite,
        "settings": version.settings,
        "grader": grader,
        "rows": rows_sha256,
        "gold": gold_sha256,
    } | ({"documents": documents_sha256} if documents_sha256 else {})
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

    Only what hashes to the sealed names is stored. Raises FreezeError where other rows come out, or none.
    """
    version = Version.objects.readable().get(pk=version_id)
    sealed = set(version.file_names)
    try:
        with sources.open_source(version) as source:
            made = _write_files(version, source, lambda *_, **__: None, only=sealed, attack=False)
    except (BenchmarkError, ImportRefusedError, storage.DamagedFileError) as error:
        raise FreezeError(f"it cannot be made again: {error}") from error
    if {made[name] for name in version.FILES if made[name]} != sealed:
        raise FreezeError("its settings now make other rows: restore its files from a backup")
    return verify(version_id)


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
        FreezeError: The settings yield no rows.
        SettingsError: The preset's settings do not validate.
    """
    benchmark = Benchmark(suite=suite, slug=suite)
    named = {name.replace("_", "-"): values for name, values in benchmark.engine.presets().items()}
    checked = Preset(benchmark=benchmark, settings=dict(named[preset])).checked_settings()
    _, chosen = versions_of(benchmark.engine, checked)[0]
    version = Version(benchmark=benchmark, slug=preset, title=preset, settings=chosen | {"key": OPEN_KEY})
    with sources.open_source(version) as source:
        sealed = _write_files(
            version, source, lambda *_, **__: None, only=None if store else (), attack=False
        )
    for name, value in sealed.items():
        setattr(version, name, value)
    return version


def check_seal(version: Version) -> None:
    """Whether the sealed columns still hash to the version's SHA-256. Raises storage.DamagedFileError."""
    recomputed = digest(
        version,
        grader=version.grader,
        rows_sha256=version.rows_sha256,
        gold_sha256=version.gold_sha256,
        documents_sha256=version.documents_sha256,
    )
    if recomputed != version.sha256:
        raise storage.DamagedFileError(f"version {version} does not match its SHA-256 {version.sha256[:12]}…")


def preview(preset: Preset) -> Row:
    """One public row of what this preset would generate."""
    suite = preset.benchmark.engine
    _, settings = versions_of(suite, preset.checked_settings())[0]
    item = next(iter(suite.generate(settings)))
    return suite.public_row(item.rows[0])


def outlook(preset: Preset) -> Version:
    """What would be frozen: how many units and rows, and rows of each split, estimated from a second's units.

    Args:
        preset: Whose settings generate the units.

    Returns:
        A version that is in no database.
    """
    suite = preset.benchmark.engine
    _, checked = versions_of(suite, preset.checked_settings())[0]
    units, seen, counted = suite.count(checked), 0, Counter[str]()
    deadline = time.monotonic() + OUTLOOK_S
    for item in suite.generate(checked):
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
