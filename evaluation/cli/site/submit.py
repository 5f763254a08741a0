"""`goldevidencebench submit`: send a predictions file, and wait for its score if wanted."""

from __future__ import annotations

import argparse
import sys
import uuid
from pathlib import Path

from evaluation.core.terminal.wording import number_of
from evaluation.remote import options
from evaluation.remote.client import ClientError

HELP = "Submit a predictions file; with --wait, follow it to its score."
KINDS = ("llm", "pipeline", "selector", "retriever", "strategy", "baseline")


def configure(parser: argparse.ArgumentParser) -> None:
    """The same fields as on the submit page."""
    parser.add_argument("version", help="benchmark/version")
    parser.add_argument("file", type=Path, help="predictions (JSON lines, may be gzip)")
    parser.add_argument("--system", required=True, help="one of your systems, or the name of a new one")
    parser.add_argument("--kind", choices=KINDS, help="of a new system (default llm)")
    parser.add_argument("--parameters", help="of a new system, for example 7B")
    parser.add_argument("--quantization", help="of a new system, for example Q5_K_M")
    parser.add_argument("--url", help="of a new system: its paper or code")
    parser.add_argument("--private", action="store_true", help="only you see it (default: public)")
    parser.add_argument("--note", help="anything a reader should know")
    parser.add_argument("--tokens-per-query", type=float, help="if you measured it")
    parser.add_argument("--key", help="sending the same again with the same key makes no second submission")
    parser.add_argument(
        "--dry-run", action="store_true", help="have the file checked by the site, and no more"
    )
    parser.add_argument(
        "--allow-unanswered",
        action="store_true",
        help="submit it although lines hold no answer that can be read: they count as wrong",
    )
    parser.add_argument("--wait", action="store_true", help="wait until it is graded")
    parser.add_argument(
        "--timeout", type=float, default=600, metavar="S", help="how long to wait (default 600)"
    )
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Exit code 0: taken (with --wait: graded); 1: refused, or the grading failed."""
    try:
        return _check(args) if args.dry_run else _submit(args)
    except ClientError as error:
        options.print_refusal(str(args.file), error, as_json=args.json)
        return 1


def _check(args: argparse.Namespace) -> int:
    with options.connect(args) as client:
        found = client.post_file(f"/versions/{args.version}/validate", args.file)
    if args.json:
        options.print_json(found)
    else:
        print(
            f"{args.file}: {number_of(found['rows'], 'prediction')}, ready to submit ({', '.join(found['conditions'])})"
        )
        if warning := found.get("warning"):  # an older site counts none
            print(f"{args.file}: {warning}", file=sys.stderr)
    return 0


def _submit(args: argparse.Namespace) -> int:
    with options.connect(args) as client:
        found = client.post_file(
            "/submissions",
            args.file,
            key=args.key or uuid.uuid4().hex,
            version=args.version,
            system=args.system,
            kind=args.kind,
            parameters=args.parameters,
            quantization=args.quantization,
            url=args.url,
            visibility="private" if args.private else "public",
            note=args.note,
            tokens_per_query=args.tokens_per_query,
            unanswered="take" if args.allow_unanswered else "refuse",
        )
        if args.wait:
            found = options.wait(client, found["id"], seconds=args.timeout)
    if args.json:
        options.print_json(found)
    else:
        print(options.describe(found))
    return 1 if found["status"] == "failed" else 0
