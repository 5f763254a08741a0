"""`goldevidencebench reference`: shows published figures beside ours, and lists other benchmarks."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from evaluation.core.terminal.output import print_error
from evaluation.core.terminal.tables import show

if TYPE_CHECKING:
    from evaluation.goldevidence.experiments.anchors import ComparedTable, Measured
    from evaluation.goldevidence.experiments.reproduction import Comparison

HELP = "Show published figures beside ours and whether they reproduce; list other benchmarks with sources."
HEADINGS = ("", "published", "ours, reference data", "ours, our data", "why they differ")
FAILED = 1  # exit code


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reference-dir",
        help="the reference's data (its `gold` folder, or the parent); without it, the stored figures are used",
    )
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="default text")
    parser.add_argument(
        "--markdown", action="store_const", const="markdown", dest="format", help="--format markdown"
    )
    parser.add_argument("--json", action="store_const", const="json", dest="format", help="--format json")
    parser.add_argument(
        "--list",
        action="store_true",
        help="only list the tables and their stored results; measures nothing",
    )
    parser.add_argument(
        "--write", action="store_true", help="store the measured figures; for maintainers (make anchors)"
    )


def run(args: argparse.Namespace) -> int:
    """Print the tables of published figures beside ours.

    Returns 1 if a figure that should reproduce does not, or if the stored figures differ from ours; else 0.
    """
    if args.list:
        return _list(args.format)
    from evaluation.core.terminal.progress import counted
    from evaluation.goldevidence.experiments import anchors, reproduction

    comparisons = list(reproduction.compare(args.reference_dir))
    measured = list(counted(anchors.measure(args.reference_dir)))
    tables = anchors.compare(measured)
    _PRINT[args.format](comparisons, tables)
    if args.write:
        print(f"written to {anchors.write(measured)}", file=sys.stderr)
    complaints = list(_complaints(comparisons, tables, measured))
    for complaint in complaints:
        print_error(complaint)
    return FAILED if complaints else 0


def _complaints(
    comparisons: Iterable[Comparison], tables: Iterable[ComparedTable], measured: Sequence[Measured]
) -> Iterator[str]:
    from evaluation.goldevidence.experiments.anchors import is_current

    for comparison in comparisons:
        if comparison.reproduced is False:
            yield f"{comparison.table}, {comparison.label}: does not reproduce"
    for table in tables:
        for row in table.rows:
            if row.fails:
                yield f"{table.table.title}, {', '.join(row.labels)}: does not reproduce"
    if not is_current(measured):
        yield "The stored figures differ from those measured now: run `make anchors` to store the new ones."


def _list(form: str) -> int:
    from evaluation.goldevidence.experiments.anchors import compare, counted
    from evaluation.goldevidence.experiments.anchors.rendering import (
        as_records,
        opening,
        status_text,
        summary_as_markdown,
    )

    tables = compare()
    if form == "json":
        print(json.dumps([each | {"rows": len(each["rows"])} for each in as_records(tables)], indent=1))
    elif form == "markdown":
        print(summary_as_markdown(tables), end="")
    else:
        lines = ((table.table.id, table.table.title, status_text(table.statuses)) for table in tables)
        show(opening(tables, counted(tables)), ("table", "contents", "rows"), lines)
    return 0


def _print_text(comparisons: Iterable[Comparison], tables: Sequence[ComparedTable]) -> None:
    from evaluation.goldevidence.experiments.anchors import counted, external
    from evaluation.goldevidence.experiments.anchors import rendering as as_text
    from evaluation.goldevidence.experiments.anchors.commands import ESTIMATES

    for title, members in groupby(comparisons, key=lambda comparison: comparison.table):
        show(title, HEADINGS, map(_cells, members))
    for table in tables:
        show(table.table.title, as_text.headings(table), map(as_text.cells, table.rows))
        for remark in as_text.remarks(table):
            print(f"  {remark}")
        for command in table.how_to_run.commands if table.how_to_run else ():
            print(f"    {command}")
    print(f"\n{as_text.NOT_COMPARABLE}\n\n{ESTIMATES}\n\n{as_text.opening(tables, counted(tables))}")
    names, *_, adds, sources = zip(*as_text.external_rows(external()), strict=True)
    show(
        "Other benchmarks",
        ("", "what GoldEvidenceBench adds", "source"),
        zip(names, adds, sources, strict=True),
    )


def _print_markdown(comparisons: Iterable[Comparison], tables: Sequence[ComparedTable]) -> None:
    from evaluation.goldevidence.experiments.anchors import external
    from evaluation.goldevidence.experiments.anchors.commands import ESTIMATES
    from evaluation.goldevidence.experiments.anchors.rendering import (
        NOT_COMPARABLE,
        as_markdown,
        external_as_markdown,
    )

    print(markdown(comparisons))
    print(as_markdown(tables))
    print(f"{NOT_COMPARABLE}\n\n{ESTIMATES}\n\n{external_as_markdown(external())}", end="")


def _print_json(comparisons: Iterable[Comparison], tables: Sequence[ComparedTable]) -> None:
    from evaluation.goldevidence.experiments.anchors import external
    from evaluation.goldevidence.experiments.anchors.rendering import NOT_COMPARABLE, as_records

    document = {
        "tables": as_records(tables),
        "retrieval_and_selectors": [asdict(each) | {"reproduced": each.reproduced} for each in comparisons],
        "external": [each.model_dump() for each in external()],
        "language_models": NOT_COMPARABLE,
    }
    print(json.dumps(document, indent=1, ensure_ascii=False))


_PRINT = {"text": _print_text, "markdown": _print_markdown, "json": _print_json}


def markdown(comparisons: Iterable[Comparison]) -> str:
    lines = []
    for table, members in groupby(comparisons, key=lambda comparison: comparison.table):
        lines += [f"### {table}", "", f"| {' | '.join(HEADINGS)} |", "|---|---|---|---|---|"]
        lines += [f"| {' | '.join(_cells(comparison))} |" for comparison in members]
        lines.append("")
    return "\n".join(lines)


def _cells(comparison: Comparison) -> Iterator[str]:
    yield comparison.label
    for figures in (comparison.published, comparison.reference, comparison.own):
        yield "—" if figures is None else " / ".join(map(_figure, figures))
    yield why(comparison)


def _figure(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def why(comparison: Comparison) -> str:
    """Explain why our figure differs from the published one; empty if they agree."""
    if comparison.published is None:
        return "not published: the figure depends on which of two equal scores ranks first"
    if comparison.reproduced is False:
        return "does not reproduce on the reference's own data"
    if comparison.differs:
        count = comparison.questions
        return f"other episodes of the same settings; 1 of {count} questions is {_figure(1 / count)}"
    return ""
