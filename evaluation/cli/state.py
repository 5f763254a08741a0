"""`goldevidencebench state ACTION`: actions on timelines, contexts, detection, grading and conformance."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

from evaluation.cli.suites import take_own
from evaluation.statebench.cli import conformance, contexts, generate, grade, interchange
from evaluation.statebench.cli import run as answer

HELP = "StateBench: timelines, contexts, detection, grading, conformance."

Arguments = argparse.Namespace


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for name, (text, arguments, act) in ACTIONS.items():
        sub = actions.add_parser(name, help=text, description=text)
        arguments(sub)
        if act is not None:
            sub.set_defaults(act=act)


def run(args: Arguments) -> int:
    act: Callable[[Arguments], int] = args.act
    return act(args)


#: (help, configure, run); run None: set by configure.
Verb = tuple[str, Callable[[argparse.ArgumentParser], None], Callable[[Arguments], int] | None]
ACTIONS: dict[str, Verb] = {
    "generate": (generate.HELP, partial(take_own, name="generate", own=generate), None),
    "import": (interchange.IMPORT_HELP, interchange.configure_import, interchange.read),
    "export": (interchange.EXPORT_HELP, interchange.configure_export, interchange.export),
    "grade": (grade.HELP, partial(take_own, name="grade", own=grade), None),
    "answer": (answer.HELP, partial(take_own, name="run", own=answer), None),
    "context": (
        "Print the context that a strategy would show a model.",
        contexts.configure_context,
        contexts.print_contexts,
    ),
    "detect": (
        "Print which facts are superseded by turns, as detected in their language.",
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
    "compare": (
        "Measure strategies without a model, or compare judges.",
        contexts.configure_compare,
        contexts.compare,
    ),
}
