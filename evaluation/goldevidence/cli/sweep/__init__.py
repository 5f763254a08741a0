"""`goldevidencebench sweep`: run a grid of settings and systems, summarize sweeps, collect summaries."""

from __future__ import annotations

import argparse

from evaluation.goldevidence.cli.sweep import running, tables

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
