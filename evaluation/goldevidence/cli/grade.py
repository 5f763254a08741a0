"""`goldevidencebench grade`: grade predictions against rows with gold, print the figures, save the report."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.core import jsonl
from evaluation.core.files.documents import beside
from evaluation.core.terminal.arguments import add_table_options
from evaluation.goldevidence.cli import at_once

if TYPE_CHECKING:
    from evaluation.core.report import Report

HELP = "Grade predictions against rows with gold."


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--data", required=True, metavar="D", help="rows with gold (JSON lines, may be gzip)")
    beside.add_option(parser)
    parser.add_argument("--pred", required=True, metavar="P", help="predictions (JSON lines, may be gzip)")
    at_once.add_options(parser)
    parser.add_argument("--results-json", metavar="OUT", help="write figures, groups, intervals and verdicts")
    parser.add_argument("--rows-out", metavar="FILE", help="write the verdict of every row as JSON lines")
    add_table_options(parser)


def run(args: argparse.Namespace) -> int:
    """Exit code 0: graded."""
    tables = None
    if args.verdicts_out or args.metrics_out:  # before the work, so that what is lacking is said at once
        from evaluation.frames.report_files import ReportFiles

        tables = ReportFiles(args.verdicts_out, args.metrics_out, sources=[args.data, args.pred])
    report, _ = at_once.grade(args.data, args.documents, args.pred, args)
    if args.rows_out:
        jsonl.write(args.rows_out, report.rows, sources=[args.data, args.pred])
    if args.results_json:
        write_report(args.results_json, report, sources=[args.data, args.pred])
    if tables:
        tables.write(report)
    at_once.print_report(report)
    return 0


def write_report(path: str | Path, report: Report, *, sources: Sequence[str | Path] = ()) -> None:
    """Write the report as JSON, one verdict per line; it is never in memory as a whole.

    Args:
        path: The file to write.
        report: The graded report.
        sources: The files that were graded, none of which is written over.

    Raises:
        BenchmarkError: `path` is one of the `sources`.
    """
    head = jsonl.dumps(report.as_dict(rows=False))
    with jsonl.fresh(path, sources=sources) as out:
        out.write(head[:-1] + b',"rows":[')
        for number, row in enumerate(report.rows):
            out.write((b",\n" if number else b"\n") + jsonl.dumps(row))
        out.write(b"\n]}\n")
