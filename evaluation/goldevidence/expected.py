"""Collects the ids, splits, citation limits and logs that a predictions file must match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from evaluation.core.errors import FORM_FAULTS, RowError, in_row
from evaluation.core.files.documents.form import document_named
from evaluation.core.records import JsonObject
from evaluation.core.suite import ExpectedRows
from evaluation.goldevidence import protocols, public
from evaluation.goldevidence.data.rubrics import DEFAULT_SUPPORT_K
from evaluation.goldevidence.protocols import Protocol


def expected_of(records: Iterable[Mapping[str, object]]) -> ExpectedRows:
    """Collect row ids with their splits, the citation limit, and the logs to build artifacts from. Raises RowError."""
    splits: dict[str, str] = {}
    logs: dict[str, str] = {}
    citations: list[int] = []
    for number, record in enumerate(records, 1):
        try:
            splits.update(_splits_of(record))
            logs.update(_logs_of(record))
            citations.extend(_citations_of(record))
        except FORM_FAULTS as fault:
            raise in_row(fault, number) from fault
    return ExpectedRows(splits, artifacts=logs or None, citations=max(citations, default=None))


def ledgers_of(records: Iterable[JsonObject]) -> Iterator[tuple[str, str]]:
    """Yield (episode, ledger) for the grading records of versions whose systems build artifacts."""
    for record in records:
        yield from dict(zip(record.get("episodes", ()), record["ledgers"], strict=False)).items()


def _splits_of(record: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield (row id, split) for each row of a grading record, or for one public row."""
    if "ledgers" in record:
        yield from ((row[0], row[2]) for row in record["rows"])
        return
    if not isinstance(row_id := record.get("id"), str):
        raise RowError("a row has no usable 'id': it must be a text")
    if not isinstance(meta := record.get("meta", {}), Mapping):
        raise RowError(f"row {row_id!r} has no usable 'meta': it must be an object")
    if not isinstance(split := meta.get("condition") or public.kind_of(record), str):
        raise RowError(f"row {row_id!r} has no usable 'condition': it must be a text")
    yield row_id, split


def _citations_of(record: JsonObject) -> Iterator[int]:
    """Yield the citation limit of a public row. Grading records contain no limit; the settings of a version do."""
    if "ledgers" not in record:
        meta = record.get("meta", {})
        asked = meta.get("max_support_k")
        if meta.get("requires_citation", True):
            yield asked if type(asked) is int else DEFAULT_SUPPORT_K


def _logs_of(record: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield (episode, log) from a grading record or a public row; nothing if no artifacts are built from the log."""
    if "ledgers" in record:
        yield from zip(record.get("episodes", ()), record.get("logs", ()), strict=True)
    elif protocols.protocol_of(record) is Protocol.BUILD and document_named(record) is None:
        if not isinstance(episode := record.get("episode_id"), str):
            raise RowError(f"row {record.get('id')!r} has no usable 'episode_id': it must be a text")
        yield episode, record["document"]
