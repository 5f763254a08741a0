"""`goldevidencebench`: the engine's command line. Each command is a module with HELP, `configure` and `run`."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from evaluation import __version__
from evaluation.cli.suites import DEFAULT_SUITE, option_value, suite_of, take_own
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal import output, streams
from evaluation.core.terminal.parser import Parser
from evaluation.core.terminal.typed import Typed

#: Prefix of our environment variables, as in `adapters.environment`, which is imported only if one is set.
PREFIX = "GOLDEVIDENCEBENCH_"


class Command(NamedTuple):
    """Help text and module of a command. The text is in this file so that commands can be listed without imports."""

    help: str  # the module's HELP; of the default suite's module if each suite has one
    #: The module; or by suite name the parts of a shared command (`core.terminal.commands`), whose module has its name.
    #: `cli.suite` has the parts for all other suites.
    module: str | Mapping[str, str]


COMMANDS: dict[str, Command] = {
    "generate": Command(
        "Generate a benchmark: episodes, books, questions and gold. An open demo: its answers are public.",
        {
            "goldevidence": "evaluation.goldevidence.cli.generate",
            "statebench": "evaluation.statebench.cli.generate",
        },
    ),
    "run": Command(
        "Run a baseline over rows, write its predictions and grade them.",
        {"goldevidence": "evaluation.goldevidence.cli.run", "statebench": "evaluation.statebench.cli.run"},
    ),
    "model": Command(
        "Run a system under test (a local model, a server, or your own module:factory) and grade its predictions.",
        "evaluation.cli.model",
    ),
    "model-check": Command(
        "Show the metadata of a GGUF file, and test that the model knows English and its chat template works.",
        "evaluation.cli.model_check",
    ),
    "transcript": Command(
        "Show the prompt and the reply of a model for one row of a run.", "evaluation.cli.transcript"
    ),
    "grade": Command(
        "Grade predictions against rows with gold.",
        {
            "goldevidence": "evaluation.goldevidence.cli.grade",
            "statebench": "evaluation.statebench.cli.grade",
        },
    ),
    "wordings": Command(
        "Compare graded runs of the same rows under several wordings of a prompt.",
        "evaluation.cli.wordings",
    ),
    "bridge": Command(
        "Write a version as a task for another harness, scored by this grader.", "evaluation.cli.bridge"
    ),
    "convert": Command(
        "Convert an Inspect log, lm-eval samples, a batch output, a CSV or a Parquet file to predictions.",
        "evaluation.cli.convert",
    ),
    "validate": Command(
        "Check a predictions file line by line, as the site checks an upload.", "evaluation.cli.validate"
    ),
    "mistakes": Command(
        "Export a system's mistakes over rows with gold, as records or as training data.",
        "evaluation.goldevidence.cli.mistakes",
    ),
    "gym": Command(
        "Train small learners on their mistakes: mine, export, train, evaluate, or all of it in a loop.",
        "evaluation.cli.gym",
    ),
    "selector": Command(
        "Export selector examples, train the linear selector, evaluate it by line order and share of NOTEs.",
        "evaluation.goldevidence.cli.selector",
    ),
    "sweep": Command(
        "Run a grid of settings and systems; summarize sweeps; collect their summaries.",
        "evaluation.goldevidence.cli.sweep",
    ),
    "bench": Command(
        "Run the standard sweeps and curves over one system, and report against thresholds.",
        "evaluation.goldevidence.cli.bench",
    ),
    "reference": Command(
        "Show published figures beside ours and whether they reproduce; list other benchmarks with sources.",
        "evaluation.goldevidence.cli.reference",
    ),
    "estimate": Command(
        "Estimate how long a system takes over a data file, by answering a few rows.",
        "evaluation.cli.estimate",
    ),
    "state": Command(
        "StateBench: timelines, contexts, detection, grading, conformance.", "evaluation.cli.state"
    ),
    "commitment": Command(
        "Check the published gold of a retired version against the commitment that its page showed from the start.",
        "evaluation.cli.commitment",
    ),
    "receipt": Command(
        "Verify a signed receipt of a score, offline (needs the extra receipts).", "evaluation.cli.receipt"
    ),
    "login": Command(
        "Store an API token for a site; the other commands use it.", "evaluation.cli.site.login"
    ),
    "logout": Command("Revoke the stored token of a site, and delete it.", "evaluation.cli.site.logout"),
    "versions": Command("List the versions of a site.", "evaluation.cli.site.versions"),
    "download": Command(
        "Download the rows of a version and the documents that they name; resumes a partial download.",
        "evaluation.cli.site.download",
    ),
    "submit": Command(
        "Submit a predictions file, or the files of several repeats; --wait waits for the score.",
        "evaluation.cli.site.submit",
    ),
    "status": Command(
        "Show the status of a submission, and its metrics once it is graded.", "evaluation.cli.site.status"
    ),
    "leaderboard": Command("Show the leaderboard of a version.", "evaluation.cli.site.leaderboard"),
    "reproduce": Command(
        "Recompute a published score, its interval and its ranks, and check that they are equal.",
        "evaluation.cli.site.reproduce",
    ),
    "history": Command(
        "List your submissions, or with --all also other people's public ones.", "evaluation.cli.site.history"
    ),
}
#: The reference's name of a command -> our name, and what is new about it.
RENAMED = {"baseline": ("run", "which also grades the predictions")}
#: Default action of a command whose first word is an option: the reference's `sweep` has no actions.
DEFAULT_ACTIONS = {"sweep": "run"}
#: Commands that compute no results: an unused environment variable is harmless there.
WITHOUT_FIGURES = frozenset(
    [name for name, command in COMMANDS.items() if ".cli.site." in str(command.module)]
    + ["bridge", "commitment", "convert", "model-check", "receipt", "transcript", "validate", "wordings"]
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Errors that users can act on are printed without a traceback."""
    arguments = _with_action(list(sys.argv[1:] if argv is None else argv))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show é shows ? instead
    try:
        with streams.opened(arguments) as words:
            return _run(words)
    except BenchmarkError as error:
        from evaluation.core.secrets import redact

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


