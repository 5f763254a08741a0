"""`goldevidencebench`: the engine's command line. Thin: each command is a module of `evaluation.commands`.

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

from evaluation import __version__
from evaluation.commands.parser import Parser
from evaluation.environment import refuse_unknown
from evaluation.errors import BenchmarkError
from evaluation.redaction import redact

COMMANDS: dict[str, str] = {
    "generate": "evaluation.commands.generate",
    "run": "evaluation.commands.run",
    "model": "evaluation.commands.model",
    "grade": "evaluation.commands.grade",
    "validate": "evaluation.commands.validate",
    "selector": "evaluation.commands.selector",
    "sweep": "evaluation.commands.sweep",
    "reference": "evaluation.commands.reference",
    "estimate": "evaluation.commands.estimate",
    "state": "evaluation.commands.state",
    "login": "evaluation.commands.login",
    "logout": "evaluation.commands.logout",
    "versions": "evaluation.commands.versions",
    "download": "evaluation.commands.download",
    "submit": "evaluation.commands.submit",
    "status": "evaluation.commands.status",
    "leaderboard": "evaluation.commands.leaderboard",
    "history": "evaluation.commands.history",
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
        args = _parser(arguments[0] if arguments else None).parse_args(arguments)
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


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    """The parser. Only the chosen command's module is imported, so that start-up stays fast."""
    parser = Parser(prog="goldevidencebench", description="Generate, run and grade benchmarks.")
    parser.add_argument("--version", action="version", version=f"goldevidencebench {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    names = [chosen] if chosen in COMMANDS else list(COMMANDS)
    for name in names:
        module = import_module(COMMANDS[name])
        sub = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.configure(sub)
        sub.set_defaults(run=module.run)
    return parser
