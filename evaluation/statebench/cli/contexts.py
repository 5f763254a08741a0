"""`goldevidencebench state context`, `detect` and `compare`: what a model is shown, and what turns supersede."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.arguments import above_zero, not_negative, positive, rate
from evaluation.statebench.cli import judges
from evaluation.statebench.cli.reading import any_timelines, table
from evaluation.statebench.records import Timeline

if TYPE_CHECKING:
    from evaluation.statebench.context.assemble import Context

_FIGURES = ("resurrection", "coverage", "dead_values", "live_values", "constraints", "tokens_mean")
_TIMES = ("ingest_s", "context_s")


def configure_context(parser: argparse.ArgumentParser) -> None:
    """Which timelines and queries, under which strategy or memory, and which budget."""
    parser.add_argument("--timelines", required=True, help="timelines, with or without ground truth")
    parser.add_argument("--id", help="one timeline only")
    parser.add_argument("--query", type=not_negative, help="one query only, counted from 0")
    parser.add_argument("--strategy", default="state_based", help="default state_based")
    parser.add_argument("--budget", type=positive, default=8192, help="tokens at most (default 8192)")
    parser.add_argument("--tokenizer", help="whitespace (default), pretokens or characters")
    parser.add_argument(
        "--constraint-share",
        type=rate,
        metavar="SHARE",
        help="share of the facts' budget that goes to constraints first (default 0.3)",
    )
    _configure_memory(parser, "one memory system instead of a strategy")
    parser.add_argument(
        "--json",
        action="store_true",
        help="JSON lines with sections and facts, or items; a model reads them with --set contexts=FILE",
    )


def _configure_memory(parser: argparse.ArgumentParser, what: str, nargs: str | None = None) -> None:
    parser.add_argument(
        "--memory",
        nargs=nargs,
        metavar="NAME",
        help=f"{what}: module:Class, http://…, or a strategy behind the same door",
    )
    parser.add_argument(
        "--timeout",
        type=above_zero,
        default=30.0,
        metavar="S",
        help="for one answer of a memory over HTTP (default 30)",
    )


def print_contexts(args: argparse.Namespace) -> int:
    """Print what a strategy or a memory would show a model."""
    if args.memory:
        return _print_recalled(args)
    from evaluation.statebench import build_context
    from evaluation.statebench.context.assemble import as_dict

    options = {
        "strategy": args.strategy,
        "budget": args.budget,
        "tokenizer": args.tokenizer,
        "constraint_share": args.constraint_share,
    }
    for timeline, query in _queries(args):
        context = build_context(timeline, query, **options)
        place = {"timeline_id": timeline["id"], "query_idx": query}
        print(
            json.dumps(place | as_dict(context))
            if args.json
            else f"# {timeline['id']}#{query}{_missing(context)}\n{context.text}\n"
        )
    return 0


def _print_recalled(args: argparse.Namespace) -> int:
    """Print what a memory shows, each timeline told to a new one."""
    from dataclasses import asdict

    from evaluation.statebench.data.tokens import get_tokenizer
    from evaluation.statebench.memory import find_memory, recall

    make = find_memory(args.memory, seconds=args.timeout)
    for timeline in _watched(list(_timelines(args)), args.memory):
        [contexts] = recall(timeline, make, (args.budget,), get_tokenizer(args.tokenizer))
        for query, context in enumerate(contexts):
            place = {"timeline_id": timeline["id"], "query_idx": query, "memory": args.memory}
            if args.query not in (None, query):
                continue
            print(
                json.dumps(place | {"budget": args.budget} | asdict(context))
                if args.json
                else f"# {timeline['id']}#{query}\n{context.text}\n"
            )
    return 0


def _watched(timelines: list[Timeline], name: str) -> Iterator[Timeline]:
    """The timelines, with a bar where a person is watching."""
    from rich.progress import MofNCompleteColumn

    from evaluation.remote.options import bar

    with bar(MofNCompleteColumn()) as progress:
        task = progress.add_task(name, total=len(timelines))
        for timeline in timelines:
            yield timeline
            progress.advance(task)


def _missing(context: Context) -> str:
    """The constraints that did not fit, by name."""
    return f" (without room for {', '.join(context.left_out)})" if context.left_out else ""


def configure_detect(parser: argparse.ArgumentParser) -> None:
    """Which timelines."""
    parser.add_argument("--timelines", required=True, help="timelines, with or without ground truth")
    parser.add_argument("--id", help="one timeline only")


def print_detections(args: argparse.Namespace) -> int:
    """Print what turns supersede, by language."""
    from dataclasses import asdict

    from evaluation.statebench import detect

    for timeline in _timelines(args):
        for detection in detect(timeline):
            print(json.dumps({"timeline_id": timeline["id"]} | asdict(detection)))
    return 0


def configure_compare(parser: argparse.ArgumentParser) -> None:
    """Which strategies and memories, under which budgets."""
    parser.add_argument("--timelines", required=True, help="timelines with ground truth")
    parser.add_argument(
        "--strategies", nargs="+", metavar="NAME", help="strategies (default: all, and none with --memory)"
    )
    _configure_memory(parser, "memory systems to measure", nargs="+")
    parser.add_argument(
        "--budgets",
        nargs="+",
        type=positive,
        default=[512, 8192],
        metavar="TOKENS",
        help="tokens at most (default 512 8192)",
    )
    parser.add_argument(
        "--judges",
        metavar="RESPONSES",
        help="no strategies: where the rubrics disagree on this file of responses, and why",
    )
    parser.add_argument("--results-json", metavar="FILE", help="write all rows there, tracks included")


def compare(args: argparse.Namespace) -> int:
    """Measure strategies and memories without a model; or grade a file of responses by every rubric."""
    if args.judges:
        return judges.compare(args)
    from evaluation.statebench.data.timeline import read_timelines
    from evaluation.statebench.memory import find_memory
    from evaluation.statebench.strategies import STRATEGIES
    from evaluation.statebench.strategies.measure import ALL, measure, measure_memory

    memories = {name: find_memory(name, seconds=args.timeout) for name in args.memory or ()}
    timelines = list(read_timelines(args.timelines))
    names = args.strategies or (() if memories else STRATEGIES)
    rows = [row for name in names for row in measure(timelines, name, args.budgets)]
    for name, make in memories.items():
        rows += measure_memory(_watched(timelines, name), name, make, args.budgets)
    if args.results_json:
        with jsonl.fresh(args.results_json, sources=[args.timelines]) as out:
            out.write(jsonl.dumps(rows))
    for title, kind, more in (("Strategies", "strategy", ()), ("Memories", "memory", _TIMES)):
        shown = [row for row in rows if kind in row and (row["track"] == ALL or "length" in row)]
        lengths = ("length",) if any("length" in row for row in shown) else ()
        columns = (kind, "budget", *lengths, *_FIGURES, *more)
        if shown:
            table(title, columns, [tuple(row.get(column, ALL) for column in columns) for row in shown])
    return 0


def _timelines(args: argparse.Namespace) -> Iterable[Timeline]:
    """The timelines of the file, or the one asked for. Raises BenchmarkError where that is not there."""
    seen = False
    for row in any_timelines(args.timelines):
        if args.id in (None, row["id"]):
            seen = True
            yield row
    if args.id is not None and not seen:
        raise BenchmarkError(f"{args.timelines}: no timeline is called {args.id!r}")


def _queries(args: argparse.Namespace) -> Iterable[tuple[Timeline, int]]:
    """The queries asked for, each with its timeline."""
    for timeline in _timelines(args):
        count = sum(event["type"] == "query" for event in timeline["events"])
        yield from ((timeline, index) for index in range(count) if args.query in (None, index))
