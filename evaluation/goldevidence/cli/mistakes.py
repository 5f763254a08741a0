"""`goldevidencebench mistakes`: exports the mistakes of a system as records or as training data."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from evaluation.core import jsonl
from evaluation.core.files.documents import beside
from evaluation.core.terminal.arguments import positive
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.cli import words
from evaluation.goldevidence.data.rubrics import DEFAULT_RUBRIC, RUBRICS

if TYPE_CHECKING:
    from evaluation.goldevidence.mistakes.reading import Tally
    from evaluation.goldevidence.mistakes.record import Mistake

HELP = "Export a system's mistakes over rows with gold, as records or as training data."
RECORDS = "records"
FORMATS = (RECORDS, "preferences", "triplets", "abstain", "selector")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", required=True, metavar="D", help="rows with gold (JSON lines, may be gzip)")
    beside.add_option(parser)
    parser.add_argument("--pred", required=True, metavar="P", help="predictions (JSON lines, may be gzip)")
    parser.add_argument("--out", required=True, metavar="OUT", help="file of the mistakes, JSON lines")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default=RECORDS,
        help="records: everything known (default); preferences: prompt, chosen, rejected (TRL); triplets: for "
        "sentence-transformers; abstain: whether the row has an answer; selector: examples for "
        "`selector train`",
    )
    parser.add_argument(
        "--kinds", default="", metavar="K,K", help="kinds of mistakes, separated by commas (default: all)"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="at most N of each kind")
    parser.add_argument(
        "--with-right",
        action=argparse.BooleanOptionalAction,
        help="include rows without a mistake (default for abstain and selector: training on mistakes alone teaches to "
        "avoid the line chosen)",
    )
    parser.add_argument("--partial", action="store_true", help="leave out rows without a prediction")
    parser.add_argument(
        "--rubric", choices=list(RUBRICS), default=DEFAULT_RUBRIC, help=f"default: {DEFAULT_RUBRIC}"
    )


def run(args: argparse.Namespace) -> int:
    """Write the mistakes and return exit code 0, even if there are none."""
    from evaluation.core.terminal.progress import counted
    from evaluation.goldevidence.mistakes.reading import Tally, mistakes
    from evaluation.goldevidence.mistakes.training import WITH_RIGHT

    tally = Tally()
    found = mistakes(
        args.data,
        args.pred,
        documents=args.documents,
        rubric=args.rubric,
        kinds=words(args.kinds),
        limit=args.limit,
        partial=args.partial,
        with_right=args.format in WITH_RIGHT if args.with_right is None else args.with_right,
        tally=tally,
    )
    lines = _lines(counted(found), args.format)
    count = jsonl.write(args.out, lines, sources=[args.data, args.pred])
    with redirect_stdout(sys.stderr):
        _print(tally)
        print(f"{number_of(count, 'line')} ({args.format}) written to {args.out}")
    if args.json:
        print_json({"format": args.format, **tally.as_dict()})
    return 0


def _lines(found: Iterable[Mistake], form: str) -> Iterator[object]:
    from evaluation.goldevidence.mistakes.training import FORMS, learnt

    if form == RECORDS:
        yield from ({**mistake, "training": learnt(mistake)} for mistake in found)
        return
    for _, of_row in groupby(found, itemgetter("id")):
        yield from FORMS[form](next(of_row))


def _print(tally: Tally) -> None:
    from evaluation.core.terminal.tables import show
    from evaluation.goldevidence.mistakes.record import KINDS

    outcomes = {
        "exact": tally.right,
        "rightly null": tally.rightly_silent,
        "mistaken": tally.wrong,
        "unanswered": tally.unanswered,
        "without a prediction": tally.missing,
    }
    cells = [(name, f"{rows:,}") for name, rows in outcomes.items() if rows]
    show(number_of(tally.rows, "row"), ("outcome", "rows"), cells)
    kinds = [(kind, f"{tally.kinds[kind]:,}", text) for kind, text in KINDS.items() if tally.kinds[kind]]
    if kinds:
        show("Mistakes", ("kind", "rows", "meaning"), kinds)
