"""`goldevidencebench sweep`: run a grid of settings and systems, summarize sweeps, collect summaries."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from evaluation.core.terminal.typed import Typed
from evaluation.goldevidence.cli.sweep import running, tables

__all__ = ["HELP", "configure", "run", "translate_arguments"]
HELP = "Run a grid of settings and systems; summarize sweeps; collect their summaries."


def translate_arguments(typed: Typed, environment: Mapping[str, str]) -> Typed:
    """Call `translation.translate_arguments`, imported late because it needs pydantic. Raises BenchmarkError."""
    from evaluation.goldevidence.cli.sweep import translation

    return translation.translate_arguments(typed, environment)


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    running.configure(actions)
    tables.configure(actions)


def run(args: argparse.Namespace) -> int:
    code: int = args.act(args)
    return code
