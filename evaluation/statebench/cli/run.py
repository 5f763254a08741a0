"""Options and responses of `run` over timelines and of `state answer`: the context of a strategy to every query."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from evaluation.core.terminal.commands import Answering
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.cli.reading import any_timelines

HELP = "Answer every query with the context of a strategy."


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments; `--data` is the name of `--timelines` in the command of both suites."""
    parser.add_argument(
        "--timelines",
        "--data",
        dest="data",
        metavar="TIMELINES",
        required=True,
        help="the rows (.gz too), as generated or as downloaded",
    )
    parser.add_argument("--strategy", default="state_based", help="default state_based")
    parser.add_argument("--out", required=True, help="where to write the responses (.gz too)")


def answering(args: argparse.Namespace) -> Iterator[Answering]:
    """The contexts of a strategy as responses."""
    from evaluation.statebench.strategies import get_strategy
    from evaluation.statebench.systems.registry import EchoSystem

    system = EchoSystem(get_strategy(args.strategy).name)
    responses = (line for row in any_timelines(args.data) for line in system.predict(row))

    def say(count: int) -> None:
        print(f"wrote {number_of(count, 'response')} to {args.out}", file=sys.stderr)

    yield Answering(args.out, responses, say)
