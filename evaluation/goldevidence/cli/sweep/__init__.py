"""`goldevidencebench sweep`: run a grid of settings and systems, summarize sweeps, collect summaries."""

from __future__ import annotations

import argparse

from evaluation.goldevidence.cli.sweep import running, tables
from evaluation.goldevidence.cli.sweep.meant import as_meant

__all__ = ["HELP", "as_meant", "configure", "run"]
HELP = "run a grid of settings and systems; summarize sweeps; collect their summaries"


def configure(parser: argparse.ArgumentParser) -> None:
    """Its actions: run, report, summarize, collect."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    running.configure(actions)
    tables.configure(actions)


def run(args: argparse.Namespace) -> int:
    """Run the chosen action."""
    code: int = args.act(args)
    return code
