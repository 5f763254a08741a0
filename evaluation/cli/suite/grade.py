"""`goldevidencebench grade --suite NAME`: grade predictions against rows with gold, of any suite."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import cast

from evaluation.cli.suites import setting_values
from evaluation.core import jsonl
from evaluation.core.files.documents import beside
from evaluation.core.records import GradingRecord, Prediction, Row
from evaluation.core.report import Report
from evaluation.core.suite import Column, Facet, Problem, Suite, SuiteVersion, get_suite
from evaluation.core.terminal.arguments import add_graded_files
from evaluation.core.terminal.tables import interval_text, show, show_by_split, value_text

HELP = "Grade predictions against rows with gold."


def configure(parser: argparse.ArgumentParser) -> None:
    add_graded_files(parser)
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the version"
    )
    parser.add_argument("--results-json", metavar="FILE", help="write the complete report here")


def grade(
    data: str, documents: str, predictions: str, args: argparse.Namespace, only: Collection[str] | None = None
) -> tuple[Report, list[Mapping[str, object]]]:
    """Grade a predictions file. Returns the report and an empty list of artifacts. Ignores `only`. Raises RowError."""
    version = _version(args)
    rows = cast(Iterator[Row], beside.read(data, documents))
    records = [item.gold for item in version.items_from_rows(rows)]
    return version.grade(records, _usable(version.suite, predictions, records)), []


def results(args: argparse.Namespace) -> None:
    """Return None, which means: write the complete report to the file of `--results-json`."""


def print_report(report: Report, args: argparse.Namespace) -> None:
    """Print the metrics of the leaderboard, the number of rows for each kind of failure, and the headline by split."""
    version = _version(args)
    columns = version.columns
    _print(version.suite, columns, report)
    facet = _split_facet(version, report)
    if facet is not None:
        headlines = [column for column in columns if column.by_split or column.headline]
        show_by_split(facet.label.lower(), headlines, report.groups.get(facet.name, {}))


def _version(args: argparse.Namespace) -> SuiteVersion:
    return get_suite(args.suite).version(setting_values(args.set))


def _split_facet(version: SuiteVersion, report: Report) -> Facet | None:
    splits = {row["condition"] for row in report.rows}
    facets = version.facets(sorted(splits))
    return next(
        (each for each in facets if {part for part, _ in each.choices} | {each.default} >= splits), None
    )


def _usable(suite: Suite, path: str, records: Iterable[GradingRecord]) -> Iterator[Prediction]:
    from evaluation.core.errors import RowError

    expected = suite.expected(records, lines=True)
    for number, data in enumerate(jsonl.read(path), 1):
        read = suite.read_line(data, expected)
        if isinstance(read, Problem):
            raise RowError(read.message, path=path, line=number)
        if suite.row_id(data) in expected.splits:
            yield cast(Prediction, data)


def _print(suite: Suite, columns: Sequence[Column], report: Report) -> None:
    figures = [
        (
            column.label,
            value_text(value),
            interval_text(report.intervals.get(column.name)),
        )
        for column in columns
        if (value := report.metrics.get(column.name)) is not None
    ]
    show("Figures", ("figure", "value", "95% interval"), figures)
    failures = Counter(failure for row in report.rows if (failure := row.get("failure")))
    if failures:
        show(
            "Failures",
            ("code", suite.display.asked[1]),
            [(code, f"{n:,}") for code, n in failures.most_common()],
        )
