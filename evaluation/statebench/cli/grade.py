"""Grading a file of responses from a command line: by `grade`, by `state grade`, and at once by `model`."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from evaluation.core import jsonl
from evaluation.core.records import Figures, Number
from evaluation.core.terminal.arguments import add_table_options
from evaluation.core.terminal.tables import cell_text, show
from evaluation.statebench.grading.rubrics import DEFAULT_RUBRIC
from evaluation.statebench.records import Timeline

if TYPE_CHECKING:
    from evaluation.core.report import Report

HELP = "Grade a file of responses."
#: Figure of an efficiency curve -> the field of a query's verdict.
RIGHT = {"accuracy": "correct"}
COLUMNS = ("sfrr", "decision_accuracy", "must_mention_rate", "must_not_mention_violation_rate")
TAKES_PART = False  # whether some of the rows can be graded as if there were no others


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments; `--data` and `--pred` are their names in the command of both suites."""
    parser.add_argument(
        "--timelines",
        "--data",
        dest="data",
        metavar="TIMELINES",
        required=True,
        help="timelines with ground truth",
    )
    parser.add_argument(
        "--responses",
        "--pred",
        dest="pred",
        metavar="RESPONSES",
        required=True,
        help="JSONL of timeline_id, query_idx, response",
    )
    parser.add_argument(
        "--rubric", default=DEFAULT_RUBRIC, help=f"1.0, 2.0, strict, strict@3 or {DEFAULT_RUBRIC} (default)"
    )
    parser.add_argument("--results-json", metavar="FILE", help="write the whole report there")
    add_table_options(parser)


def has_gold(row: Mapping[str, Any]) -> bool:
    """Whether a timeline can be graded. Those that a site hands out cannot."""
    queries = [event for event in row.get("events", []) if event.get("type") == "query"]
    return bool(queries) and all("ground_truth" in query for query in queries)


def grade(
    data: str,
    documents: str,
    predictions: str,
    args: argparse.Namespace,
    only: Collection[str] | None = None,
) -> tuple[Report, list[Mapping[str, object]]]:
    """Grade a file of responses.

    Args:
        data: The timelines with ground truth.
        documents: None: timelines name no texts.
        predictions: The responses.
        args: With `rubric`.
        only: None: a timeline is graded as a whole.

    Returns:
        The report, and nothing: no system builds first.

    Raises:
        RowError: At the first line that cannot be used.
    """
    from evaluation.statebench.data.timeline import read_timelines
    from evaluation.statebench.data.truth import record, truths
    from evaluation.statebench.grading.grade import read_responses
    from evaluation.statebench.grading.rubrics import get_rubric
    from evaluation.statebench.suite import SUITE

    get_rubric(args.rubric)
    known = truths(read_timelines(jsonl.read_again(data)))  # each has its ground truth, or its line is named
    records = map(record, cast(Iterable[Timeline], jsonl.read(data)))
    responses = read_responses(predictions, known).values()
    return SUITE.version({"rubric": args.rubric}).grade(records, responses), []


def results(args: argparse.Namespace) -> Mapping[str, object]:
    """The figures as the release has them, with a verdict a query."""
    from evaluation.statebench import grade_files

    return grade_files(args.data, args.pred, rubric=args.rubric).as_dict()


def metrics(report: Report) -> dict[str, Number]:
    """The figures of a report."""
    return dict(report.metrics)


def settings(args: argparse.Namespace) -> Mapping[str, object]:
    """How it was graded."""
    return {"rubric": args.rubric}


def print_report(report: Report, args: argparse.Namespace) -> None:
    """The main figures with their intervals, over everything and by track.

    Args:
        report: What is printed.
        args: Not looked at: every report has these figures.
    """
    lines: dict[str, Figures] = {"all": {"metrics": report.metrics, "intervals": report.intervals}}
    lines |= report.groups.get("track", {})
    show(
        "Figures",
        ("track", *COLUMNS),
        [(name, *(cell_text(line, each) for each in COLUMNS)) for name, line in lines.items()],
    )
