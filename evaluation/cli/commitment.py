"""`goldevidencebench commitment`: check published gold against the commitment (a keyed hash) of a site."""

from __future__ import annotations

import argparse
import hmac
from pathlib import Path

from evaluation.core.errors import BenchmarkError
from evaluation.core.sealing.commitment import commitment, content_sha256
from evaluation.core.sealing.keyed_ids import is_key
from evaluation.core.terminal.output import print_json

HELP = "Check the published gold of a retired version against the commitment that its page showed from the start."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--gold", type=Path, required=True, help="the published gold, gzipped or not")
    parser.add_argument("--key", required=True, help="the published key: 64 hexadecimal digits")
    parser.add_argument(
        "--commitment", required=True, help="the commitment, as the version's page or the API showed it"
    )


def run(args: argparse.Namespace) -> int:
    """Returns exit code 0 if gold and commitment match, 1 if they differ. Raises BenchmarkError for a malformed key."""
    if not is_key(args.key):
        raise BenchmarkError("--key must be 64 hexadecimal digits in lower case")
    gold = content_sha256(args.gold)
    made = commitment(args.key, gold)
    fits = hmac.compare_digest(made, args.commitment.strip().lower())
    if args.json:
        print_json({"gold": gold, "commitment": made, "fits": fits})
    else:
        print(f"gold        {gold}\ncommitment  {made}")
        print("The gold matches the commitment." if fits else "The gold does not match the commitment.")
    return 0 if fits else 1
