"""`goldevidencebench state …`: generate, import, grade, answer, context, detect, conformance, serve, compare."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from evaluation import jsonl
from evaluation.commands import state_conformance
from evaluation.commands.arguments import not_negative, positive
from evaluation.errors import BenchmarkError, RowError

HELP = "StateBench: timelines, contexts, detection, grading, conformance."

Arguments = argparse.Namespace


def configure(parser: argparse.ArgumentParser) -> None:
    """One subcommand per verb."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, (text, arguments, act) in ACTIONS.items():
        sub = actions.add_parser(name, help=text, description=text)
        arguments(sub)
        sub.set_defaults(act=act)


def run(args: Arguments) -> int:
    """Run the chosen verb."""
    act: Callable[[Arguments], int] = args.act
    return act(args)


# --- generate, import
# ------------------------------------------------------------------------------------------------


def _generate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", required=True, help="where to write the timelines; gzip where the name ends in .gz"
    )
    parser.add_argument("--tracks", nargs="+", metavar="TRACK", help="tracks (default: all)")
    parser.add_argument("--count", type=int, default=10, help="timelines per track (default 10)")
    parser.add_argument("--seed", type=int, default=0, help="the seed (default 0)")
    parser.add_argument(
        "--public", action="store_true", help="leave ground truth and labels out, as a version does"
    )


def _generate(args: Arguments) -> int:
    from evaluation.statebench.settings import Settings
    from evaluation.statebench.suite import SUITE

    given = {"tracks": args.tracks} if args.tracks else {}
    settings = Settings.from_json({"count": args.count, "seed": args.seed, **given}).as_json()
    rows = (row for item in SUITE.generate(settings) for row in item.rows)
    count = jsonl.write(args.out, map(SUITE.public_row, rows) if args.public else rows)
    print(f"wrote {count} timelines to {args.out}", file=sys.stderr)
    return 0


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="a file in release format")
    parser.add_argument("--out", help="write the public rows there (default: only check)")


def _import(args: Arguments) -> int:
    from evaluation.statebench.suite import SUITE
    from evaluation.statebench.timeline import read_timelines

    items = list(SUITE.items_from_rows(read_timelines(args.timelines)))
    queries = sum(len(item.gold["queries"]) for item in items)
    if args.out:
        public = (SUITE.public_row(row, labels=True) for item in items for row in item.rows)
        jsonl.write(args.out, public, sources=[args.timelines])
    print(f"{len(items)} timelines with {queries} queries can be graded", file=sys.stderr)
    return 0


# --- grade
# -----------------------------------------------------------------------------------------------------------


def _grade_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="timelines with ground truth")
    parser.add_argument("--responses", required=True, help="JSONL of timeline_id, query_idx, response")
    parser.add_argument("--rubric", default="strict", help="1.0, 2.0 or strict (default)")
    parser.add_argument("--results-json", metavar="FILE", help="write the whole report there")


def _grade(args: Arguments) -> int:
    from evaluation.statebench import grade_files
    from evaluation.statebench.timeline import read_timelines

    for _ in read_timelines(jsonl.read_again(args.timelines)):
        pass  # each is a timeline with ground truth, or its line is named
    report = grade_files(args.timelines, args.responses, rubric=args.rubric)
    if args.results_json:
        with jsonl.fresh(args.results_json, sources=[args.timelines, args.responses]) as out:
            out.write(jsonl.dumps(report.as_dict()))
    columns = ("sfrr", "decision_accuracy", "must_mention_rate", "must_not_mention_violation_rate")
    lines = [("all", report.metrics), *report.tracks.items()]
    _table(
        "Figures",
        ("track", *columns),
        [(name, *(found[column] for column in columns)) for name, found in lines],
    )
    return 0


# --- answer
# ------------------------------------------------------------------------------------------------------------


def _answer_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--timelines", required=True, help="the rows (.gz too), as generated or as downloaded"
    )
    parser.add_argument("--strategy", default="state_based", help="default state_based")
    parser.add_argument("--out", required=True, help="where to write the responses (.gz too)")


def _answer(args: Arguments) -> int:
    from evaluation.statebench.strategies import get_strategy
    from evaluation.statebench.systems import EchoSystem

    system = EchoSystem(get_strategy(args.strategy).name)
    responses = (line for row in _rows(args.timelines) for line in system.predict(row))
    count = jsonl.write(args.out, responses, sources=[args.timelines])
    print(f"wrote {count} responses to {args.out}", file=sys.stderr)
    return 0


# --- context, detect
# -------------------------------------------------------------------------------------------------


