"""`goldevidencebench commitment`: check that published gold is the gold a site committed to."""

from __future__ import annotations

import argparse
import hmac
from pathlib import Path

from evaluation.core.errors import BenchmarkError
from evaluation.core.sealing.commitment import commitment, content_sha256
from evaluation.core.sealing.keyed_ids import is_key
from evaluation.core.terminal.output import print_json

HELP = "Check the gold of a retired version against the commitment that its page showed from the first day."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--gold", type=Path, required=True, help="the gold that was published, gzipped or not"
    )
    parser.add_argument("--key", required=True, help="the key that was published: 64 hexadecimal digits")
    parser.add_argument(
        "--commitment", required=True, help="as the page or the API showed it while the version was open"
    )


def run(args: argparse.Namespace) -> int:
    """Exit code 0 if they match, 1 if not. Raises BenchmarkError for a malformed key."""
    if not is_key(args.key):
        raise BenchmarkError("The key is 64 hexadecimal digits, in lower case.")
    gold = content_sha256(args.gold)
    made = commitment(args.key, gold)
    fits = hmac.compare_digest(made, args.commitment.strip().lower())
    if args.json:
        print_json({"gold": gold, "commitment": made, "fits": fits})
    else:
        print(f"gold        {gold}\ncommitment  {made}")
        print(
            "It fits: this is the gold that was committed to." if fits else "It does not fit the commitment."
        )
    return 0 if fits else 1
