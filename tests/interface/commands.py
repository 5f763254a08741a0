"""The names in the shell: commands, options, their values; of the engine, of `manage.py` and of `make`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
HELP = ("--help",)
#: Options that every command of Django has. `regrade --version` is our own.
DJANGO = (
    *HELP, "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color", "--force-color", "--skip-checks",
)  # fmt: skip


def words() -> set[str]:
    """A line for each command, argument, option and choice; `needs …` for required options."""
    lines = set(_options(engine(), "goldevidencebench"))
    for name, parser in management().items():
        lines |= set(_options(parser, f"manage.py {name}", without=DJANGO))
    return lines | {f"make {target}" for target in targets()}


class _CaughtError(Exception):
    """Carries the parser that a command line was about to use."""


def engine() -> argparse.ArgumentParser:
    """The parser of `goldevidencebench`; that of a command is complete once it was asked for."""
    parser = _parser_of()
    for choices in _commands(parser):
        for name in choices:
            choices[name] = next(_commands(_parser_of(name)))[name]
    return parser


def _commands(parser: argparse.ArgumentParser) -> Iterator[dict[str, argparse.ArgumentParser]]:
    return (action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))


def _parser_of(*words: str) -> argparse.ArgumentParser:
    from evaluation.cli import main

    def catch(parser: argparse.ArgumentParser, *_: Any) -> None:
        raise _CaughtError(parser)

    with patch.object(argparse.ArgumentParser, "parse_args", catch):
        try:
            main(words)
        except _CaughtError as caught:
            result: argparse.ArgumentParser = caught.args[0]
            return result
    raise AssertionError("the command line parses nothing")


def management() -> dict[str, argparse.ArgumentParser]:
    """The parsers of our own management commands."""
    from django.core.management import get_commands, load_command_class

    ours = {name: app for name, app in get_commands().items() if str(app).startswith("leaderboard")}
    return {
        name: load_command_class(app, name).create_parser("manage.py", name) for name, app in ours.items()
    }


def targets() -> list[str]:
    """The targets of `make`."""
    text = (ROOT / "Makefile").read_text()
    return [target for line in re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE) for target in line.split()]


def _options(
    parser: argparse.ArgumentParser, command: str, *, without: Iterable[str] = HELP
) -> Iterator[str]:
    yield command
    places = 0
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, sub in action.choices.items():
                yield from _options(sub, f"{command} {name}", without=without)
        elif not action.option_strings:
            places += 1
            yield from _takes(action, f"{command} argument {places}")
        elif not (isinstance(action, argparse._VersionAction) or set(without) & {*action.option_strings}):
            for option in action.option_strings:
                yield from _takes(action, f"{command} {option}")


def _takes(action: argparse.Action, at: str) -> Iterator[str]:
    """Lines for the values: none (a flag), one or several (`…`), with their choices."""
    counted = isinstance(action.nargs, int) and action.nargs > 1
    several = " …" if counted or action.nargs in ("+", "*") else ""
    flag = action.nargs == 0 or isinstance(action, argparse.BooleanOptionalAction)
    yield at if flag else f"{at} VALUE{several}"
    yield from (f"{at} = {choice}" for choice in action.choices or ())
    if action.option_strings and action.required:
        yield f"needs {at}"
