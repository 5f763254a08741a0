"""`goldevidencebench state export` and `import`: convert timelines to and from the formats of released packages."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any, cast

from evaluation.core import jsonl
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.records import Timeline, TimelineRecord

RELEASES = ("1.0", "2.0")
EXPORT_HELP = "Write timelines as the released package `statebench` reads them."
IMPORT_HELP = "Check a released file, and write its public rows."


def configure_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="file of timelines, with or without ground truth")
    parser.add_argument("--out", required=True, help="file to write; gzipped if its name ends in .gz")
    parser.add_argument(
        "--release", default="2.0", help=f"{' or '.join(RELEASES)} (default 2.0, which has all our tracks)"
    )


def export(args: argparse.Namespace) -> int:
    """Write timelines in the format of a released package. Lost and filled-in values are reported on stderr."""
    from evaluation.statebench.data.timeline import read_timelines
    from evaluation.statebench.interchange.changes import Changes
    from evaluation.statebench.interchange.export import to_release
    from evaluation.statebench.interchange.release import get_release

    release, changes = get_release(args.release), Changes()
    timelines = read_timelines(args.timelines, graded=False)
    rows = (to_release(row, release, changes) for row in timelines)
    count = jsonl.write(args.out, rows, sources=[args.timelines])
    print(f"wrote {number_of(count, 'timeline')} for {release.package} to {args.out}", file=sys.stderr)
    for line in changes.lines():
        print(f"  {line}", file=sys.stderr)
    if args.json:
        print_json({"lost": changes.lost, "filled": changes.filled})
    return 0


def configure_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="a file in the format of release 1.0 or 2.0")
    parser.add_argument("--out", help="file to write the public rows to (default: only check)")
    parser.add_argument("--gold", action="store_true", help="keep ground truth and labels in --out")


def read(args: argparse.Namespace) -> int:
    """Check a file, write its rows if `args.out` is set, and print how many queries can be graded."""
    from evaluation.statebench.interchange.restore import is_graded, read_released
    from evaluation.statebench.version import imported

    timelines = list(read_released(args.timelines))
    graded = [row for row in timelines if is_graded(row)]
    queries = sum(len(cast(TimelineRecord, item.gold)["queries"]) for item in imported(graded))
    if args.out:
        jsonl.write(args.out, _rows(timelines, gold=args.gold), sources=[args.timelines])
    print(
        f"{number_of(len(graded), 'timeline')} with {number_of(queries, 'query', 'queries')} can be graded",
        file=sys.stderr,
    )
    if withheld := len(timelines) - len(graded):
        print(f"{number_of(withheld, 'timeline')} without ground truth", file=sys.stderr)
    if args.json:
        print_json({"timelines": len(timelines), "graded": len(graded), "queries": queries})
    return 0


def _rows(timelines: list[Timeline], *, gold: bool) -> Iterator[Any]:
    from evaluation.statebench.public import public_row

    return (row if gold else public_row(row, labels=True) for row in timelines)