def _context_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="timelines, with or without ground truth")
    parser.add_argument("--id", help="one timeline only")
    parser.add_argument("--query", type=not_negative, help="one query only, counted from 0")
    parser.add_argument("--strategy", default="state_based", help="default state_based")
    parser.add_argument("--budget", type=positive, default=8192, help="tokens at most (default 8192)")
    parser.add_argument("--tokenizer", help="whitespace (default), pretokens or characters")
    parser.add_argument("--json", action="store_true", help="JSON lines with sections and facts")


def _context(args: Arguments) -> int:
    from evaluation.statebench import build_context
    from evaluation.statebench.context import as_dict

    options = {"strategy": args.strategy, "budget": args.budget, "tokenizer": args.tokenizer}
    for timeline, query in _queries(args):
        context = build_context(timeline, query, **options)
        place = {"timeline_id": timeline["id"], "query_idx": query}
        print(
            json.dumps(place | as_dict(context))
            if args.json
            else f"# {timeline['id']}#{query}\n{context.text}\n"
        )
    return 0


def _detect_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="timelines, with or without ground truth")
    parser.add_argument("--id", help="one timeline only")


def _detect(args: Arguments) -> int:
    from dataclasses import asdict

    from evaluation.statebench import detect

    for timeline in _timelines(args):
        for found in detect(timeline):
            print(json.dumps({"timeline_id": timeline["id"]} | asdict(found)))
    return 0


# --- compare
# ---------------------------------------------------------------------------------------------------------


def _compare_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="timelines with ground truth")
    parser.add_argument("--strategies", nargs="+", metavar="NAME", help="strategies (default: all)")
    parser.add_argument(
        "--budgets",
        nargs="+",
        type=positive,
        default=[512, 8192],
        metavar="TOKENS",
        help="tokens at most (default 512 8192)",
    )
    parser.add_argument("--results-json", metavar="FILE", help="write all rows there, tracks included")


def _compare(args: Arguments) -> int:
    from evaluation.statebench.strategies import STRATEGIES
    from evaluation.statebench.strategies.measure import ALL, measure
    from evaluation.statebench.timeline import read_timelines

    timelines = list(read_timelines(args.timelines))
    rows = [row for name in args.strategies or STRATEGIES for row in measure(timelines, name, args.budgets)]
    if args.results_json:
        with jsonl.fresh(args.results_json, sources=[args.timelines]) as out:
            out.write(jsonl.dumps(rows))
    columns = ("strategy", "budget", "resurrection", "coverage", "dead_values", "live_values", "tokens_mean")
    _table(
        "Strategies",
        columns,
        [tuple(row[column] for column in columns) for row in rows if row["track"] == ALL],
    )
    return 0


# --- what they share
# -------------------------------------------------------------------------------------------------

Verb = tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[Arguments], int]]
ACTIONS: dict[str, Verb] = {
    "generate": (
        "Write our own timelines. An open demo: anybody can make the same.",
        _generate_arguments,
        _generate,
    ),
    "import": ("Check a released file, and write its public rows.", _import_arguments, _import),
    "grade": ("Grade a file of responses.", _grade_arguments, _grade),
    "answer": ("Answer every query with the context of a strategy.", _answer_arguments, _answer),
    "context": ("Print what a strategy would show a model.", _context_arguments, _context),
    "detect": ("Print what turns supersede, by language.", _detect_arguments, _detect),
    "conformance": (
        "Check an implementation against the specification.",
        state_conformance.configure,
        state_conformance.run,
    ),
    "serve": (
        "Serve our implementation over the conformance protocol.",
        state_conformance.configure_serve,
        state_conformance.serve,
    ),
    "compare": ("Measure strategies without a model.", _compare_arguments, _compare),
}


def _rows(path: str) -> Iterator[dict[str, Any]]:
    """The timelines of a file, with or without ground truth. Raises RowError for a row that is none."""
    from evaluation.statebench.timeline import check_timeline

    for number, row in jsonl.read_numbered(path):
        try:
            check_timeline(row, graded=False)
        except RowError as error:
            raise RowError(error.reason, path=path, line=number) from error
        yield row


def _timelines(args: Arguments) -> Iterable[dict[str, Any]]:
    """The timelines of the file, or the one asked for. Raises BenchmarkError where that is not there."""
    seen = False
    for row in _rows(args.timelines):
        if args.id in (None, row["id"]):
            seen = True
            yield row
    if args.id is not None and not seen:
        raise BenchmarkError(f"{args.timelines}: no timeline is called {args.id!r}")


def _queries(args: Arguments) -> Iterable[tuple[Mapping[str, Any], int]]:
    for timeline in _timelines(args):
        count = sum(event["type"] == "query" for event in timeline["events"])
        yield from ((timeline, index) for index in range(count) if args.query in (None, index))


def _table(title: str, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    """A table for people."""
    from evaluation.tables import show

    show(title, columns, (map(_cell, row) for row in rows))


def _cell(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else "–" if value is None else str(value)
