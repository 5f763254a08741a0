"""`goldevidencebench grade`: grade predictions against rows with gold, print the metrics, save the report."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evaluation.core import jsonl
from evaluation.core.terminal.output import print_json

if TYPE_CHECKING:
    from evaluation.core.report import Report
    from evaluation.core.terminal.commands import Grader


def run(args: argparse.Namespace) -> int:
    own: Grader = args.own
    sources, tables = [args.data, args.pred], None
    if args.verdicts_out or args.metrics_out:  # before the work, so that a missing extra is reported at once
        from evaluation.frames.results import ReportFiles

        tables = ReportFiles(args.verdicts_out, args.metrics_out, sources=sources)
    report, _ = own.grade(args.data, args.documents, args.pred, args)
    if args.rows_out:
        jsonl.write(args.rows_out, report.rows, sources=sources)
    if args.results_json:
        _write_results(args.results_json, own.results(args), report, sources)
    if tables:
        tables.write(report)
    own.print_report(report, args)
    if args.json:
        print_json(report.as_dict(rows=False))
    return 0


def _write_results(
    path: str, results: Mapping[str, object] | None, report: Report, sources: Sequence[str]
) -> None:
    with jsonl.fresh(path, sources=sources) as out:
        if results is not None:
            out.write(jsonl.dumps(results))
            return
        out.write(jsonl.dumps(report.as_dict(rows=False))[:-1] + b',"rows":[')
        for number, row in enumerate(report.rows):
            out.write((b",\n" if number else b"\n") + jsonl.dumps(row))
        out.write(b"\n]}\n")
