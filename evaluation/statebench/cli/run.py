"""`goldevidencebench run` over timelines and `state answer`: answer every query with the context of a strategy."""

from __future__ import annotations

import argparse
import sys

from evaluation.core import jsonl
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.cli.reading import any_timelines

HELP = "Answer every query with the context of a strategy."


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments; `--data` is the name of `--timelines` in the command of both suites."""
    parser.add_argument(
        "--timelines", "--data", required=True, help="the rows (.gz too), as generated or as downloaded"
    )
    parser.add_argument("--strategy", default="state_based", help="default state_based")
    parser.add_argument("--out", required=True, help="where to write the responses (.gz too)")


def run(args: argparse.Namespace) -> int:
    """Write the responses and say how many."""
    from evaluation.statebench.strategies import get_strategy
    from evaluation.statebench.systems.registry import EchoSystem

    system = EchoSystem(get_strategy(args.strategy).name)
    responses = (line for row in any_timelines(args.timelines) for line in system.predict(row))
    count = jsonl.write(args.out, responses, sources=[args.timelines])
    print(f"wrote {number_of(count, 'response')} to {args.out}", file=sys.stderr)
    return 0
