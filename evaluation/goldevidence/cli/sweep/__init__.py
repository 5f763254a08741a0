"""`goldevidencebench sweep`: run a grid of settings and systems, summarize sweeps, collect summaries."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from evaluation.core.terminal.typed import Typed
from evaluation.goldevidence.cli.sweep import running, tables

__all__ = ["HELP", "as_meant", "configure", "run"]
HELP = "run a grid of settings and systems; summarize sweeps; collect their summaries"


def as_meant(typed: Typed, environment: Mapping[str, str]) -> Typed:
    """See `meant.as_meant`, which knows the settings of adapters, and so imports pydantic.

    Args:
        typed: The words behind `sweep`.
        environment: Where the variables are.

    Raises:
        BenchmarkError: A switch is neither on nor off, or there is no such adapter.
    """
    from evaluation.goldevidence.cli.sweep import meant

    return meant.as_meant(typed, environment)


def configure(parser: argparse.ArgumentParser) -> None:
    """Its actions: run, report, summarize, collect."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    running.configure(actions)
    tables.configure(actions)


def run(args: argparse.Namespace) -> int:
    """Run the chosen action."""
    code: int = args.act(args)
    return code
