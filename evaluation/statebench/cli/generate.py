"""Options of `generate --suite statebench` and `state generate`."""

from __future__ import annotations

import argparse

from evaluation.core.terminal.commands import Generated

HELP = "Generate timelines. The same settings give the same timelines, so anyone can rebuild the answers."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", required=True, help="file of timelines to write; gzipped if its name ends in .gz"
    )
    parser.add_argument("--preset", help="generate the open demo of this preset")
    parser.add_argument("--tracks", nargs="+", metavar="TRACK", help="tracks (default: all)")
    parser.add_argument(
        "--count", type=int, help="timelines per track (default 10; with --preset: the preset's)"
    )
    parser.add_argument("--seed", type=int, help="the seed (default 0; with --preset: the preset's)")
    parser.add_argument(
        "--public", action="store_true", help="omit ground truth and labels, as in the rows of a version"
    )


def generated(args: argparse.Namespace) -> Generated:
    """Generate the timelines of a preset, or of settings given as options."""
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
