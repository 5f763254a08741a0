"""`goldevidencebench run --suite NAME`: answer the rows of any suite with one of its deterministic systems."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.core.files.documents import beside
from evaluation.core.records import Prediction, Row
from evaluation.core.suite import Suite, get_suite
from evaluation.core.terminal.commands import Answering
from evaluation.core.terminal.wording import number_of

HELP = "Answer rows with a deterministic system of the suite and write its predictions."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--baseline", default="", help="name of the system (default: the suite's first)")
    parser.add_argument("--data", required=True, help="the generated or downloaded rows (may be .gz)")
    beside.add_option(parser)
    parser.add_argument("--out", required=True, help="where to write the predictions (may be .gz)")


def answering(args: argparse.Namespace) -> Iterator[Answering]:
    rows = beside.read(args.data, args.documents)

    def say(count: int) -> None:
        print(f"wrote {number_of(count, 'prediction')} to {args.out}", file=sys.stderr)

    yield Answering(args.out, _predictions(get_suite(args.suite), args.baseline, rows), say)


def _predictions(suite: Suite, name: str, rows: Iterable[Mapping[str, object]]) -> Iterator[Prediction]:
    systems = suite.systems()
    if not systems:
        raise BenchmarkError(f"{suite.title} has no deterministic system to run.")
    chosen = name or next(iter(systems))
    if chosen not in systems:
        raise UnknownNameError("system", chosen, systems)
    system = systems[chosen].build()
    for row in rows:
        answer = system.predict(suite.public_row(cast(Row, row)))
        yield from answer if isinstance(answer, list) else [answer]
