"""Options of `generate --suite statebench` and `state generate`."""

from __future__ import annotations

import argparse

from evaluation.core.terminal.commands import Generated

HELP = "Write our own timelines. An open demo: the same settings give the same timelines."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", required=True, help="where to write the timelines; gzip where the name ends in .gz"
    )
    parser.add_argument("--preset", help="the timelines of an open demo version of a preset")
    parser.add_argument("--tracks", nargs="+", metavar="TRACK", help="tracks (default: all)")
    parser.add_argument(
        "--count", type=int, help="timelines per track (default 10; with --preset: the preset's)"
    )
    parser.add_argument("--seed", type=int, help="the seed (default 0; with --preset: the preset's)")
    parser.add_argument(
        "--public", action="store_true", help="leave ground truth and labels out, as a version does"
    )


def generated(args: argparse.Namespace) -> Generated:
    """The timelines of a preset, or of single settings."""
    from evaluation.core.files import flat
    from evaluation.core.suite import preset_settings
    from evaluation.statebench.presets import Settings
    from evaluation.statebench.suite import SUITE

    named = {"tracks": args.tracks, "count": args.count, "seed": args.seed}
    provided = {name: value for name, value in named.items() if value is not None}
    begin = preset_settings(SUITE, args.preset) if args.preset else {"count": 10, "seed": 0}
    settings = Settings.from_json(begin | provided).as_json()
    rows = (row for item in SUITE.version(settings).generate() for row in item.rows)
    shown = map(SUITE.public_row, rows) if args.public else rows
    return Generated((flat.encode([row]) for row in shown), ("timeline",))
