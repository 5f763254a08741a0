"""Grades a predictions file: for the command `grade`, and for commands that grade right after answering."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from evaluation.core.records import Number
from evaluation.core.terminal.arguments import add_graded_files, add_table_options
from evaluation.core.terminal.progress import counted
from evaluation.goldevidence.data.rubrics import CITATIONS, DEFAULT_RUBRIC, RUBRICS, SUPPORT_METRICS, Options

if TYPE_CHECKING:
    from evaluation.core.report import Report

HELP = "Grade predictions against rows with gold."
#: Figure of an efficiency curve -> the field of a row's verdict.
RIGHT = {"value_acc": "value_ok", "exact_acc": "correct"}
TAKES_PART = True  # a part of the rows can be graded as if there were no others


def configure(parser: argparse.ArgumentParser) -> None:
    add_graded_files(parser)
    add_options(parser)
    parser.add_argument("--results-json", metavar="OUT", help="write metrics, groups, intervals and verdicts")
    parser.add_argument("--rows-out", metavar="FILE", help="write the verdict of every row as JSON lines")
    add_table_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rubric", choices=list(RUBRICS), default=DEFAULT_RUBRIC, help=f"default: {DEFAULT_RUBRIC}"
    )
    parser.add_argument(
        "--citations",
        choices=CITATIONS,
        default="auto",
        help="auto: required if a row asks for them (default)",
    )
    parser.add_argument(
        "--support-metric",
        choices=SUPPORT_METRICS,
        default="f1",
        help="f1: every gold line is cited (default); exact: the gold lines and no others",
    )
    parser.add_argument(
        "--max-support-k",
        type=int,
        metavar="N",
        help="citations that count, from the first (default: the first row's limit, else 3)",
    )
    parser.add_argument(
        "--no-entailment",
        action="store_true",
        help="do not require that an exact answer follows from its citations",
    )
    parser.add_argument(
        "--entailment-check",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="require that an exact answer follows from its citations (default; named as in the reference)",
    )


def has_gold(row: Mapping[str, Any]) -> bool:
    """True if a row contains its correct answer (gold). Downloaded rows do not, and cannot be graded locally."""
    return isinstance(row.get("gold"), dict) and "value" in row["gold"]


def grade(
    data: str,
    documents: str,
    predictions: str,
    args: argparse.Namespace,
    only: Collection[str] | None = None,
) -> tuple[Report, list[Mapping[str, object]]]:
    """Grade a predictions file. Returns the report, and statistics of the artifacts that the system built.

    `documents` is a file; if it is empty, the file beside the rows is used. `args` are options of `add_options`. If
    `only` is given, only the rows with these ids are graded. Raises RowError at the first unusable line.
    """
    from evaluation.goldevidence.grading.grade import grade_rows, open_rows

    follows = args.entailment_check and not args.no_entailment
    chosen = Options(args.rubric, args.citations, args.support_metric, entailment=follows)
    files, options = open_rows(data, predictions, documents, chosen, args.max_support_k)
    rows = files.rows if only is None else (each for each in files.rows if each[1]["id"] in only)
    return grade_rows(files._replace(rows=iter(counted(rows))), options)


def metrics(report: Report) -> dict[str, Number]:
    from evaluation.goldevidence.experiments.sweep_folder import METRICS

    return {name: report.metrics.get(ours) for name, ours in METRICS.items()}


def settings(args: argparse.Namespace) -> Mapping[str, object]:
    names = ("citations", "support_metric", "max_support_k", "rubric")
    follows = args.entailment_check and not args.no_entailment
    return {name: getattr(args, name) for name in names} | {"entailment_check": follows}


def results(args: argparse.Namespace) -> None:
    """Return None: the command `grade` adds no entries of its own to `--results-json`."""


def print_decompositions(report: Report) -> None:
    """Print how often evidence is shown, cited and read right, for candidates and for lines that systems retrieve."""
    from evaluation.goldevidence.grading.decomposition import (
        CONDITION_VALUE,
        PICKED,
        decomposition_line,
        own_rates,
    )

    def picked(rates: Mapping[str, Number]) -> str:
        rate = rates.get(PICKED)
        return "" if rate is None else f" (gold line picked by the selector, if shown: {rate:.4f})"

    figures = report.metrics
    if figures.get("gold_present_rate") is not None:
        rates = {**figures, "value_acc": figures.get(CONDITION_VALUE)}
        print(f"Decomposition, candidate rows: {decomposition_line(rates)}{picked(rates)}")
    if figures.get("own_gold_present_rate") is not None:
        own, rows = own_rates(figures), figures["own_rows"]
        said = f"{rows:,} of {figures['n']:,} rows list the lines shown"
        print(f"Decomposition, own retrieval ({said}): {decomposition_line(own)}{picked(own)}")


def print_report(report: Report, args: argparse.Namespace) -> None:
    """Print the metrics with intervals, the metrics by condition, and the number of rows with each failure."""
    from evaluation.core.terminal.tables import interval_text, show, show_by_split, value_text
    from evaluation.goldevidence.columns import columns

    figures = [
        (name, value_text(value), interval_text(report.intervals.get(name)))
        for name, value in report.metrics.items()
        if value is not None
    ]
    show("Figures", ("metric", "value", "95% interval"), figures)
    print_decompositions(report)
    by_split = [column for column in columns() if column.by_split]
    show_by_split("condition", by_split, report.groups.get("condition", {}))
    failures = Counter(row["failure"] for row in report.rows if row["failure"])
    if failures:
        show("Failures", ("code", "rows"), [(code, f"{rows:,}") for code, rows in failures.most_common()])
    settings = {**report.settings, "statistics": report.statistics}
    print(", ".join(f"{name} {value}" for name, value in settings.items()))
