"""`goldevidencebench generate --suite NAME`: write the rows of a preset of any suite, with gold."""

from __future__ import annotations

import argparse

from evaluation.cli.suites import setting_values
from evaluation.core.files import flat
from evaluation.core.suite import get_suite, preset_settings
from evaluation.core.terminal.commands import Generated

HELP = "Generate the rows of a preset, with gold. Anyone can generate the same rows."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", required=True, help="where to write the rows; gzip if the name ends in .gz")
    parser.add_argument("--preset", default="", help="the preset (default: the suite's default settings)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting that overrides the preset's",
    )
    parser.add_argument("--public", action="store_true", help="leave out the gold")


def generated(args: argparse.Namespace) -> Generated:
    suite = get_suite(args.suite)
    version = suite.version(preset_settings(suite, args.preset) | setting_values(args.set))
    rows = (row for item in version.generate() for row in item.rows)
    shown = map(suite.public_row, rows) if args.public else rows
    return Generated((flat.encode([row]) for row in shown), suite.display.asked, f" of {suite.title}")
