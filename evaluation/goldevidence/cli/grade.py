"""Grading a predictions file from a command line: by `grade`, and at once by what has just written it.

See `evaluation.core.terminal.commands.GraderAtOnce`.
"""

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
TAKES_PART = True  # whether some of the rows can be graded as if there were no others


def configure(parser: argparse.ArgumentParser) -> None:
    """The options of `grade`."""
    add_graded_files(parser)
    add_options(parser)
    parser.add_argument("--results-json", metavar="OUT", help="write figures, groups, intervals and verdicts")
    parser.add_argument("--rows-out", metavar="FILE", help="write the verdict of every row as JSON lines")
    add_table_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """How answers are graded."""
    parser.add_argument(
        "--rubric", choices=list(RUBRICS), default=DEFAULT_RUBRIC, help=f"default: {DEFAULT_RUBRIC}"
    )
    parser.add_argument(
        "--citations", choices=CITATIONS, default="auto", help="auto: where a row asks for them (default)"
    )
    parser.add_argument(
        "--support-metric",
        choices=SUPPORT_METRICS,
        default="f1",
        help="f1: every gold line is cited (default); exact: these and no others",
    )
    parser.add_argument(
        "--max-support-k",
        type=int,
        metavar="N",
        help="citations that count (default: as many as the rows ask for, 3 where they do not say)",
    )
    parser.add_argument(
        "--no-entailment", action="store_true", help="an exact answer need not follow from its citations"
    )
    parser.add_argument(
        "--entailment-check",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether an exact answer has to follow from its citations (default), as the reference calls it",
    )


def has_gold(row: Mapping[str, Any]) -> bool:
    """Whether a row of a data file can be graded. Those that a site hands out cannot."""
    return isinstance(row.get("gold"), dict) and "value" in row["gold"]


def grade(
    data: str,
    documents: str,
    predictions: str,
    args: argparse.Namespace,
    only: Collection[str] | None = None,
) -> tuple[Report, list[Mapping[str, object]]]:
    """Grade a predictions file.

    Args:
        data: The rows with gold.
        documents: The texts that they name; empty for the file beside them, and where they name none.
        predictions: The predictions.
        args: Those of `add_options`.
        only: The rows that were asked, by id; None for all.

    Returns:
        The report, and of systems that build first what their artifacts hold.

    Raises:
        RowError: At the first line that cannot be used.
    """
    from evaluation.goldevidence.grading.grade import grade_rows, open_rows

    follows = args.entailment_check and not args.no_entailment
    chosen = Options(args.rubric, args.citations, args.support_metric, entailment=follows)
    files, options = open_rows(data, predictions, documents, chosen, args.max_support_k)
    rows = files.rows if only is None else (each for each in files.rows if each[1]["id"] in only)
    return grade_rows(files._replace(rows=iter(counted(rows))), options)


def metrics(report: Report) -> dict[str, Number]:
    """The figures of a report under the names that the reference's runs have for them."""
    from evaluation.goldevidence.experiments.sweep_folder import METRICS

    return {name: report.metrics.get(ours) for name, ours in METRICS.items()}


def settings(args: argparse.Namespace) -> Mapping[str, object]:
    """How it was graded, under the names that the reference's runs have."""
    names = ("citations", "support_metric", "max_support_k", "rubric")
    follows = args.entailment_check and not args.no_entailment
    return {name: getattr(args, name) for name in names} | {"entailment_check": follows}


def results(args: argparse.Namespace) -> None:
    """None: `--results-json` holds the report."""


def print_decompositions(report: Report) -> None:
    """Evidence shown -> cited -> value right where shown -> value right: of candidate rows, and of own retrieval."""
    from evaluation.goldevidence.grading.decomposition import (
        CONDITION_VALUE,
        PICKED,
        decomposition_line,
        own_rates,
    )

    def picked(rates: Mapping[str, Number]) -> str:
        rate = rates.get(PICKED)
        return "" if rate is None else f" (the selector picked the evidence, where shown: {rate:.4f})"

    figures = report.metrics
    if figures.get("gold_present_rate") is not None:
        rates = {**figures, "value_acc": figures.get(CONDITION_VALUE)}
        print(f"Decomposition, candidate rows: {decomposition_line(rates)}{picked(rates)}")
    if figures.get("own_gold_present_rate") is not None:
        own, rows = own_rates(figures), figures["own_rows"]
        said = f"{rows:,} of {figures['n']:,} rows say what was shown"
        print(f"Decomposition, own retrieval ({said}): {decomposition_line(own)}{picked(own)}")


def print_report(report: Report, args: argparse.Namespace) -> None:
    """Figures with their intervals, also by condition, and failures with their counts.

    Args:
        report: What is printed.
        args: Not looked at: the report says how it was graded.
    """
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
