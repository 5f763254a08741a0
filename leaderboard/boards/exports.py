"""A board as a file: CSV, JSON and Parquet of exactly what is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from django.http import HttpResponse
from django.urls import reverse

from evaluation.core.suite import Unranked
from evaluation.frames.board import board_table
from evaluation.frames.schema import Table
from leaderboard.benchmarks.models import Version
from leaderboard.boards.lengths import figures as length_figures
from leaderboard.boards.rows import BoardRow

if TYPE_CHECKING:
    from pandas import DataFrame

T = TypeVar("T")

Value = str | float | int | bool | None  # None is "not reported"

KINDS = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}


def links(version: Version, query: str) -> list[tuple[str, str]]:
    """The addresses of a board as a file, under the same filters.

    Args:
        version: Whose board it is.
        query: The filters and the order as an address has them behind the question mark; may be empty.

    Returns:
        (label, address) of each kind of file.
    """
    arguments = [version.benchmark.slug, version.slug]
    tail = f"?{query}" if query else ""
    names = {"csv": "CSV", "json": "JSON", "parquet": "Parquet"}
    return [
        (names[kind], reverse("leaderboard:board_export", args=[*arguments, kind]) + tail) for kind in KINDS
    ]


def records(version: Version, rows: Sequence[BoardRow]) -> list[dict[str, Value]]:
    """One flat record a row, all with the same columns.

    Args:
        version: Whose board it is.
        rows: Of that board, in the order of the records.

    Returns:
        Column -> value of each row; None is "not reported".
    """
    return _flat(version, rows, _table(version, rows))


def _flat(version: Version, rows: Sequence[BoardRow], table: Table) -> list[dict[str, Value]]:
    facts = about(version)
    flat_records = [_record(row) | facts | {"grader": row.score.grader} for row in rows]
    return [{name: record.get(name) for name in table.columns} for record in flat_records]


def _table(version: Version, rows: Sequence[BoardRow]) -> Table:
    """The columns of these rows: those of every board, those of the suite, and the orders that some row reports."""
    suite = version.suite
    kinds = [suite.unranked[row.system.kind] for row in rows if row.system.kind in suite.unranked]
    return board_table(
        [
            *length_figures.columns_of_files(version),
            *(column for column in version.columns if not column.headline),
        ],
        facets=_distinct(facet.name for row in rows for facet, _ in row.part.parts),
        gates=_distinct(gate.name for row in rows for gate in row.gates),
        orders=_distinct(label for row in rows for label, _ in row.order),
        measures=_distinct(column for kind in kinds for column in kind.measures),
    )


def _distinct(items: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(items))


def _record(row: BoardRow) -> dict[str, Value]:
    record: dict[str, Value] = {
        "rank": row.rank,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "tied_with_next": row.tie,
        "not_ranked": row.reason or None,
        "system": row.system.name,
        "model": row.system.model or None,
        "reading": row.system.reading or None,
        "harness": row.system.harness or None,
        "owner": row.system.owner.get_username(),
        "kind": row.system.kind,
        "verified": row.submission.verified,
        "origin": row.submission.origin.value,
        "submission": str(row.submission.pk),
        "submitted": row.when.isoformat(),
        "tokens_per_query": row.tokens,
        "headline": row.value,
        "headline_low": row.low,
        "headline_high": row.high,
        "tie_breaker": row.robust,
        "reference": row.reference or None,
        "repeats": row.score.repeats,
        "run_sd": row.run_sd,
        "above_guessing": None if row.placement.apart or row.value is None else row.placement.above,
        "meets_requirements": not row.gated,
        "requirements_not_met": row.unmet or None,
    }
    _, scaled, ends = row.scaled
    low, high = ends or (None, None)
    record |= {"scaled": scaled, "scaled_low": low, "scaled_high": high}
    record |= {facet.name: part for facet, part in row.part.parts}
    record |= {f"gate_{gate.name}": gate.state for gate in row.gates}
    for column, value, interval in row.cells:
        low, high = interval or (None, None)
        record |= {column.name: value, f"{column.name}_low": low, f"{column.name}_high": high}
    record |= {f"order_{label}": value for label, value in row.order}
    if unranked := row.submission.version.suite.unranked.get(row.system.kind):
        record |= _undecided(row, unranked)
        record |= {column.name: row.measures.get(column.name) for column in unranked.measures}
    return record


def _undecided(row: BoardRow, kind: Unranked) -> dict[str, Value]:
    """Null for the figures of a system that decides nothing, but for those that are true of it all the same."""
    untrue = [column.name for column, *_ in row.cells if column.name not in kind.columns]
    names = ["headline", *untrue]
    return dict.fromkeys([f"{name}{end}" for name in names for end in ("", "_low", "_high")]) | {
        "tie_breaker": None
    }


def about(version: Version) -> dict[str, str]:
    """What a file says it is about."""
    return {
        "benchmark": version.benchmark.slug,
        "version": version.slug,
        "version_sha256": version.sha256,
        "grader": version.grader,
    }


def respond(version: Version, rows: Sequence[BoardRow], kind: str) -> HttpResponse:
    """A board as a download: the same board, the same bytes.

    Args:
        version: Whose board it is.
        rows: Of that board, in their order.
        kind: A kind of `KINDS`.

    Returns:
        The file.
    """
    table = _table(version, rows)
    return respond_with(version, _flat(version, rows, table), table, kind)


def respond_with(
    version: Version, records: Iterable[Mapping[str, Value]], table: Table, kind: str, *, name: str = ""
) -> HttpResponse:
    """Records of a table as a download.

    Args:
        version: What they are about, which the file says.
        records: Column -> value of each; in CSV, text that a spreadsheet would run is made plain.
        table: The columns with their types.
        kind: A kind of `KINDS`.
        name: Which table it is, where a version has several: a part of the file's name.

    Returns:
        The file.
    """
    # Here, since pandas takes half a second to import: not before somebody downloads.
    from evaluation.frames.files import as_bytes
    from evaluation.frames.typed import frame_of

    if kind == "csv":
        records = [{column: safe(value) for column, value in record.items()} for record in records]
    data = as_bytes(frame_of(records, table), table, kind, about=about(version))
    return download(data, version, kind, name=name)


def respond_frame(version: Version, table: DataFrame, *, name: str) -> HttpResponse:
    """A table as a download in CSV.

    Args:
        version: What it is about.
        table: Its columns are named as the file names them; its texts are plain already, see `safe`.
        name: Which table it is, for the name of the file.

    Returns:
        The file.
    """
    text: str = table.rename(columns=safe).to_csv(index=False, lineterminator="\r\n")
    return download(text.encode(), version, "csv", name=name)


def safe_texts(table: DataFrame) -> DataFrame:
    """A table whose texts no spreadsheet runs; columns of other kinds stay as they are."""
    texts = table.select_dtypes(["string", "category"]).columns
    return table.assign(
        **{name: table[name].astype("string").map(safe, na_action="ignore") for name in texts}
    )


def download(data: bytes, version: Version, kind: str, *, name: str = "") -> HttpResponse:
    """A file about a version.

    Args:
        data: The bytes of the file.
        version: Whose benchmark and slug name it.
        kind: A kind of `KINDS`: the type of its content, and the end of its name.
        name: Which file it is, where there are several.

    Returns:
        The response that a browser saves.
    """
    response = HttpResponse(data, content_type=KINDS[kind])
    stem = "-".join(filter(None, (version.benchmark.slug, version.slug, name)))
    response["Content-Disposition"] = f'attachment; filename="{stem}.{kind}"'
    return response


#: What a spreadsheet takes for the start of a formula, or of a command; full-width signs are read like the plain ones.
FORMULA = ("=", "+", "-", "@", "|", "%", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def safe(value: Any) -> Any:
    """Text that a spreadsheet would run as a formula is made plain text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
