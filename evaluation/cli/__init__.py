"""`goldevidencebench`: the engine's command line. Thin: each command is a module.

A command module offers `HELP` (one line), `configure(parser)` and `run(args) -> int` (the exit code).
Exit codes: 0 done, 1 the answer is no (a check failed), 2 bad input or usage, 3 a run has paused, 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from evaluation import __version__
from evaluation.adapters.environment import refuse_unknown
from evaluation.cli.suites import DEFAULT_SUITE, given, suite_of
from evaluation.core.errors import BenchmarkError
from evaluation.core.secrets import redact
from evaluation.core.terminal.parser import Parser

#: Command -> its module; by the name of a suite where each suite has one of its own.
COMMANDS: dict[str, str | dict[str, str]] = {
    "generate": {
        "goldevidence": "evaluation.goldevidence.cli.generate",
        "statebench": "evaluation.statebench.cli.generate",
    },
    "run": {"goldevidence": "evaluation.goldevidence.cli.run", "statebench": "evaluation.statebench.cli.run"},
    "model": "evaluation.cli.model",
    "grade": {
        "goldevidence": "evaluation.goldevidence.cli.grade",
        "statebench": "evaluation.statebench.cli.grade",
    },
    "validate": "evaluation.cli.validate",
    "selector": "evaluation.goldevidence.cli.selector",
    "sweep": "evaluation.goldevidence.cli.sweep",
    "reference": "evaluation.goldevidence.cli.reference",
    "estimate": "evaluation.cli.estimate",
    "state": "evaluation.statebench.cli.state",
    "login": "evaluation.cli.site.login",
    "logout": "evaluation.cli.site.logout",
    "versions": "evaluation.cli.site.versions",
    "download": "evaluation.cli.site.download",
    "submit": "evaluation.cli.site.submit",
    "status": "evaluation.cli.site.status",
    "leaderboard": "evaluation.cli.site.leaderboard",
    "history": "evaluation.cli.site.history",
}
#: Commands that make no figures: a variable that nothing reads changes nothing there.
WITHOUT_FIGURES = frozenset(
    {"login", "logout", "versions", "download", "validate", "submit", "status", "leaderboard", "history"}
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Errors a person can act on are printed without a traceback."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without é shows a ? in its place
    try:
        args = _parser(arguments).parse_args(arguments)
        if args.command not in WITHOUT_FIGURES:
            refuse_unknown(getattr(args, "adapter", ""))
        code: int = args.run(args)
        return code
    except BenchmarkError as error:
        print(f"goldevidencebench: {redact(str(error))}", file=sys.stderr)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        where = f"{error.filename}: " if error.filename else ""
        print(f"goldevidencebench: {where}{error.strerror or error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("goldevidencebench: interrupted", file=sys.stderr)
        return 130
    return 2


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser. Only the chosen command's module is imported, so that start-up stays fast."""
    parser = Parser(prog="goldevidencebench", description="Generate, run and grade benchmarks.")
    parser.add_argument("--version", action="version", version=f"goldevidencebench {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    chosen = arguments[0] if arguments else ""
    for name in [chosen] if chosen in COMMANDS else list(COMMANDS):
        module, suites = _module(name, arguments)
        sub = commands.add_parser(name, help=module.HELP, description=module.HELP)
        if suites:
            sub.add_argument("--suite", choices=suites, help=_SUITE_HELP)
        module.configure(sub)
        sub.set_defaults(run=module.run)
    return parser


_SUITE_HELP = "whose rows these are (default: as the rows say; where there are none, goldevidence)"


def _module(name: str, arguments: Sequence[str]) -> tuple[Any, list[str]]:
    """The module of a command, and the suites among which it was chosen; none where it takes all alike."""
    path = COMMANDS[name]
    if isinstance(path, str):
        return import_module(path), []
    chosen = given("--suite", arguments) or suite_of(given("--data", arguments))
    return import_module(path.get(chosen, path[DEFAULT_SUITE])), list(path)
