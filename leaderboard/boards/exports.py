"""A board as a file: CSV, JSON and Parquet of exactly what is shown."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from django.urls import reverse

from evaluation.core import jsonl
from leaderboard.benchmarks.models import Version
from leaderboard.boards.rows import BoardRow

KINDS = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}


def links(version: Version, query: str) -> list[tuple[str, str]]:
    """(label, address) of each kind, under the same filters."""
    arguments = [version.benchmark.slug, version.slug]
    tail = f"?{query}" if query else ""
    names = {"csv": "CSV", "json": "JSON", "parquet": "Parquet"}
    return [
        (names[kind], reverse("leaderboard:board_export", args=[*arguments, kind]) + tail) for kind in KINDS
    ]


def records(rows: Sequence[BoardRow]) -> list[dict[str, Any]]:
    """One flat record a row, all with the same columns; None is "not reported"."""
    found = [_record(row) for row in rows]
    columns = dict.fromkeys(name for record in found for name in record)
    return [{name: record.get(name) for name in columns} for record in found]


def _record(row: BoardRow) -> dict[str, Any]:
    record: dict[str, Any] = {
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "tied_with_next": row.tie,
        "not_ranked": row.reason or None,
        "system": row.system.name,
        "owner": row.system.owner.get_username(),
        "kind": row.system.kind,
        "verified": row.submission.verified,
        "submission": str(row.submission.pk),
        "submitted": row.when.isoformat(),
        "tokens_per_query": row.tokens,
        "headline": row.value,
        "headline_low": row.low,
        "headline_high": row.high,
        "tie_breaker": row.robust,
    }
    record |= {facet.name: part for facet, part in row.part.parts}
    record |= {f"gate_{gate.name}": gate.state for gate in row.gates}
    for column, value, interval in row.cells:
        low, high = interval or (None, None)
        record |= {column.name: value, f"{column.name}_low": low, f"{column.name}_high": high}
    record |= {f"order_{label}": value for label, value in row.order}
    if unranked := row.submission.version.suite.unranked.get(row.system.kind):
        record |= {column.name: row.measures.get(column.name) for column in unranked.measures}
    return record


def respond(version: Version, rows: Sequence[BoardRow], kind: str) -> HttpResponse:
    """The file as a download."""
    data = {"csv": _csv, "json": _json, "parquet": _parquet}[kind](records(rows))
    response = HttpResponse(data, content_type=KINDS[kind])
    response["Content-Disposition"] = f'attachment; filename="{version.benchmark.slug}-{version.slug}.{kind}"'
    return response


def _json(found: list[dict[str, Any]]) -> bytes:
    return jsonl.dumps(found)


def _csv(found: list[dict[str, Any]]) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(found[0]) if found else ["rank"], extrasaction="ignore")
    writer.writeheader()
    writer.writerows({name: safe(value) for name, value in record.items()} for record in found)
    return out.getvalue().encode()


def safe(value: Any) -> Any:
    """Text that a spreadsheet would run as a formula is made plain text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" else value


def _parquet(found: list[dict[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(found), out)
    return out.getvalue()
