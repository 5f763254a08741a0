"""`goldevidencebench run`: answer the rows of a benchmark with a baseline, and grade the answers."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.files.artifacts import is_artifact
from evaluation.core.files.documents import beside
from evaluation.core.records import JsonObject
from evaluation.core.row_states import counted
from evaluation.core.secrets import redact
from evaluation.core.statistics.efficiency import Costed, curve, figures
from evaluation.core.terminal.costs import show_costs
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence import protocols
from evaluation.goldevidence.cli import at_once
from evaluation.goldevidence.data.answers import row_state
from evaluation.goldevidence.experiments.sweep_folder import SCHEMA_VERSION
from evaluation.goldevidence.systems import baselines
from evaluation.goldevidence.systems.baselines import BASELINES, TEXTS, Efficiency

if TYPE_CHECKING:
    from evaluation.core.report import Report

HELP = "Run a baseline over rows, write its predictions and grade them."


def configure(parser: argparse.ArgumentParser) -> None:
    """Rows with or without gold, whole-book rows as well as rows with candidates."""
    parser.add_argument("--baseline", choices=list(BASELINES), default="ledger", help="default ledger")
    parser.add_argument("--data", required=True, help="the rows (.gz too), as generated or as downloaded")
    beside.add_option(parser)
    parser.add_argument("--out", default="", help="where to write the predictions (.gz too)")
    parser.add_argument(
        "--protocol",
        choices=[*TEXTS, "both"],
        help="of rows that hold both texts: read the book (default), the log, or each in turn: `both` writes two "
        "files, the protocol's name before the suffix of --out. Other rows say themselves what they show",
    )
    parser.add_argument(
        "--results-json", help="where to write figures, efficiency and what the run depends on"
    )
    at_once.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Write the predictions, say what they cost, and grade them where the rows hold their gold."""
    first = next(jsonl.read(jsonl.read_again(args.data)), {})
    if args.protocol == "both" and args.out == jsonl.STANDARD_OUTPUT:
        raise BenchmarkError(
            "--out - is not standard output here, as --protocol both writes two files: name a path"
        )
    chosen = list(TEXTS) if args.protocol == "both" else [protocols.reading(first, args.protocol)]
    results: dict[str, Any] = {"baseline": args.baseline, "data": args.data, "protocols": {}}
    with _folder(args.out) as folder:
        for protocol in chosen:
            out = _path(folder, protocol) if args.protocol == "both" else Path(folder)
            results["protocols"][protocol] = _run(args, protocol, out, graded=at_once.has_gold(first))
    if args.results_json:
        jsonl.write(args.results_json, [results | _made_by()], sources=[args.data])
    return 0


@contextmanager
def _folder(out: str) -> Iterator[str]:
    """Where the predictions go. Without a file of their own they are graded in one of which nothing is left."""
    if out and out != jsonl.STANDARD_OUTPUT:
        yield out
        return
    with TemporaryDirectory(prefix="goldevidencebench-") as folder:
        path = Path(folder) / "preds.jsonl"
        yield str(path)
        if out:
            with jsonl.fresh(out) as standard, path.open("rb") as file:
                shutil.copyfileobj(file, standard)


def _run(args: argparse.Namespace, protocol: str, out: Path, *, graded: bool) -> dict[str, Any]:
    """Answer and grade under one protocol.

    Args:
        args: Those of the command.
        protocol: Which text is read.
        out: Where the predictions go.
        graded: Whether the rows hold their gold.

    Returns:
        What `--results-json` says of it.
    """
    spent, states, words = Efficiency(), Counter[str](), dict[str, int]()
    rows = _with_progress(beside.read(args.data, args.documents), f"{args.baseline}, {protocol}")
    predictions = _counting(baselines.run(rows, args.baseline, protocol, spent, words), states)
    jsonl.write(out, predictions, sources=[args.data])
    count = states.total()
    _say(
        f"wrote {number_of(count, 'prediction')} to {_called(args, out)}" if args.out else "answered",
        protocol,
        spent,
        states,
    )
    costs = spent.as_dict() | figures(spent.tokens, spent.passes, spent.wall_s, count)
    result: dict[str, Any] = {
        "adapter_schema_version": SCHEMA_VERSION,
        "predictions": _called(args, out) if args.out else None,
        "n": count,
        "row_states": dict(states),
        "efficiency": costs,
    }
    if not (graded and out.is_file()):
        if not graded:
            print("the rows hold no gold: nothing is graded", file=sys.stderr)
        return result | {"metrics": None, "metrics_raw": None, "artifact_stats": []}
    report, artifacts = at_once.grade(args.data, args.documents, str(out), args)
    points = curve(_queries(report, words))
    print(f"baseline {args.baseline}, {protocol}: {number_of(count, 'row')}")
    at_once.print_report(report)
    show_costs(costs, points)
    return result | {
        "config": dict(at_once.settings(args)),
        "metrics": at_once.metrics(report),
        "metrics_raw": None,
        "efficiency_curve": points,
        "artifact_stats": artifacts,
    }


def _called(args: argparse.Namespace, out: Path) -> str:
    return args.out if args.out == jsonl.STANDARD_OUTPUT else str(out)


def _say(done: str, protocol: str, spent: Efficiency, states: Counter[str]) -> None:
    per_query = spent.tokens_per_query or 0.0
    print(f"{done} ({protocol}, {per_query:.0f} tokens per query): {counted(states)}", file=sys.stderr)


def _queries(report: Report, words: Mapping[str, int]) -> Iterator[Costed]:
    """What each row took, and whether it is right."""
    for row in report.rows:
        verdict: Any = row
        yield Costed(words[row["id"]], {name: verdict.get(field) for name, field in at_once.RIGHT.items()})


def _made_by() -> dict[str, Any]:
    """What the run depends on beside its options."""
    from evaluation.adapters.environment.provenance import about, of_run

    return {
        "env": of_run(),
        "provenance": about(redact(shlex.join(["goldevidencebench", *sys.argv[1:]]))),
    }


def _counting(predictions: Iterable[JsonObject], states: Counter[str]) -> Iterator[JsonObject]:
    """The same lines; the predictions among them are counted by the state of their rows."""
    for prediction in predictions:
        if not is_artifact(prediction):
            states[row_state(prediction).value] += 1
        yield prediction


def _path(out: str, protocol: str) -> Path:
    """`preds.jsonl.gz` -> `preds.open_book.jsonl.gz`."""
    path = Path(out)
    stem, dot, suffix = path.name.partition(".")
    return path.with_name(f"{stem}.{protocol}{dot}{suffix}")


def _with_progress(rows: Iterable[JsonObject], what: str) -> Iterable[JsonObject]:
    """A counter where a person is watching; how many rows there are is not known before they are read."""
    if not sys.stderr.isatty():
        return rows
    from rich.console import Console
    from rich.progress import track

    return track(rows, what, total=None, console=Console(stderr=True))
