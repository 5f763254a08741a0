"""`goldevidencebench wordings`: the effect of a prompt's wording on the metrics of a model.

It compares reports of `grade` on the same rows, one for each wording. A difference larger than a metric's interval is
due to the prompt.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.tables import show, value_text

HELP = "Compare graded runs of the same rows under several wordings of a prompt."
IDS = ("id", "timeline_id", "query_idx")  # together they identify a row in any suite


class Spread(NamedTuple):
    """Values of one metric under each wording. `sd` is the sample standard deviation over wordings (n - 1)."""

    values: list[float]
    mean: float
    range: float
    sd: float


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "reports", nargs="+", metavar="REPORT", help="report of `grade --results-json`, one per wording"
    )
    parser.add_argument("--results-json", metavar="FILE", help="write the metrics here")


def run(args: argparse.Namespace) -> int:
    names = [Path(path).stem for path in args.reports]
    if len(names) < 2:
        raise BenchmarkError("wordings needs the reports of at least two runs")
    reports = [_read(path) for path in args.reports]
    rows = _shared_rows(args.reports, reports)
    figures = spreads([report["metrics"] for report in reports])
    lines = [
        (name, *map(value_text, each.values), *map(value_text, (each.mean, each.range, each.sd)))
        for name, each in figures.items()
    ]
    show(f"{rows} rows under {len(names)} wordings", ("figure", *names, "mean", "range", "sd"), lines)
    told = {name: each._asdict() for name, each in figures.items()}
    document = {"wordings": names, "rows": rows, "figures": told}
    if args.results_json:
        with jsonl.fresh(args.results_json, sources=args.reports) as out:
            out.write(jsonl.dumps(document))
    if args.json:
        print_json(document)
    return 0


def spreads(metrics: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """The spread of each rate that is in all reports. Integers are left out, because they count rows."""
    return {
        name: _spread([float(each[name]) for each in metrics])
        for name in metrics[0]
        if all(isinstance(each.get(name), float) for each in metrics)
    }


def _spread(values: list[float]) -> Spread:
    return Spread(values, statistics.fmean(values), max(values) - min(values), statistics.stdev(values))


def _read(path: str) -> Mapping[str, Any]:
    try:
        report = orjson.loads(Path(path).read_bytes())
    except orjson.JSONDecodeError as error:
        raise BenchmarkError(f"{path} is not a report of grade --results-json: {error}") from error
    if not isinstance(report, dict) or not {"metrics", "rows"} <= report.keys():
        raise BenchmarkError(f"{path} is not a report of grade --results-json")
    return report


def _shared_rows(paths: Sequence[str], reports: Sequence[Mapping[str, Any]]) -> int:
    first, *others = ({tuple(row.get(name) for name in IDS) for row in report["rows"]} for report in reports)
    for path, ids in zip(paths[1:], others, strict=True):
        if ids != first:
            raise BenchmarkError(f"{path} and {paths[0]} differ in rows: compare runs over the same rows")
    return len(first)
