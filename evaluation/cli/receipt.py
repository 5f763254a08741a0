"""`goldevidencebench receipt verify`: verify the signature of a receipt, without asking the site."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.output import print_error, print_json

HELP = "Verify a signed receipt of a score, offline (needs the extra receipts)."


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    verify = actions.add_parser("verify", help=HELP, description=HELP)
    verify.add_argument("file", type=Path, help="the receipt, from the page of a submission")
    verify.add_argument(
        "--key",
        type=Path,
        required=True,
        metavar="FILE",
        help="a saved copy of the site's /.well-known/receipt-keys.json",
    )


def run(args: argparse.Namespace) -> int:
    """Returns exit code 0 if the signature is valid, 1 if it is not, 2 if a file is unusable."""
    from evaluation.core.sealing import receipts

    keys = receipts.read_keys(_read(args.key))
    try:
        statement = receipts.verify(_read(args.file), keys)
    except receipts.ReceiptError as error:
        print_error(f"{args.file}: {error}")
        return 1
    if args.json:
        print_json(statement)
        return 0
    said = statement["predicate"]
    headline = said["headline"]
    print(f"Signed on {said['signed_at'][:10]}: {said['system']} on {said['version']}, {said['url']}")
    print(f"{headline['name']} {headline['value']} [{headline['low']}, {headline['high']}], {said['grader']}")
    return 0


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise BenchmarkError(f"{path}: not JSON: {error}") from error
