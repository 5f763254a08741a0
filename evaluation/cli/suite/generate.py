"""`goldevidencebench generate --suite NAME`: write the rows of a preset of any suite, with gold."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from evaluation.cli.suites import setting_values
from evaluation.core import jsonl
from evaluation.core.errors import UnknownNameError
from evaluation.core.suite import Suite, get_suite
from evaluation.core.terminal.wording import number_of

HELP = "Generate the rows of a preset, with gold. An open demo: anybody can make the same."


def configure(parser: argparse.ArgumentParser) -> None:
    """A preset, single settings on top of it, and where the rows go."""
    parser.add_argument(
        "--out", required=True, help="where to write the rows; gzip where the name ends in .gz"
    )
    parser.add_argument("--preset", default="", help="whose settings (default: those of the suite)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting, in place of the preset's"
    )
    parser.add_argument("--public", action="store_true", help="leave the gold out, as a version does")


def run(args: argparse.Namespace) -> int:
    """Write the rows and say how many."""
    suite = get_suite(args.suite)
    settings = suite.check(_preset(suite, args.preset) | setting_values(args.set))
    rows = (row for item in suite.generate(settings) for row in item.rows)
    count = jsonl.write(args.out, map(suite.public_row, rows) if args.public else rows)
    print(f"wrote {number_of(count, *suite.asked)} of {suite.title} to {args.out}", file=sys.stderr)
    return 0


def _preset(suite: Suite, name: str) -> dict[str, Any]:
    """The settings of a preset; none where no preset is named. Raises UnknownNameError."""
    presets = suite.presets()
    if name and name not in presets:
        raise UnknownNameError("preset", name, presets)
    return dict(presets[name]) if name else {}
