"""`goldevidencebench status`: how far a submission is, and its figures."""

from __future__ import annotations

import argparse

from evaluation.core.terminal import tables
from evaluation.remote import options

HELP = "How far a submission is, and its figures once it is graded."


def configure(parser: argparse.ArgumentParser) -> None:
    """Which submission."""
    parser.add_argument("submission", help="the id that `submit` printed")
    parser.add_argument("--wait", action="store_true", help="wait until it is graded")
    parser.add_argument(
        "--timeout", type=float, default=600, metavar="S", help="how long to wait (default 600)"
    )
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Exit code 1 where the grading failed."""
    with options.connect(args) as client:
        found = client.get(f"/submissions/{args.submission}")
        if args.wait:
            found = options.wait(client, args.submission, seconds=args.timeout)
        graded = found["headline"] is not None
        figures = client.get(f"/submissions/{args.submission}/metrics") if graded else {"metrics": []}
    if args.json:
        options.print_json(found | {"metrics": figures["metrics"]})
    else:
        print(options.describe(found))
        reported = [one for one in figures["metrics"] if one["value"] is not None]
        if reported:
            tables.show(
                "Figures",
                ("Figure", "Value [95%]"),
                ((one["label"], options.interval(one)) for one in reported),
            )
    return 1 if found["status"] == "failed" else 0
