"""`goldevidencebench leaderboard`: what the board of a version shows."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from evaluation.cli.site.submit import KINDS
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal import tables
from evaluation.remote import options
from evaluation.remote.client import Client

HELP = "Show the leaderboard of a version."
FACETS = {"condition": "k4-gold_last, say", "notes": "with or without", "track": "supersession, say"}
HEADINGS = ("Rank", "System", "By", "Score [95%]", "Gates", "Tokens/query", "Submitted")


def configure(parser: argparse.ArgumentParser) -> None:
    """The filters of the page."""
    parser.add_argument("version", nargs="?", help="benchmark/version (default: the one the site opens with)")
    parser.add_argument("--kind", choices=KINDS, help="only systems of this kind")
    parser.add_argument("--verified", action="store_true", help="only systems that the site ran itself")
    parser.add_argument("--name", help="only systems with this in their name")
    for facet, part in FACETS.items():
        parser.add_argument(f"--{facet}", help=f"rank by one part only: {part}")
    parser.add_argument("--sort", help="a column, system, tokens or when; a leading - turns it round")
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    """In the order of the page."""
    with options.connect(args) as client:
        version = args.version or _default(client)
        filters = {"kind": args.kind, "verified": args.verified, "q": args.name, "sort": args.sort}
        filters |= {facet: getattr(args, facet) for facet in FACETS}
        path = f"/leaderboard/{version}"
        rows = list(client.items(path, limit=100, **filters))
        summary = "" if args.json else client.get(path, limit=1, **filters).get("summary", "")
    if args.json:
        options.print_json(rows)
    else:
        tables.show(version, HEADINGS, map(_line, rows))
        _say(summary, rows)
    return 0


def _default(client: Client) -> str:
    versions = list(client.items("/versions", limit=100))
    if not versions:
        raise BenchmarkError("this site has no frozen version yet")
    chosen: str = max(versions, key=lambda version: version["featured"])["id"]
    return chosen


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    figure = {"value": row["headline"], "low": row["headline_low"], "high": row["headline_high"]}
    gates = ", ".join(
        f"{name.removeprefix('gate_')} {state}" for name, state in row.items() if name.startswith("gate_")
    )
    return (
        _rank(row),
        row["system"],
        row["owner"] + (" (verified)" if row["verified"] else ""),
        options.interval(figure),
        gates,
        "not reported" if row["tokens_per_query"] is None else f"{row['tokens_per_query']:,.0f}",
        row["submitted"][:10],
    )


def _say(summary: str, rows: Iterable[dict[str, Any]]) -> None:
    """Who stands first, as the page says it, and why some systems have no rank. An older site tells neither."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if reason := row.get("not_ranked"):
            reasons.setdefault(reason, []).append(row["system"])
    unranked = [f"Not ranked, {reason}: {', '.join(names)}" for reason, names in reasons.items()]
    for line in filter(None, [summary, *unranked]):
        print(f"\n{line}")


def _rank(row: dict[str, Any]) -> str:
    """`1`, or `1 (1–3)` with the range that the rank takes among resamples."""
    low, high = row["rank_low"], row["rank_high"]
    if row["rank"] is None:
        return "–"
    return str(row["rank"]) if low == high else f"{row['rank']} ({low}–{high})"
