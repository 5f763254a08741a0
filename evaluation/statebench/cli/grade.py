"""Grade a file of responses, for the commands `grade`, `state grade` and `model`."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from evaluation.core import jsonl
from evaluation.core.records import Figures, Number
from evaluation.core.terminal.arguments import add_table_options
from evaluation.core.terminal.tables import cell_text, show
from evaluation.statebench.grading import rubrics
from evaluation.statebench.records import Timeline

if TYPE_CHECKING:
    from evaluation.core.report import Report
    from evaluation.statebench.data.truth import Truth

HELP = "Grade a file of responses."
#: Metric of an efficiency curve -> field of a query's verdict.
RIGHT = {"accuracy": "correct"}
COLUMNS = ("sfrr", "decision_accuracy", "must_mention_rate", "must_not_mention_violation_rate")
TYPED_COLUMNS = ("decision_accuracy", "value_accuracy", "evidence_rate", "stale_rate", "free_text_accuracy")
#: None: `typed@1` for timelines with typed gold, else the default for free text.
DEFAULT_RUBRIC: str | None = None
TYPED_RUBRIC = "typed@1"
TAKES_PART = False  # a subset of the rows cannot be graded alone


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        # `--data` and `--pred` are the names in the command that serves both suites.
        "--timelines",
        "--data",
        dest="data",
        metavar="TIMELINES",
        required=True,
        help="file of timelines with ground truth",
    )
    parser.add_argument(
        "--responses",
        "--pred",
        dest="pred",
        metavar="RESPONSES",
        required=True,
        help="file of JSON lines with timeline_id, query_idx and response",
    )
    parser.add_argument(
        "--rubric",
        help=f"{', '.join(rubrics.RUBRICS)} (default: {TYPED_RUBRIC} for timelines with typed gold, else "
        f"{rubrics.DEFAULT_RUBRIC})",
    )
    parser.add_argument("--results-json", metavar="FILE", help="write the whole report to FILE")
    add_table_options(parser)


def has_gold(row: Mapping[str, Any]) -> bool:
    """True if every query of a timeline has ground truth. Timelines downloaded from a site have no ground truth."""
    queries = [event for event in row.get("events", []) if event.get("type") == "query"]
    return bool(queries) and all("ground_truth" in query for query in queries)


def grade(
    data: str, documents: str, predictions: str, args: argparse.Namespace, only: Collection[str] | None = None
) -> tuple[Report, list[Mapping[str, object]]]:
    """Grade a file of responses. Returns the report, and an empty list because StateBench has no artifacts.

    Ignores `documents` and `only`, which other suites use: timelines refer to no documents and are graded as a whole.
    Sets `args.rubric` if it is None. Raises RowError at the first unusable line.
    """
    from evaluation.statebench.data.timeline import read_timelines
    from evaluation.statebench.data.truth import record, truths
    from evaluation.statebench.grading.grade import read_responses
    from evaluation.statebench.suite import SUITE

    if args.rubric:
        rubrics.get_rubric(args.rubric)
    known = truths(read_timelines(jsonl.read_again(data)))  # RowError names a line without gold
    args.rubric = args.rubric or rubric_for(known)
    records = map(record, cast(Iterable[Timeline], jsonl.read(data)))
    responses = read_responses(predictions, known, typed=args.rubric in rubrics.TYPED).values()
    return SUITE.version({"rubric": args.rubric}).grade(records, responses), []


def rubric_for(known: Sequence[Truth]) -> str:
    """The default rubric: typed if all gold is typed, else the default for free text."""
    is_typed = bool(known) and all(truth.answer is not None for truth in known)
    return TYPED_RUBRIC if is_typed else rubrics.DEFAULT_RUBRIC


def results(args: argparse.Namespace) -> Mapping[str, object]:
    """Grade a file of responses. Returns the metrics and one verdict per query."""
    from evaluation.statebench import grade_files

    return grade_files(args.data, args.pred, rubric=args.rubric).as_dict()


def metrics(report: Report) -> dict[str, Number]:
    return dict(report.metrics)


def settings(args: argparse.Namespace) -> Mapping[str, object]:
    return {"rubric": args.rubric}


def print_report(report: Report, args: argparse.Namespace) -> None:
    columns = TYPED_COLUMNS if args.rubric in rubrics.TYPED else COLUMNS
    lines: dict[str, Figures] = {"all": {"metrics": report.metrics, "intervals": report.intervals}}
    lines |= report.groups.get("track", {})
    show(
        "Figures",
        ("track", *columns),
        [(name, *(cell_text(line, each) for each in columns)) for name, line in lines.items()],
    )
