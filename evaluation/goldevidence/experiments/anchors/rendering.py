"""Renders the published tables with our figures, and the other benchmarks, as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.experiments.anchors.comparing import Cell, ComparedRow, ComparedTable, Status
from evaluation.goldevidence.experiments.anchors.records import ExternalAnchor

#: Stated beside every figure of a language model.
NOT_COMPARABLE = (
    "Figures of a language model are not directly comparable with a board of this site: the reference's adapter "
    "shows the model only the latest authoritative line of the key by default, and overwrites citations by rule."
)
EXTERNAL_HEADINGS = (
    "Benchmark",
    "What it measures",
    "Unit",
    "Lengths",
    "What GoldEvidenceBench adds",
    "Source",
)


def status_text(statuses: Mapping[Status, int]) -> str:
    """Return the number of rows per status in words, such as `6 reproduced, 3 differ`."""
    return ", ".join(status.words_of(count) for status, count in statuses.items())


def headings(table: ComparedTable) -> tuple[str, ...]:
    return (*table.table.columns, "status")


def cells(row: ComparedRow) -> Iterator[str]:
    """Yield the cells of a row: its labels, each published figure with ours and the difference, and the status."""
    yield from row.labels
    yield from map(_beside, row.cells)
    yield row.status.words


def _beside(cell: Cell) -> str:
    if cell.ours is None:
        return f"{cell.published} → –"
    if cell.is_same:
        return f"{cell.published} → same"
    return f"{cell.published} → {cell.text(cell.ours)} ({cell.difference_text})"


def remarks(table: ComparedTable) -> Iterator[str]:
    """Yield the sentences below a table: its source, the settings, our data, and the reason for differences."""
    yield f"{table.source.title}: {table.caption}."
    yield table.table.ran
    if table.is_measured:
        data = "the reference's own episodes" if table.has_reference else "episodes of our generator"
        yield f"Ours: on {data}, the answer read off the chosen line."
    if table.table.model:
        yield f"Language model: {table.table.model}; its figures are not measured here (–) and not directly comparable."
    if table.table.why:
        yield table.table.why
    if table.how_to_run:
        yield f"Cost of measuring it here: {table.how_to_run.cost}"


def as_markdown(tables: Iterable[ComparedTable]) -> str:
    lines = []
    for table in tables:
        lines += [f"### {table.table.title}", "", " ".join(remarks(table)), "", *_line(headings(table))]
        lines.append("|---" * len(headings(table)) + "|")
        for row in table.rows:
            lines += _line(cells(row))
        if table.how_to_run:
            lines += ["", "```sh", *table.how_to_run.commands, "```"]
        lines.append("")
    return "\n".join(lines)


def summary_as_markdown(tables: Iterable[ComparedTable]) -> str:
    lines = [*_line(("table", "rows", "result")), "|---|---|---|"]
    for table in tables:
        lines += _line((table.table.title, str(len(table.rows)), status_text(table.statuses)))
    return "\n".join(lines) + "\n"


def external_rows(anchors: Iterable[ExternalAnchor]) -> Iterator[tuple[str, ...]]:
    for each in anchors:
        year = f", {each.year}" if each.year else ""
        source = f"{each.authors}{year}. {each.title}. {each.source}"
        yield each.name, each.measures, each.unit, each.lengths, each.adds, source


def external_as_markdown(anchors: Iterable[ExternalAnchor]) -> str:
    lines = ["### Other benchmarks", "", *_line(EXTERNAL_HEADINGS), "|---|---|---|---|---|---|"]
    for row in external_rows(anchors):
        lines += _line(row)
    return "\n".join(lines) + "\n"


def as_records(tables: Iterable[ComparedTable]) -> list[dict[str, Any]]:
    return [
        table.table.model_dump(include={"id", "title", "section", "caption", "ran", "why", "model"})
        | {
            "source": table.source.model_dump(),
            "how_to_run": asdict(table.how_to_run) if table.how_to_run else None,
            "statuses": {status.value: count for status, count in table.statuses.items()},
            "rows": [_record(table, row) for row in table.rows],
        }
        for table in tables
    ]


def _record(table: ComparedTable, row: ComparedRow) -> dict[str, object]:
    return {
        "labels": dict(zip(table.table.columns, row.labels, strict=False)),
        "status": row.status.value,
        "expected": row.expected.value,
        "figures": {
            cell.name: {
                "published": cell.published,
                "reference": cell.reference,
                "own": cell.own,
                "difference": None if cell.difference is None else round(cell.difference, 6),
                "same": cell.is_same,
                "language_model": cell.of_model,
            }
            for cell in row.cells
        },
    }


def opening(tables: Iterable[ComparedTable], statuses: Mapping[Status, int]) -> str:
    several = list(tables)
    rows = sum(statuses.values())
    return f"{number_of(len(several), 'published table')}, {number_of(rows, 'row')}: {status_text(statuses)}."


def _line(texts: Iterable[str]) -> list[str]:
    return ["| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"]
