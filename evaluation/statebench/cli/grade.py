"""`goldevidencebench grade` over timelines and `state grade`: grade a file of responses."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from evaluation.core import jsonl
from evaluation.core.terminal.arguments import add_table_options
from evaluation.core.terminal.figures import cell_text
from evaluation.core.terminal.tables import show
from evaluation.statebench.grading.rubrics import DEFAULT_RUBRIC
from evaluation.statebench.records import Response, Timeline

if TYPE_CHECKING:
    from evaluation.core.report import Report
    from evaluation.statebench.grading.grade import StateReport

HELP = "Grade a file of responses."


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments; `--data` and `--pred` are their names in the command of both suites."""
    parser.add_argument("--timelines", "--data", required=True, help="timelines with ground truth")
    parser.add_argument(
        "--responses", "--pred", required=True, help="JSONL of timeline_id, query_idx, response"
    )
    parser.add_argument(
        "--rubric", default=DEFAULT_RUBRIC, help=f"1.0, 2.0, strict or {DEFAULT_RUBRIC} (default)"
    )
    parser.add_argument("--results-json", metavar="FILE", help="write the whole report there")
    add_table_options(parser)


def run(args: argparse.Namespace) -> int:
    """Exit code 0: graded."""
    from evaluation.statebench import grade_files
    from evaluation.statebench.data.timeline import read_timelines

    tables = None
    if args.verdicts_out or args.metrics_out:  # before the work, so that what is lacking is said at once
        from evaluation.frames.report_files import ReportFiles

        sources = [args.timelines, args.responses]
        tables = ReportFiles(args.verdicts_out, args.metrics_out, sources=sources)
    for _ in read_timelines(jsonl.read_again(args.timelines)):
        pass  # each is a timeline with ground truth, or its line is named
    report = grade_files(args.timelines, args.responses, rubric=args.rubric)
    if args.results_json:
        with jsonl.fresh(args.results_json, sources=[args.timelines, args.responses]) as out:
            out.write(jsonl.dumps(report.as_dict()))
    whole = _whole_report(args)
    if tables:
        tables.write(whole)
    _print(report, whole)
    return 0


def _print(report: StateReport, whole: Report) -> None:
    """The main figures with their intervals, over everything and by track."""
    columns = ("sfrr", "decision_accuracy", "must_mention_rate", "must_not_mention_violation_rate")
    lines = {"all": {"metrics": report.metrics, "intervals": whole.intervals}}
    for name, figures in report.tracks.items():
        lines[name] = {
            "metrics": figures,
            "intervals": whole.groups["track"].get(name, {}).get("intervals", {}),
        }
    cells = [(name, *(cell_text(line, column) for column in columns)) for name, line in lines.items()]
    show("Figures", ("track", *columns), cells)


def _whole_report(args: argparse.Namespace) -> Report:
    """The report with intervals, groups and figures of rows, as a site makes it."""
    from evaluation.statebench.data.truth import record
    from evaluation.statebench.suite import SUITE

    records = map(record, cast(Iterable[Timeline], jsonl.read(args.timelines)))
    responses = cast(Iterable[Response], jsonl.read(args.responses))
    return SUITE.grade(records, responses, {"rubric": args.rubric})
