"""`goldevidencebench state …`: generate, import, grade, answer, context, detect, conformance, serve, compare."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from evaluation.core import jsonl
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.cli import conformance, contexts, generate, grade
from evaluation.statebench.cli import run as answer

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


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timelines", required=True, help="a file in release format")
    parser.add_argument("--out", help="write the public rows there (default: only check)")


def _import(args: Arguments) -> int:
    from evaluation.statebench.data.timeline import read_timelines
    from evaluation.statebench.suite import SUITE

    items = list(SUITE.items_from_rows(read_timelines(args.timelines)))
    queries = sum(len(item.gold["queries"]) for item in items)
    if args.out:
        public = (SUITE.public_row(row, labels=True) for item in items for row in item.rows)
        jsonl.write(args.out, public, sources=[args.timelines])
    print(
        f"{number_of(len(items), 'timeline')} with {number_of(queries, 'query', 'queries')} can be graded",
        file=sys.stderr,
    )
    return 0


Verb = tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[Arguments], int]]
ACTIONS: dict[str, Verb] = {
    "generate": (generate.HELP, generate.configure, generate.run),
    "import": ("Check a released file, and write its public rows.", _import_arguments, _import),
    "grade": (grade.HELP, grade.configure, grade.run),
    "answer": (answer.HELP, answer.configure, answer.run),
    "context": (
        "Print what a strategy would show a model.",
        contexts.configure_context,
        contexts.print_contexts,
    ),
    "detect": (
        "Print what turns supersede, by language.",
        contexts.configure_detect,
        contexts.print_detections,
    ),
    "conformance": (
        "Check an implementation against the specification.",
        conformance.configure,
        conformance.run,
    ),
    "serve": (
        "Serve our implementation over the conformance protocol.",
        conformance.configure_serve,
        conformance.serve,
    ),
    "compare": ("Measure strategies without a model.", contexts.configure_compare, contexts.compare),
}
