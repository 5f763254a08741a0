"""`goldevidencebench reproduce`: recompute a published score from the data that the site publishes with it."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal import tables
from evaluation.core.terminal.arguments import positive
from evaluation.core.terminal.output import print_error, print_json
from evaluation.core.terminal.wording import number_of
from evaluation.remote import credentials, options

if TYPE_CHECKING:
    from evaluation.cli.site.rerun import Rerun
    from evaluation.remote.receipts import Receipt

HELP = "Recompute a published score, its interval and its ranks, and check that they are equal."
EQUAL, DIFFERENT = 0, 1
#: A page, a call of the API, or the id alone.
ADDRESS = re.compile(
    r"(?:(?P<site>https?://[^/?#]+(?:/[^?#]*?)?)(?:/api/v1)?/submissions/)?"
    r"(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[/?#].*)?",
    re.IGNORECASE,
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("address", help="URL of a submission (page or API), or its id")
    parser.add_argument(
        "--rerun",
        type=positive,
        metavar="N",
        help="answer N rows of the run again with the recorded settings, and compare the predictions",
    )
    parser.add_argument("--model", type=Path, metavar="FILE", help="for --rerun: the model file of the run")
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Returns exit code 0 if all figures agree to 1e-12, 1 if one differs, 2 if they cannot be computed here."""
    from evaluation.remote.client import Client
    from evaluation.remote.receipts import check_receipt
    from evaluation.remote.reproduction import reproduce

    if args.model and not args.rerun:
        raise BenchmarkError("--model needs --rerun N, the number of rows to answer again")

    match = ADDRESS.fullmatch(args.address)
    if match is None:
        raise BenchmarkError(f"{args.address!r} is not a submission: give the URL of its page, or its id")
    url = match["site"] or credentials.server(args.server)
    with Client(url, credentials.token(url)) as client:
        basis, checks, why = reproduce(client, match["id"].lower())
        receipt, again = check_receipt(client, basis), None
        if args.rerun:
            from evaluation.cli.site.rerun import rerun

            again = rerun(client, basis, args.model, args.rerun)
    if args.json:
        listed = [check._asdict() | {"equal": check.equal} for check in checks]
        document = {"submission": basis.submission, "checks": listed, "ranks_left_out": why}
        print_json(document | {"receipt": receipt._asdict(), "rerun": again._asdict() if again else None})
    else:
        lines = (
            (check.name, _said(check.published), _said(check.computed), "yes" if check.equal else "NO")
            for check in checks
        )
        tables.show(f"Submission {basis.submission}", ("Figure", "Published", "Computed", "Equal"), lines)
        if why:
            print(f"Ranks not checked: {why}", file=sys.stderr)
        _say_receipt(receipt)
        _say_again(again)
    are_equal = all(check.equal for check in checks) and not (again and again.different)
    return EQUAL if are_equal and receipt.verified is not False else DIFFERENT


def _say_receipt(receipt: Receipt) -> None:
    match receipt.verified:
        case True:
            print("receipt verified")
        case None:
            print(f"receipt not checked: {receipt.why}")
        case False:
            print_error(f"The receipt does not match: {receipt.why}")


def _say_again(again: Rerun | None) -> None:
    if again is None:
        return
    same = again.rows - len(again.different)
    print(f"{same:,} of {number_of(again.rows, 'row')} answered again have the same prediction")
    if again.different:
        print_error(f"Different predictions: {', '.join(again.different)}")


def _said(numbers: tuple[float | str, ...]) -> str:
    if len(numbers) > 3:
        return f"{len(numbers) // 2:,} sums"
    return ", ".join(each[:16] if isinstance(each, str) else f"{each:.15g}" for each in numbers) or "none"
