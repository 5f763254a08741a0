"""`goldevidencebench versions`: list versions to download and submit to."""

from __future__ import annotations

import argparse

from evaluation.core.terminal import tables
from evaluation.core.terminal.output import print_json
from evaluation.remote import options

HELP = "List the versions of a site."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--benchmark", help="only versions of this benchmark")
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    from evaluation.remote.records import Version

    with options.connect(args) as client:
        versions = list(client.items("/versions", Version, benchmark=args.benchmark, limit=100))
    if args.json:
        print_json([version.raw for version in versions])
        return 0
    lines = (
        (
            one.id,
            one.title,
            one.status,
            f"{one.rows:,}",
            one.answers.label,
            (one.frozen_at or "")[:10],
            one.sha256[:12],
        )
        for one in versions
    )
    tables.show("Versions", ("Version", "Title", "Status", "Rows", "Answers", "Frozen", "SHA-256"), lines)
    return 0
