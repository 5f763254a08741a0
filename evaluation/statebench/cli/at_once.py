"""Grading a file of responses at once, by the command that has just written it."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from evaluation.core import jsonl
from evaluation.core.records import JsonObject
from evaluation.core.terminal.figures import cell_text
from evaluation.core.terminal.tables import show
from evaluation.statebench.grading.rubrics import (
    DEFAULT_RUBRIC as DEFAULT_RUBRIC,  # see `evaluation.cli.at_once`
)
from evaluation.statebench.records import Response, Timeline

if TYPE_CHECKING:
    from evaluation.core.report import Report

#: Figure of an efficiency curve -> the field of a query's verdict.
RIGHT = {"accuracy": "correct"}
COLUMNS = ("sfrr", "decision_accuracy", "must_mention_rate", "must_not_mention_violation_rate")
TAKES_PART = False  # whether some of the rows can be graded as if there were no others


def has_gold(row: JsonObject) -> bool:
    """Whether a timeline can be graded. Those that a site hands out cannot."""
    queries = [event for event in row.get("events", []) if event.get("type") == "query"]
    return bool(queries) and all("ground_truth" in query for query in queries)


def grade(
    data: str,
    documents: str,
    predictions: str,
    args: argparse.Namespace,
    only: Collection[str] | None = None,
) -> tuple[Report, list[dict[str, Any]]]:
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
    from evaluation.statebench.data.truth import record
    from evaluation.statebench.suite import SUITE

    for _ in read_timelines(jsonl.read_again(data)):
        pass  # each is a timeline with ground truth, or its line is named
    records = map(record, cast(Iterable[Timeline], jsonl.read(data)))
    responses = cast(Iterable[Response], jsonl.read(predictions))
    return SUITE.grade(records, responses, {"rubric": args.rubric}), []


def metrics(report: Report) -> dict[str, Any]:
    """The figures of a report."""
    return dict(report.metrics)


def settings(args: argparse.Namespace) -> Mapping[str, Any]:
    """How it was graded."""
    return {"rubric": args.rubric}


def print_report(report: Report) -> None:
    """The main figures with their intervals, over everything and by track."""
    lines: dict[str, Mapping[str, Any]] = {"all": {"metrics": report.metrics, "intervals": report.intervals}}
    lines |= report.groups.get("track", {})
    show(
        "Figures",
        ("track", *COLUMNS),
        [(name, *(cell_text(line, each) for each in COLUMNS)) for name, line in lines.items()],
    )
