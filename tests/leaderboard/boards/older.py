"""Versions frozen before ids were keyed, made as the code of that time did."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from django.utils import timezone

from evaluation.goldevidence import presets
from evaluation.goldevidence.conditions.rows import condition_rows
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.data.rubrics import RUBRICS
from evaluation.goldevidence.grading.frozen import to_record
from evaluation.statebench.data.truth import record
from evaluation.statebench.generator.tracks import generate
from evaluation.statebench.presets import Settings
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Benchmark, Version
from leaderboard.benchmarks.sealing import seal

Item = tuple[list[dict[str, Any]], dict[str, Any]]


def older_version(suite: str, slug: str, **settings: Any) -> Version:
    """A frozen version with unkeyed ids: `E0001-Q001@k4-gold_last`, `G7-causality-00001`."""
    benchmark = Benchmark.objects.get(suite=suite)
    engine = benchmark.engine
    checked = engine.settings.checked(settings)
    items = list({"goldevidence": _episodes, "statebench": _timelines}[suite](checked))
    public = [engine.public_row(row, labels=True) for rows, _ in items for row in rows]
    conditions: dict[str, int] = {}
    for name in engine.expected([gold for _, gold in items]).splits.values():
        conditions[name] = conditions.get(name, 0) + 1
    version = Version(benchmark=benchmark, slug=slug, title=slug, settings=checked)
    sealed = {
        "grader": engine.version({}).grader,
        "rows_sha256": _stored(public),
        "gold_sha256": _stored([gold for _, gold in items]),
    }
    for name, value in (sealed | {"sha256": seal.digest(version, **sealed)}).items():
        setattr(version, name, value)
    version.row_count, version.unit_count = sum(conditions.values()), len(items)
    version.conditions, version.sample = conditions, public[0]
    version.status, version.frozen_at = Version.Status.FROZEN, timezone.now()
    version.save()
    return Version.objects.select_related("benchmark").get(pk=version.pk)


def _episodes(settings: dict[str, Any]) -> Iterator[Item]:
    chosen = presets.Settings.from_json(settings)
    for unit in chosen.units():
        rows = list(unit.rows)
        for book, group in groupby(unit.rows, lambda row: row["book"]):
            of_book = list(group)
            seed = of_book[0]["meta"]["seed"]
            rows += condition_rows(of_book, parse_book(book), chosen.conditions, seed)
        yield rows, to_record(unit.key, rows, RUBRICS[chosen.rubric])


def _timelines(settings: dict[str, Any]) -> Iterator[Item]:
    chosen = Settings.from_json(settings)
    for number, row in enumerate(generate(chosen.tracks, chosen.count, chosen.seed)):
        named = row | {"id": f"G{chosen.seed}-{row['track']}-{number % chosen.count:05d}"}
        yield [named], record(named)


def _stored(rows: list[dict[str, Any]]) -> str:
    with storage.writing() as writer:
        for row in rows:
            writer.write_row(row)
    return writer.sha256
