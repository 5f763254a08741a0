"""Exports a board as CSV, JSON or Parquet, with exactly the rows that its page shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from django.http import HttpResponse
from django.urls import reverse

from evaluation.core.suite import Unranked
from evaluation.frames.board import board_table
from evaluation.frames.schema import Table
from leaderboard.benchmarks.models import Version
from leaderboard.boards.lengths import figures as length_figures
from leaderboard.boards.rows import BoardRow
from leaderboard.submissions.models import System
from leaderboard.submissions.models.card import CARD_FIELDS

if TYPE_CHECKING:
    from pandas import DataFrame

T = TypeVar("T")

Value = str | float | int | bool | None  # None is "not reported"
#: A path as a whole address: `request.build_absolute_uri`.
Whole = Callable[[str], str]

KINDS = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}


def links(version: Version, query: str) -> list[tuple[str, str]]:
    """List (label, URL) of each kind of file of a board. `query` has filters and order, and may be empty."""
    arguments = [version.benchmark.slug, version.slug]
    tail = f"?{query}" if query else ""
    names = {"csv": "CSV", "json": "JSON", "parquet": "Parquet"}
    return [
        (names[kind], reverse("leaderboard:board_export", args=[*arguments, kind]) + tail) for kind in KINDS
    ]


def records(version: Version, rows: Sequence[BoardRow], whole: Whole) -> list[dict[str, Value]]:
    """One flat record per row, in the same order and all with the same columns. None means "not reported"."""
    return _flat(version, rows, _table(version, rows), whole)


def _flat(version: Version, rows: Sequence[BoardRow], table: Table, whole: Whole) -> list[dict[str, Value]]:
    facts = about(version)
    flat_records = [
        _record(row) | _card(row.system, whole) | facts | {"grader": row.score.grader} for row in rows
    ]
    return [{name: record.get(name) for name in table.columns} for record in flat_records]


def _table(version: Version, rows: Sequence[BoardRow]) -> Table:
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


def _card(system: System, whole: Whole) -> dict[str, Value]:
    card = {name: _known(getattr(system, name)) for name in ("seen", *CARD_FIELDS)}
    return card | {"system_slug": system.slug, "system_url": whole(system.get_absolute_url())}


def _known(value: Value | date) -> Value:
    if isinstance(value, date):
        return value.isoformat()
    return None if value == "" else value  # 0 is a price


def _undecided(row: BoardRow, kind: Unranked) -> dict[str, Value]:
    untrue = [column.name for column, *_ in row.cells if column.name not in kind.columns]
    names = ["headline", *untrue]
    return dict.fromkeys([f"{name}{end}" for name in names for end in ("", "_low", "_high")]) | {
        "tie_breaker": None
    }


def about(version: Version) -> dict[str, str]:
    return {
        "benchmark": version.benchmark.slug,
        "version": version.slug,
        "version_sha256": version.sha256,
        "grader": version.grader,
    }


def respond(version: Version, rows: Sequence[BoardRow], kind: str, whole: Whole) -> HttpResponse:
    """Download a board as one of `KINDS`. The same board always gives the same bytes."""
    table = _table(version, rows)
    return respond_with(version, _flat(version, rows, table, whole), table, kind)


def respond_with(
    version: Version, records: Iterable[Mapping[str, Value]], table: Table, kind: str, *, name: str = ""
) -> HttpResponse:
    """Download the records of a table as one of `KINDS`. In CSV, texts are made safe for spreadsheets."""
    # Imported here because pandas takes half a second, which only downloads should pay.
    from evaluation.frames.files import as_bytes
    from evaluation.frames.typed import frame_of

    if kind == "csv":
        records = [{column: safe(value) for column, value in record.items()} for record in records]
    data = as_bytes(frame_of(records, table), table, kind, about=about(version))
    return download(data, version, kind, name=name)


def respond_frame(version: Version, table: DataFrame, *, name: str) -> HttpResponse:
    """Download a table as CSV. Texts in its cells must be safe for spreadsheets already, see `safe`."""
    text: str = table.rename(columns=safe).to_csv(index=False, lineterminator="\r\n")
    return download(text.encode(), version, "csv", name=name)


def safe_texts(table: DataFrame) -> DataFrame:
    """Make the texts of a table safe for spreadsheets. Columns of other types are unchanged."""
    texts = table.select_dtypes(["string", "category"]).columns
    return table.assign(
        **{name: table[name].astype("string").map(safe, na_action="ignore") for name in texts}
    )


def download(data: bytes, version: Version, kind: str, *, name: str = "") -> HttpResponse:
    """Send bytes as an attachment named after the version and `name`, with the content type of `kind`."""
    response = HttpResponse(data, content_type=KINDS[kind])
    stem = "-".join(filter(None, (version.benchmark.slug, version.slug, name)))
    response["Content-Disposition"] = f'attachment; filename="{stem}.{kind}"'
    return response


#: Characters that start a formula or command in a spreadsheet, which reads full-width signs like the plain ones.
FORMULA = ("=", "+", "-", "@", "|", "%", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def safe(value: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would run as a formula. Other values are unchanged."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
