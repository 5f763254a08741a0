"""`goldevidencebench run`: answer the rows of a benchmark with a baseline."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from evaluation.core.files.artifacts import is_artifact
from evaluation.core.files.documents import beside
from evaluation.core.records import JsonObject
from evaluation.core.row_states import counted
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence import protocols
from evaluation.goldevidence.data.answers import row_state
from evaluation.goldevidence.systems import baselines
from evaluation.goldevidence.systems.baselines import BASELINES, TEXTS, Efficiency

HELP = "Run a baseline over rows and write its predictions."


def configure(parser: argparse.ArgumentParser) -> None:
    """Rows with or without gold, whole-book rows as well as rows with candidates."""
    parser.add_argument("--baseline", choices=list(BASELINES), default="ledger", help="default ledger")
    parser.add_argument("--data", required=True, help="the rows (.gz too), as generated or as downloaded")
    beside.add_option(parser)
    parser.add_argument("--out", required=True, help="where to write the predictions (.gz too)")
    parser.add_argument(
        "--protocol",
        choices=[*TEXTS, "both"],
        help="of rows that hold both texts: read the book (default), the log, or each in turn: `both` writes two "
        "files, the protocol's name before the suffix of --out. Other rows say themselves what they show",
    )
    parser.add_argument("--results-json", help="where to write the efficiency figures")


def run(args: argparse.Namespace) -> int:
    """Write the predictions and say what they cost."""
    results: dict[str, Any] = {"baseline": args.baseline, "data": args.data, "protocols": {}}
    if args.protocol == "both":
        jsonl.read_again(args.data)
    for protocol in TEXTS if args.protocol == "both" else [_reading(args)]:
        out = _path(args.out, protocol) if args.protocol == "both" else args.out
        efficiency = Efficiency()
        rows = _with_progress(beside.read(args.data, args.documents), f"{args.baseline}, {protocol}")
        states: Counter[str] = Counter()
        predictions = _counting(baselines.run(rows, args.baseline, protocol, efficiency), states)
        jsonl.write(out, predictions, sources=[args.data])
        count = states.total()
        results["protocols"][protocol] = {
            "predictions": str(out),
            "n": count,
            "row_states": dict(states),
            "efficiency": efficiency.as_dict(),
        }
        per_query = efficiency.tokens_per_query or 0.0
        print(
            f"wrote {number_of(count, 'prediction')} to {out} "
            f"({protocol}, {per_query:.0f} tokens per query): {counted(states)}",
            file=sys.stderr,
        )
    if args.results_json:
        jsonl.write(args.results_json, [results], sources=[args.data])
    return 0


def _counting(predictions: Iterable[JsonObject], states: Counter[str]) -> Iterator[JsonObject]:
    """The same lines; the predictions among them are counted by the state of their rows."""
    for prediction in predictions:
        if not is_artifact(prediction):
            states[row_state(prediction).value] += 1
        yield prediction


def _reading(args: argparse.Namespace) -> str:
    """Which text is read: what the first row names, else what was asked for. Raises BenchmarkError for another."""
    return protocols.reading(next(jsonl.read(jsonl.read_again(args.data)), {}), args.protocol)


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
