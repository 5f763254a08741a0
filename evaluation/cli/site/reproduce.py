"""`goldevidencebench reproduce`: a published figure computed again, from what the site publishes beside it."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING

from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal import tables
from evaluation.core.terminal.output import print_json
from evaluation.remote import credentials, options

if TYPE_CHECKING:
    from evaluation.remote.reproduction import Check

HELP = "Compute a published score, its interval and its ranks again, and say whether they are equal."
EQUAL, DIFFERENT = 0, 1
#: A page, a call of the API, or the id alone.
ADDRESS = re.compile(
    r"(?:(?P<site>https?://[^/?#]+(?:/[^?#]*?)?)(?:/api/v1)?/submissions/)?"
    r"(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[/?#].*)?",
    re.IGNORECASE,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Which submission."""
    parser.add_argument("address", help="of the page of a submission, or of it in the API; or its id")
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Exit code 0: all equal to 1e-12; 1: something differs; 2: it cannot be computed here, or bad usage."""
    from evaluation.remote.client import Client
    from evaluation.remote.reproduction import reproduce

    match = ADDRESS.fullmatch(args.address)
    if match is None:
        raise BenchmarkError(f"{args.address!r} names no submission: give the address of its page")
    url = match["site"] or credentials.server(args.server)
    with Client(url, credentials.token(url)) as client:
        basis, checks, why = reproduce(client, match["id"].lower())
    if args.json:
        listed = [check._asdict() | {"equal": check.equal} for check in checks]
        print_json({"submission": basis.submission, "checks": listed, "ranks_left_out": why})
    else:
        lines = (
            (check.name, _said(check.published), _said(check.computed), _verdict(check)) for check in checks
        )
        tables.show(f"Submission {basis.submission}", ("Figure", "Published", "Computed", "Equal"), lines)
        if why:
            print(f"Ranks are left out: {why}", file=sys.stderr)
    return EQUAL if all(check.equal for check in checks) else DIFFERENT


def _said(numbers: tuple[float | str, ...]) -> str:
    if len(numbers) > 3:
        return f"{len(numbers) // 2:,} sums"
    return ", ".join(each[:16] if isinstance(each, str) else f"{each:.15g}" for each in numbers) or "none"


def _verdict(check: Check) -> str:
    return "yes" if check.equal else "NO"
