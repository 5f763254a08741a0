"""`goldevidencebench history`: submissions, newest first."""

from __future__ import annotations

import argparse

from evaluation.core.terminal import tables
from evaluation.core.terminal.arguments import positive
from evaluation.core.terminal.output import print_json
from evaluation.remote import options

HELP = "List your submissions, or with --all also other people's public ones."
HEADINGS = ("Submission", "When", "System", "Version", "Status", "Visibility", "Score [95%]")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also list other people's public submissions")
    parser.add_argument("--version", metavar="V", help="only submissions to this version (benchmark/version)")
    parser.add_argument("--system", metavar="OWNER/SLUG", help="only submissions of this system")
    parser.add_argument(
        "--status",
        choices=("queued", "grading", "graded", "failed", "withdrawn"),
        help="only with this status",
    )
    parser.add_argument(
        "--limit", type=positive, default=25, metavar="N", help="maximum number of submissions (default 25)"
    )
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    from evaluation.remote.records import Submission

    with options.connect(args) as client:
        filters = {
            "version": args.version,
            "system": args.system,
            "status": args.status,
            "mine": not args.all,
        }
        submissions = list(
            client.items("/submissions", Submission, most=args.limit, limit=min(100, args.limit), **filters)
        )
    if args.json:
        print_json([submission.raw for submission in submissions])
        return 0
    lines = (
        (
            one.id,
            one.created_at[:16].replace("T", " "),
            one.system.name,
            one.version,
            one.status,
            one.visibility,
            options.score(one),
        )
        for one in submissions
    )
    tables.show("Submissions", HEADINGS, lines)
    return 0
