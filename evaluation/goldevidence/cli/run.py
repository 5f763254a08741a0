"""Implements `goldevidencebench run`, which answers and grades rows. See `evaluation.core.terminal.commands.Runner`."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.files.artifacts import is_artifact
from evaluation.core.files.documents import beside
from evaluation.core.row_states import counted
from evaluation.core.secrets import redact
from evaluation.core.statistics.efficiency import Costed, curve, figures
from evaluation.core.terminal.commands import Answering
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.progress import tracked
from evaluation.core.terminal.tables import show_costs
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence import protocols
from evaluation.goldevidence.cli import grade
from evaluation.goldevidence.cli.grade import has_gold
from evaluation.goldevidence.data.answers import row_state
from evaluation.goldevidence.experiments.sweep_folder import SCHEMA_VERSION
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.systems import baselines
from evaluation.goldevidence.systems.baselines import BASELINES, TEXTS, Efficiency

if TYPE_CHECKING:
    from evaluation.core.report import Report

HELP = "Run a baseline over rows, write its predictions and grade them."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--baseline", choices=list(BASELINES), default="ledger", help="default ledger")
    parser.add_argument("--data", required=True, help="the rows (.gz too), as generated or as downloaded")
    beside.add_option(parser)
    parser.add_argument("--out", default="", help="file of predictions (.gz too)")
    parser.add_argument(
        "--protocol",
        choices=[*TEXTS, "both"],
        help="for rows that hold both texts: read the book (default), the log, or both in turn; both writes two "
        "files, with the protocol's name before the suffix of --out. Other rows name their protocol",
    )
    parser.add_argument("--results-json", help="file of metrics, efficiency and provenance")
    grade.add_options(parser)


def answering(args: argparse.Namespace) -> Iterator[Answering]:
    """Yield one predictions file, or two under `--protocol both`. Each is graded if the rows contain gold."""
    first = next(jsonl.read(jsonl.read_again(args.data)), {})
    if args.protocol == "both" and args.out == jsonl.STANDARD_OUTPUT:
        raise BenchmarkError(
            "--out - does not work with --protocol both, which writes two files: name a path"
        )
    chosen = list(TEXTS) if args.protocol == "both" else [protocols.reading(first, args.protocol)]
    results: dict[str, Any] = {"baseline": args.baseline, "data": args.data, "protocols": {}}
    with _folder(args.out) as folder:
        for protocol in chosen:
            out = _path(folder, protocol) if args.protocol == "both" else Path(folder)
            answers = _Answers(args, protocol, out)
            yield Answering(out, answers.predictions(), answers.say)
            results["protocols"][protocol] = answers.graded() if has_gold(first) else answers.ungraded()
    if args.results_json:
        jsonl.write(args.results_json, [results | _made_by()], sources=[args.data])
    if args.json:
        print_json(results)


@contextmanager
def _folder(out: str) -> Iterator[str]:
    """Yield `out`, or a temporary file if there is no `out` or it is the standard output, which then gets a copy."""
    if out and out != jsonl.STANDARD_OUTPUT:
        yield out
        return
    with TemporaryDirectory(prefix="goldevidencebench-") as folder:
        path = Path(folder) / "preds.jsonl"
        yield str(path)
        if out:
            with jsonl.fresh(out) as standard, path.open("rb") as file:
                shutil.copyfileobj(file, standard)


class _Answers:
    def __init__(self, args: argparse.Namespace, protocol: str, out: Path) -> None:
        self._args, self._protocol, self._out = args, protocol, out
        self._called = args.out if args.out == jsonl.STANDARD_OUTPUT else str(out)
        self._spent, self._states, self._words = Efficiency(), Counter[str](), dict[str, int]()

    def predictions(self) -> Iterator[Mapping[str, object]]:
        read = cast(Iterator[EpisodeRow], beside.read(self._args.data, self._args.documents))
        rows = tracked(read, f"{self._args.baseline}, {self._protocol}")
        for line in baselines.run(rows, self._args.baseline, self._protocol, self._spent, self._words):
            if not is_artifact(line):
                self._states[row_state(line).value] += 1
            yield line

    def say(self, written: int) -> None:
        count, per_query = self._states.total(), self._spent.tokens_per_query or 0.0
        done = f"wrote {number_of(count, 'prediction')} to {self._called}" if self._args.out else "answered"
        told = f"{done} ({self._protocol}, {per_query:.0f} tokens per query): {counted(self._states)}"
        print(told, file=sys.stderr)

    def ungraded(self) -> dict[str, Any]:
        print("the rows contain no gold: nothing is graded", file=sys.stderr)
        return self._results() | {"metrics": None, "metrics_raw": None, "artifact_stats": []}

    def graded(self) -> dict[str, Any]:
        """Print the metrics, and return the entry for `--results-json`."""
        args, results = self._args, self._results()
        if not self._out.is_file():
            return results | {"metrics": None, "metrics_raw": None, "artifact_stats": []}
        report, artifacts = grade.grade(args.data, args.documents, str(self._out), args)
        points = curve(self._queries(report))
        print(f"baseline {args.baseline}, {self._protocol}: {number_of(results['n'], 'row')}")
        grade.print_report(report, args)
        show_costs(results["efficiency"], points)
        return results | {
            "config": dict(grade.settings(args)),
            "metrics": grade.metrics(report),
            "metrics_raw": None,
            "efficiency_curve": points,
            "artifact_stats": artifacts,
        }

    def _results(self) -> dict[str, Any]:
        count, spent = self._states.total(), self._spent
        return {
            "adapter_schema_version": SCHEMA_VERSION,
            "predictions": self._called if self._args.out else None,
            "n": count,
            "row_states": dict(self._states),
            "efficiency": spent.as_dict() | figures(spent.tokens, spent.passes, spent.wall_s, count),
        }

    def _queries(self, report: Report) -> Iterator[Costed]:
        for row in report.rows:
            verdict: Any = row
            right = {name: verdict.get(field) for name, field in grade.RIGHT.items()}
            yield Costed(self._words[row["id"]], right)


def _made_by() -> dict[str, object]:
    from evaluation.adapters.environment.provenance import about, run_environment

    return {
        "env": run_environment(),
        "provenance": about(redact(shlex.join(["goldevidencebench", *sys.argv[1:]]))),
    }


def _path(out: str, protocol: str) -> Path:
    # `preds.jsonl.gz` -> `preds.open_book.jsonl.gz`
    path = Path(out)
    stem, dot, suffix = path.name.partition(".")
    return path.with_name(f"{stem}.{protocol}{dot}{suffix}")
