"""`goldevidencebench state context`, `detect`, `compare`: build contexts, detect supersessions, measure contexts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.arguments import above_zero, not_negative, positive, rate
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.records import Timeline

if TYPE_CHECKING:
    from evaluation.statebench.context.assemble import Context

_FIGURES = ("resurrection", "coverage", "dead_values", "live_values", "constraints", "tokens_mean")
_TIMES = ("ingest_s", "context_s")


def configure_context(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="file of timelines, with or without ground truth")
    parser.add_argument("--id", help="only the timeline with this id")
    parser.add_argument("--query", type=not_negative, help="only the query with this index, from 0")
    parser.add_argument("--strategy", default="state_based", help="default state_based")
    parser.add_argument(
        "--budget",
        nargs="+",
        type=positive,
        default=[8192],
        metavar="TOKENS",
        help="maximum tokens (default 8192); with --json, one line per query has the contexts of all budgets",
    )
    parser.add_argument("--tokenizer", help="whitespace (default), pretokens or characters")
    parser.add_argument(
        "--constraint-share",
        type=rate,
        metavar="SHARE",
        help="share of the facts' budget reserved for constraints (default 0.3)",
    )
    _configure_memory(parser, "one memory system instead of a strategy")
    parser.add_argument(
        "--json",
        action="store_true",
        dest="json_lines",
        help="print one JSON line per query, for a model (--set contexts=FILE) or an upload that the site measures; "
        "with a single --budget the line also has the sections and the facts or items",
    )


def _configure_memory(parser: argparse.ArgumentParser, what: str, nargs: str | None = None) -> None:
    parser.add_argument(
        "--memory",
        nargs=nargs,
        metavar="NAME",
        help=f"{what}: module:Class, http://…, or the name of a strategy",
    )
    parser.add_argument(
        "--timeout",
        type=above_zero,
        default=30.0,
        metavar="S",
        help="seconds to wait for one answer of a memory over HTTP (default 30)",
    )


def print_contexts(args: argparse.Namespace) -> int:
    """Print the context of each query, built by a strategy or a memory."""
    if args.memory:
        return _print_recalled(args)
    from evaluation.statebench import build_context
    from evaluation.statebench.context.assemble import as_dict

    options = {
        "strategy": args.strategy,
        "tokenizer": args.tokenizer,
        "constraint_share": args.constraint_share,
    }
    for timeline, query in _queries(args):
        shown = [build_context(timeline, query, budget=budget, **options) for budget in args.budget]
        place = {"timeline_id": timeline["id"], "query_idx": query}
        _print(args, place, [as_dict(context) for context in shown], [_missing(each) for each in shown])
    return 0


def _print_recalled(args: argparse.Namespace) -> int:
    from dataclasses import asdict

    from evaluation.statebench.data.tokens import get_tokenizer
    from evaluation.statebench.memory import find_memory, recall

    make = find_memory(args.memory, seconds=args.timeout)
    # Each timeline gets a new memory.
    for timeline in _watched(list(_timelines(args)), args.memory):
        by_budget = recall(timeline, make, args.budget, get_tokenizer(args.tokenizer))
        for query, contexts in enumerate(zip(*by_budget, strict=True)):
            if args.query not in (None, query):
                continue
            place = {"timeline_id": timeline["id"], "query_idx": query, "memory": args.memory}
            shown = [
                {"budget": budget} | asdict(each) for budget, each in zip(args.budget, contexts, strict=True)
            ]
            _print(args, place, shown, [""] * len(shown))
    return 0


def _print(
    args: argparse.Namespace,
    place: Mapping[str, object],
    shown: Sequence[Mapping[str, object]],
    notes: Sequence[str],
) -> None:
    if args.json_lines and len(shown) == 1:
        print(json.dumps({**place, **shown[0]}))
    elif args.json_lines:
        print(json.dumps({**place, "contexts": {str(each["budget"]): each["text"] for each in shown}}))
    else:
        for context, note in zip(shown, notes, strict=True):
            within = f", {context['budget']} tokens" if len(shown) > 1 else ""
            print(f"# {place['timeline_id']}#{place['query_idx']}{within}{note}\n{context['text']}\n")


def _watched(timelines: list[Timeline], name: str) -> Iterator[Timeline]:
    from rich.progress import MofNCompleteColumn

    from evaluation.remote.options import bar

    with bar(MofNCompleteColumn()) as progress:
        task = progress.add_task(name, total=len(timelines))
        for timeline in timelines:
            yield timeline
            progress.advance(task)


def _missing(context: Context) -> str:
    return f" (without room for {', '.join(context.left_out)})" if context.left_out else ""


def configure_detect(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="file of timelines, with or without ground truth")
    parser.add_argument("--id", help="only the timeline with this id")


def print_detections(args: argparse.Namespace) -> int:
    """Print each fact that a turn of the conversation supersedes, as JSON."""
    from dataclasses import asdict

    from evaluation.statebench import detect

    found = (
        {"timeline_id": timeline["id"]} | asdict(detection)
        for timeline in _timelines(args)
        for detection in detect(timeline)
    )
    if args.json:
        print_json(list(found))
    else:
        for line in found:
            print(json.dumps(line))
    return 0


def configure_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="file of timelines with ground truth")
    parser.add_argument(
        "--strategies",
        nargs="+",
        metavar="NAME",
        help="strategies (default: all, or none with --memory or --contexts)",
    )
    _configure_memory(parser, "memory systems to measure", nargs="+")
    parser.add_argument(
        "--contexts",
        nargs="+",
        metavar="FILE",
        help="files of contexts (state context --json), each measured at its own budgets",
    )
    parser.add_argument(
        "--budgets",
        nargs="+",
        type=positive,
        default=[512, 8192],
        metavar="TOKENS",
        help="maximum tokens (default 512 8192)",
    )
    parser.add_argument(
        "--judges",
        metavar="RESPONSES",
        help="instead of strategies, show where the rubrics disagree on this file of responses, and why",
    )
    parser.add_argument(
        "--results-json", metavar="FILE", help="write all rows to FILE, including the rows per track"
    )


def compare(args: argparse.Namespace) -> int:
    """Measure contexts of strategies and memories without a model, or grade a file of responses by every rubric."""
    if args.judges:
        return _compare_judges(args)
    from evaluation.statebench.data.contexts import read_context_lines
    from evaluation.statebench.data.timeline import read_timelines
    from evaluation.statebench.data.truth import record
    from evaluation.statebench.memory import find_memory
    from evaluation.statebench.strategies import STRATEGIES
    from evaluation.statebench.strategies.measure import ALL, measure, measure_contexts, measure_memory

    memories = {name: find_memory(name, seconds=args.timeout) for name in args.memory or ()}
    timelines = list(read_timelines(args.timelines))
    names = args.strategies or (() if memories or args.contexts else STRATEGIES)
    rows = [row for name in names for row in measure(timelines, name, args.budgets)]
    for name, make in memories.items():
        rows += measure_memory(_watched(timelines, name), name, make, args.budgets)
    for path in args.contexts or ():
        known = ((timeline, record(timeline)) for timeline in timelines)
        rows += measure_contexts(known, read_context_lines(path), Path(path).name)
    if args.results_json:
        with jsonl.fresh(args.results_json, sources=[args.timelines]) as out:
            out.write(jsonl.dumps(rows))
    if args.json:
        print_json(rows)
    for title, kind, more in (("Strategies", "strategy", ()), ("Memories", "memory", _TIMES)):
        shown = [row for row in rows if kind in row and (row["track"] == ALL or "length" in row)]
        lengths = ("length",) if any("length" in row for row in shown) else ()
        columns = (kind, "budget", *lengths, *_FIGURES, *more)
        if shown:
            _table(title, columns, [tuple(row.get(column, ALL) for column in columns) for row in shown])
    return 0


def _compare_judges(args: argparse.Namespace) -> int:
    """Print the metrics of each rubric and every row on which they disagree."""
    from dataclasses import asdict

    from evaluation.statebench.cli.grade import COLUMNS
    from evaluation.statebench.data.timeline import read_timelines
    from evaluation.statebench.data.truth import truths
    from evaluation.statebench.grading.grade import grade, read_responses
    from evaluation.statebench.interchange.judges import JUDGES, disagreements

    known = truths(read_timelines(args.timelines))
    responses = read_responses(args.judges, known)
    figures = {name: grade(known, responses, rubric=name).metrics for name in JUDGES}
    rows = list(disagreements(known, responses))
    whole = {"figures": figures, "disagreements": [asdict(row) for row in rows]}
    if args.json:
        print_json(whole)
    if args.results_json:
        with jsonl.fresh(args.results_json, sources=[args.timelines, args.judges]) as out:
            out.write(jsonl.dumps(whole))
    lines = [(name, *(metrics[column] for column in COLUMNS)) for name, metrics in figures.items()]
    _table("Judges", ("rubric", *COLUMNS), lines)
    cells = [
        (f"{row.timeline_id}#{row.query_idx}", row.about, row.phrase, *row.says.values(), row.why)
        for row in rows
    ]
    _table(number_of(len(rows), "disagreement"), ("query", "about", "phrase", *JUDGES, "why"), cells)
    return 0


def _table(title: str, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    from evaluation.core.terminal.tables import show

    show(title, columns, (map(_cell, row) for row in rows))


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else "–" if value is None else str(value)


def _timelines(args: argparse.Namespace) -> Iterable[Timeline]:
    from evaluation.statebench.data.timeline import read_timelines

    seen = False
    for row in read_timelines(args.timelines, graded=False):
        if args.id in (None, row["id"]):
            seen = True
            yield row
    if args.id is not None and not seen:
        raise BenchmarkError(f"{args.timelines}: no timeline has the id {args.id!r}")


def _queries(args: argparse.Namespace) -> Iterable[tuple[Timeline, int]]:
    for timeline in _timelines(args):
        count = sum(event["type"] == "query" for event in timeline["events"])
        yield from ((timeline, index) for index in range(count) if args.query in (None, index))