def _run(words: list[str]) -> int:
    with output.silent("--quiet" in words):
        typed = _translated(words)
    args = _parser(typed.words).parse_args(typed.words)
    with output.applied(args):
        if args.command not in WITHOUT_FIGURES and any(name.startswith(PREFIX) for name in os.environ):
            _check_environment(typed, getattr(args, "adapter", ""))
        code: int = args.run(args)
    return code


def _translated(arguments: list[str]) -> Typed:
    """Replace names of the reference implementation, and put options from the environment before typed options."""
    typed = Typed(arguments)
    if arguments[:1] and arguments[0] in RENAMED:
        ours, news = RENAMED[arguments[0]]
        typed.words = [ours, *arguments[1:]]
        typed.hints.append(f"`{arguments[0]}` is called `{ours}` here, {news}")
    set_here = any(name.startswith(PREFIX) for name in os.environ)
    names_a_module = any("goldevidencebench." in word for word in typed.words)
    if typed.words[:1] and typed.words[0] in COMMANDS and (set_here or names_a_module):
        module, _ = _module(typed.words[0], typed.words)
        if hasattr(module, "translate_arguments"):
            command, own = typed.words[0], Typed(typed.words[1:], hints=typed.hints)
            typed = module.translate_arguments(own, os.environ)
            typed.words = [command, *typed.words]
    if not set_here:
        typed.say([])
    return typed


def _check_environment(typed: Typed, chosen: Any) -> None:
    from evaluation.adapters.environment import refuse_unknown, unread

    rest = typed.others(os.environ)
    for adapter in chosen if isinstance(chosen, list) and chosen else [chosen or ""]:
        refuse_unknown(adapter, rest)
    typed.say(unread(rest))


def _with_action(arguments: list[str]) -> list[str]:
    if len(arguments) < 2 or arguments[0] not in DEFAULT_ACTIONS or arguments[1] in ("-h", "--help"):
        return arguments
    action = [DEFAULT_ACTIONS[arguments[0]]] if arguments[1].startswith("-") else []
    return [arguments[0], *action, *arguments[1:]]


class _PrintCompletion(argparse.Action):
    """Prints a shell's completion script, which covers all commands, and exits."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: Any, shell: Any, option: str | None = None
    ) -> None:
        from evaluation.cli.completion import script

        whole, commands = _bare_parser()
        for name in COMMANDS:
            _add(commands, name, [])
        print(script(whole, shell))
        parser.exit()


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Build the parser. It imports only the module of the chosen command; to list all commands it imports none."""
    parser, commands = _bare_parser()
    chosen = arguments[0] if arguments else ""
    if chosen in COMMANDS:
        _add(commands, chosen, arguments)
    else:  # help, the version, or a mistake: no command will run
        for name, command in COMMANDS.items():
            commands.add_parser(name, help=command.help)
    return parser


def _bare_parser() -> tuple[argparse.ArgumentParser, Any]:
    parser = Parser(prog="goldevidencebench", description="Generate, run and grade benchmarks.")
    parser.add_argument("--version", action="version", version=f"goldevidencebench {__version__}")
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=("bash", "zsh", "tcsh"),
        help="print a script for this shell that completes commands, options and paths, and exit",
    )
    return parser, parser.add_subparsers(dest="command", required=True, metavar="COMMAND")


def _add(commands: Any, chosen: str, arguments: Sequence[str]) -> None:
    module, suites = _module(chosen, arguments)
    sub = commands.add_parser(chosen, help=module.HELP, description=module.HELP)
    if suites:
        sub.add_argument("--suite", choices=suites, help=_SUITE_HELP)
        take_own(sub, chosen, module)
    else:
        module.configure(sub)
        sub.set_defaults(run=module.run)
    output.add_options(sub)


_SUITE_HELP = "the suite of the rows (default: detected from --data; without --data, goldevidence)"


def _module(name: str, arguments: Sequence[str]) -> tuple[Any, list[str]]:
    path = COMMANDS[name].module
    if isinstance(path, str):
        return import_module(path), []
    chosen = option_value("--suite", arguments) or suite_of(option_value("--data", arguments))
    others = _others(path) if chosen not in path or _may_name_suites(arguments) else []
    module = f"evaluation.cli.suite.{name}" if chosen in others else path.get(chosen, path[DEFAULT_SUITE])
    return import_module(module), [*path, *others]


def _may_name_suites(arguments: Sequence[str]) -> bool:
    """True if the arguments ask for help or contain --suite. Options may be abbreviated."""
    return any(word in ("-h", "--h") or word.startswith(("--s", "--he")) for word in arguments)


def _others(path: Mapping[str, str]) -> list[str]:
    """Suites that are missing in `path` (suite name -> module). Slow: searches all installed distributions."""
    from evaluation.core.suite import SUITES

    return [suite for suite in SUITES if suite not in path]
