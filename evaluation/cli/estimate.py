"""`goldevidencebench estimate`: estimate how long a run takes, from a short calibration."""

from __future__ import annotations

import argparse

from evaluation.adapters.estimate import CALIBRATION_ROWS, estimate
from evaluation.cli.model import add_system_arguments, load_rows, load_system
from evaluation.cli.model_arguments import translate_arguments
from evaluation.core.terminal.arguments import positive
from evaluation.core.terminal.output import print_json

__all__ = ["HELP", "configure", "run", "translate_arguments"]
HELP = "Estimate how long a system takes over a data file, by answering a few rows."


def configure(parser: argparse.ArgumentParser) -> None:
    add_system_arguments(parser)
    parser.add_argument(
        "--calibrate", type=positive, default=CALIBRATION_ROWS, metavar="N", help="rows to answer (default 8)"
    )


def run(args: argparse.Namespace) -> int:
    rows, kind = load_rows(args)
    with load_system(args, kind) as adapter:
        result = estimate(rows, adapter, protocol=args.protocol, kind=kind, calibration_rows=args.calibrate)
    if args.json:
        print_json(result.as_dict())
    else:
        print(result.sentence())
    return 0
