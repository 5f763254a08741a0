"""Preset -> frozen version: generate the rows once, hash everything, seal it."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluation import jsonl
from evaluation.suites import Item, Suite
from leaderboard import bell, canary, leases, storage
from leaderboard.models import Benchmark, Preset, Version

log = logging.getLogger(__name__)


class FreezeError(Exception):
    """A version cannot be made of this preset; the text says why."""


def start(
    *,
    preset: Preset,
    slug: str = "",
    title: str = "",
    source_sha256: str = "",
    units: int = 0,
    secret: bool = False,
    ring: bool = True,
) -> Version:
    """A draft version of a preset, with a worker rung up to freeze it (unless the caller freezes it itself).

    Rows that exist already lie in the file `source_sha256`; they make `units` units. `secret` draws new seeds: whoever
    knows the seeds can make the gold, and those of a named preset stand in the code.
    """
    engine = preset.benchmark.engine
    version = _draft(
        benchmark=preset.benchmark,
        preset=preset,
        slug=slug or preset.name,
        title=title or preset.title or preset.name,
        description=preset.description,
        settings=engine.with_secret_seeds(preset.settings) if secret else preset.checked_settings(),
        source_sha256=source_sha256,
        progress_total=units,
    )
    if ring:
        ring_for(version)
    return version


def _draft(*, benchmark: Benchmark, slug: str, **fields: Any) -> Version:
    taken = set(
        Version.objects.filter(benchmark=benchmark, slug__startswith=slug).values_list("slug", flat=True)
    )
    for candidate in (slug, *(f"{slug}-{n}" for n in range(2, 1000))):
        if candidate not in taken:
            try:
                with transaction.atomic():
                    return Version.objects.create(benchmark=benchmark, slug=candidate, **fields)
            except IntegrityError:  # taken in the meantime
                continue
    raise FreezeError(f"There are too many versions called {slug!r}. Choose another name.")


def ring_for(version: Version) -> None:
    """Wake a worker once the transaction is through."""
    bell.ring_on_commit("freeze_version", version.pk)


def freeze(version_id: int) -> bool:
    """Freeze one version. Safe to run twice; False where there was nothing to do."""
    unfinished = Version.objects.filter(
        pk=version_id, status__in=[Version.Status.DRAFT, Version.Status.FREEZING]
    )
    if not leases.claim(unfinished, status=Version.Status.FREEZING, error=""):
        return False
    version = Version.objects.select_related("benchmark").get(pk=version_id)
    try:
        sealed = _write_files(version)
    except Exception as error:
        log.exception("freezing version %s failed", version_id)
        version.status, version.error, version.lease_until = Version.Status.FAILED, _reason(error), None
        version.save(update_fields=["status", "error", "lease_until"])
        return False
    for name, value in sealed.items():
        setattr(version, name, value)
    version.status, version.frozen_at, version.lease_until = Version.Status.FROZEN, timezone.now(), None
    version.save()
    return True


def _reason(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return f"The rows could not be made: {text}"[:500]


def _items(version: Version, suite: Suite) -> Iterator[Item]:
    if version.source_sha256:
        return suite.items_from_rows(storage.rows(version.source_sha256), version.settings)
    return suite.generate(version.settings)


def _write_files(version: Version) -> dict[str, Any]:
    """Write rows and gold; the sealed columns of the version."""
    suite = version.benchmark.engine
    total = version.progress_total or suite.count(version.settings)
    beat = leases.Beat(version)
    conditions: Counter[str] = Counter()
    sample: dict[str, Any] = {}
    public = bool(version.settings.get("public_gold", False))
    mark = {canary.FIELD: canary.of(version)}
    row_count = unit_count = 0
    with storage.writing() as rows, storage.writing() as gold:
        for unit_count, item in enumerate(_items(version, suite), 1):
            for row in item.rows:
                shown = row if public else suite.public_row(row)
                sample = sample or suite.public_row(row) | mark
                rows.write_row(shown | mark)
            expected = suite.expected([item.gold]).conditions
            conditions.update(expected.values())
            row_count += len(expected)
            gold.write_row(item.gold)
            beat(unit_count, max(total, unit_count))
    if not row_count:
        raise FreezeError("the settings yield no rows")
    sealed = {
        "grader": suite.grader,
        "rows_sha256": rows.sha256,
        "gold_sha256": gold.sha256,
        "rows_bytes": rows.stored_bytes,
        "row_count": row_count,
        "unit_count": unit_count,
        "conditions": dict(conditions),
        "sample": sample,
        "public_gold": public,
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


def retry(version: Version) -> None:
    """Queue a version whose freeze failed once more."""
    version.status, version.error, version.lease_until = Version.Status.DRAFT, "", None
    version.save(update_fields=["status", "error", "lease_until"])
    ring_for(version)
