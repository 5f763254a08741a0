"""`goldevidencebench grade`: grade predictions against rows with gold, print the figures, save the report."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from evaluation.core import jsonl
from evaluation.core.files.documents import beside
from evaluation.core.terminal.arguments import add_table_options
from evaluation.goldevidence.data.rubrics import CITATIONS, RUBRICS, SUPPORT_METRICS, Options

if TYPE_CHECKING:
    from evaluation.core.report import Report

HELP = "Grade predictions against rows with gold."
T = TypeVar("T")


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    parser.add_argument("--data", required=True, metavar="D", help="rows with gold (JSON lines, may be gzip)")
    beside.add_option(parser)
    parser.add_argument("--pred", required=True, metavar="P", help="predictions (JSON lines, may be gzip)")
    parser.add_argument("--rubric", choices=list(RUBRICS), default="strict", help="default: strict")
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
    parser.add_argument("--results-json", metavar="OUT", help="write figures, groups, intervals and verdicts")
    parser.add_argument("--rows-out", metavar="FILE", help="write the verdict of every row as JSON lines")
    add_table_options(parser)


def run(args: argparse.Namespace) -> int:
    """Exit code 0: graded."""
    from evaluation.core.files.artifacts import read_artifacts
    from evaluation.core.files.spool import Spool
    from evaluation.goldevidence.artifacts.measure import figures
    from evaluation.goldevidence.artifacts.shown import Artifacts
    from evaluation.goldevidence.data.answer_file import AnswerFile
    from evaluation.goldevidence.grading.grade import grade_cases, open_rows, read_cases

    tables = None
    if args.verdicts_out or args.metrics_out:  # before the work, so that what is lacking is said at once
        from evaluation.frames.report_files import ReportFiles

        tables = ReportFiles(args.verdicts_out, args.metrics_out, sources=[args.data, args.pred])
    asked, rows = open_rows(args.data, args.documents)
    most = asked if args.max_support_k is None else args.max_support_k
    options = Options(args.rubric, args.citations, args.support_metric, most, not args.no_entailment)
    answers, built = AnswerFile(args.pred), Artifacts(read_artifacts(args.pred))
    cases = with_progress(read_cases(args.data, options, rows, built))
    report = grade_cases(cases, answers.take, options, Spool())
    report.metrics |= figures(built.stats)
    if args.rows_out:
        jsonl.write(args.rows_out, report.rows, sources=[args.data, args.pred])
    if args.results_json:
        write_report(args.results_json, report, sources=[args.data, args.pred])
    if tables:
        tables.write(report)
    print_report(report)
    return 0


def with_progress(items: Iterable[T]) -> Iterable[T]:
    """The same items, counted on the terminal if there is one to watch."""
    return _counted(items) if sys.stderr.isatty() else items


def _counted(items: Iterable[T]) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f} rows"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(items, total=None)


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


def print_decompositions(report: Report) -> None:
    """Evidence shown -> chosen -> value right where shown -> value right: of candidate rows, and of own retrieval."""
    from evaluation.goldevidence.grading.decomposition import (
        CONDITION_VALUE,
        decomposition_line,
        own_rates,
    )

    figures = report.metrics
    if figures.get("gold_present_rate") is not None:
        rates = {**figures, "value_acc": figures.get(CONDITION_VALUE)}
        print(f"Decomposition, candidate rows: {decomposition_line(rates)}")
    if figures.get("own_gold_present_rate") is not None:
        line, rows = decomposition_line(own_rates(figures)), figures["own_rows"]
        print(f"Decomposition, own retrieval ({rows:,} of {figures['n']:,} rows say what was shown): {line}")


def print_report(report: Report) -> None:
    """Figures with their intervals, also by condition, and failures with their counts."""
    from evaluation.core.terminal.figures import interval_text, show_by_split, value_text
    from evaluation.core.terminal.tables import show
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
