"""Options of `run` over timelines and of `state answer`, which answer every query with a strategy's context."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from evaluation.core.terminal.commands import Answering
from evaluation.core.terminal.wording import number_of

HELP = "Answer every query with the context of a strategy."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        # `--data` is the name in the command that serves both suites.
        "--timelines",
        "--data",
        dest="data",
        metavar="TIMELINES",
        required=True,
        help="file of timelines (.gz too), generated or downloaded",
    )
    parser.add_argument("--strategy", default="state_based", help="default state_based")
    parser.add_argument("--out", required=True, help="file of responses to write (.gz too)")


def answering(args: argparse.Namespace) -> Iterator[Answering]:
    from evaluation.statebench.data.timeline import read_timelines
    from evaluation.statebench.strategies import get_strategy
    from evaluation.statebench.systems.registry import EchoSystem

    system = EchoSystem(get_strategy(args.strategy).name)
    responses = (line for row in read_timelines(args.data, graded=False) for line in system.predict(row))

    def say(count: int) -> None:
        print(f"wrote {number_of(count, 'response')} to {args.out}", file=sys.stderr)

    yield Answering(args.out, responses, say)
