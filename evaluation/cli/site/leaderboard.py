"""`goldevidencebench leaderboard`: show the leaderboard of a version."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from evaluation.cli.site.submit import KINDS
from evaluation.cli.suites import setting_texts
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal import tables
from evaluation.core.terminal.output import print_json
from evaluation.remote import options
from evaluation.remote.client import Client

if TYPE_CHECKING:
    from evaluation.remote.records import BoardRow

HELP = "Show the leaderboard of a version."
FACETS = {
    "condition": "condition, such as k4-gold_at_1-shuffled",
    "notes": "kind of rows: `with` or `without` NOTE lines",
    "track": "track, such as supersession",
}
HEADINGS = ("Rank", "System", "By", "Score [95%]", "Gates", "Tokens/query", "Submitted")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("version", nargs="?", help="benchmark/version (default: the site's featured version)")
    parser.add_argument("--kind", choices=KINDS, help="only systems of this kind")
    parser.add_argument("--verified", action="store_true", help="only systems that the site ran itself")
    parser.add_argument("--meets", action="store_true", help="only systems that fail no requirement")
    parser.add_argument("--name", help="only systems whose name contains this")
    for facet, part in FACETS.items():
        parser.add_argument(f"--{facet}", help=f"rank by one {part}")
    parser.add_argument(
        "--part",
        action="append",
        default=[],
        metavar="FACET=PART",
        help="rank by one part of a facet, if the facet has no option of its own",
    )
    parser.add_argument(
        "--sort", help="sort by a metric, system, tokens or when; a leading - reverses the order"
    )
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    from evaluation.remote.records import BoardRow, Page

    with options.connect(args) as client:
        version = args.version or _default(client)
        filters = {"kind": args.kind, "verified": args.verified, "q": args.name, "sort": args.sort}
        filters |= {"meets": args.meets}
        filters |= {facet: getattr(args, facet) for facet in FACETS}
        filters |= setting_texts(args.part, "--part")
        path = f"/leaderboard/{version}"
        rows = list(client.items(path, BoardRow, limit=100, **filters))
        summary = None if args.json else client.get(path, Page, limit=1, **filters).summary
    if args.json:
        print_json([row.raw for row in rows])
    else:
        tables.show(version, HEADINGS, map(_line, rows))
        _say(summary, rows)
    return 0


def _default(client: Client) -> str:
    from evaluation.remote.records import Version

    versions = list(client.items("/versions", Version, limit=100))
    if not versions:
        raise BenchmarkError("this site has no frozen version yet")
    return max(versions, key=lambda version: version.featured).id


def _line(row: BoardRow) -> tuple[str, ...]:
    return (
        _rank(row),
        row.system,
        f"{row.owner} ({_origin(row)})",
        options.bounded(row.headline, row.headline_low, row.headline_high),
        ", ".join(f"{name} {state or 'not reported'}" for name, state in row.gates.items()),
        "not reported" if row.tokens_per_query is None else f"{row.tokens_per_query:,.0f}",
        row.submitted[:10],
    )


def _say(summary: str | None, rows: Iterable[BoardRow]) -> None:
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if reason := row.not_ranked:
            reasons.setdefault(reason, []).append(row.system)
    unranked = [f"Not ranked, {reason}: {', '.join(names)}" for reason, names in reasons.items()]
    for line in filter(None, [summary, *unranked]):
        print(f"\n{line}")


def _origin(row: BoardRow) -> str:
    """The origin of a result in words. Older sites only say whether the result is verified."""
    origin = row.origin or ("verified" if row.verified else "self_reported")
    return {"run_by_authors": "run by the authors", "self_reported": "self-reported"}.get(origin, origin)


def _rank(row: BoardRow) -> str:
    if row.rank is None:
        return "–"
    between = str(row.rank) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"
    return between if row.meets_requirements else f"({between})"
