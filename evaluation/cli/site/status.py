"""`goldevidencebench status`: show the progress of a submission, and its metrics."""

from __future__ import annotations

import argparse

from evaluation.core.terminal import tables
from evaluation.core.terminal.output import print_json
from evaluation.remote import options

HELP = "Show the status of a submission, and its metrics once it is graded."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("submission", help="the id that `submit` printed")
    parser.add_argument("--wait", action="store_true", help="wait until it is graded")
    parser.add_argument(
        "--timeout", type=float, default=600, metavar="S", help="how long to wait (default 600)"
    )
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Returns exit code 1 if the grading failed, otherwise 0."""
    from evaluation.remote.records import Figures, Submission

    with options.connect(args) as client:
        submission = client.get(f"/submissions/{args.submission}", Submission)
        if args.wait:
            submission = options.wait(client, args.submission, seconds=args.timeout)
        graded = submission.headline is not None
        path = f"/submissions/{args.submission}/metrics"
        figures = client.get(path, Figures).metrics if graded else []
    if args.json:
        print_json(submission.raw | {"metrics": [figure.raw for figure in figures]})
    else:
        print(options.describe(submission))
        reported = [figure for figure in figures if figure.value is not None]
        if reported:
            tables.show(
                "Figures",
                ("Figure", "Value [95%]"),
                ((figure.label, options.interval(figure)) for figure in reported),
            )
    return 1 if submission.status == "failed" else 0
