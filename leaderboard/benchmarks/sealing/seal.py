"""Seals a version: stores rows and gold, and computes one hash over everything."""

from __future__ import annotations

import copy
import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypedDict

from evaluation.attacks.running import Guesses
from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.disclosure import State
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.public_rows import PublicRows
from leaderboard.benchmarks.sealing import learning
from leaderboard.benchmarks.sealing.attacked import attacked
from leaderboard.benchmarks.sources import Source


class AttackColumns(TypedDict, total=False):
    attacks: Mapping[str, object]  # empty without attackers
    guessing: Guesses


class SealedColumns(AttackColumns):
    """Columns of a version that are written when it is frozen: hashes, sizes and counts of its files."""

    grader: str
    rows_sha256: str
    gold_sha256: str
    rows_bytes: int
    documents_sha256: str
    documents_bytes: int
    document_count: int
    row_count: int
    unit_count: int
    conditions: dict[str, int]
    sample: Mapping[str, object]
    public_gold: bool
    source_sha256: str
    progress_done: int
    progress_total: int


def write_files(
    version: Version,
    source: Source,
    pulse: Callable[..., None],
    *,
    only: Collection[str] | None = None,
    attack: bool = True,
) -> dict[str, object]:
    """Store rows, documents and gold, each read back before it gets its name. Returns the sealed columns.

    Args:
        pulse: Called repeatedly with the source and the number of finished units.
        only: Hashes of files that may be stored; None: all.

    Raises BenchmarkError if the settings yield no rows.
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
    pulse(source, unit_count, force=True)
    if not row_count:
        raise BenchmarkError("the settings yield no rows")
    source.keep()
    sealed: SealedColumns = {
        "attacks": {},
        "grader": version.present_grader,
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
    if attack:
        sealed = {**sealed, **_attacks(version, rows, documents, gold, lambda: pulse(source, unit_count))}
    return sealed | {"sha256": digest(version, **sealed), "figure_step": _figure_step(version, sealed)}


def _write_public(
    public: PublicRows, rows: storage.Writer, beat: Callable[[], None], only: Collection[str] | None
) -> storage.Writer | None:
    if not public.has_documents:
        public.write(rows, None, beat)
        return None
    with storage.writing(only=only) as documents:
        public.write(rows, documents, beat)
    return documents


def _figure_step(version: Version, sealed: SealedColumns) -> float:
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
) -> AttackColumns:
    names = {"rows_sha256": rows.sha256, "documents_sha256": documents.sha256 if documents else ""}
    found = attacked(version, **names, gold_sha256=gold.sha256, beat=beat)
    return {"attacks": found.report, "guessing": found.guesses} if found else {}


def digest(
    version: Version, *, grader: str, rows_sha256: str, gold_sha256: str, documents_sha256: str = "", **_: Any
) -> str:
    """The version's identity: SHA-256 over suite, settings, grader, rows, documents (if separate) and gold."""
    manifest = {
        "suite": version.benchmark.suite,
        "settings": version.settings,
        "grader": grader,
        "rows": rows_sha256,
        "gold": gold_sha256,
    } | ({"documents": documents_sha256} if documents_sha256 else {})
    return hashlib.sha256(jsonl.canonical(manifest)).hexdigest()


def check(version: Version) -> None:
    """Raise storage.DamagedFileError if the sealed columns do not match the version's SHA-256."""
    recomputed = digest(
        version,
        grader=version.grader,
        rows_sha256=version.rows_sha256,
        gold_sha256=version.gold_sha256,
        documents_sha256=version.documents_sha256,
    )
    if recomputed != version.sha256:
        raise storage.DamagedFileError(f"version {version} does not match its SHA-256 {version.sha256[:12]}…")
