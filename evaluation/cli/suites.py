"""Which suite a command is about: the one that is named, else the one whose rows are given."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from evaluation.core.errors import BenchmarkError

DEFAULT_SUITE = "goldevidence"
#: What commands read that not every suite has an option for.
_WITHOUT_OPTION = dict.fromkeys(("documents", "rows_out", "verdicts_out", "metrics_out"), "")


def take_own(parser: ArgumentParser, name: str, own: Any) -> None:
    """Let a command that stands once do what is a suite's own.

    Args:
        parser: Of the command.
        name: `generate`, `run` or `grade`.
        own: The suite's module for it, see `evaluation.core.terminal.commands`.
    """
    own.configure(parser)
    command = import_module(f"evaluation.cli.{name}")
    parser.set_defaults(**_WITHOUT_OPTION, run=command.run, own=own)


def option_value(option: str, arguments: Sequence[str]) -> str:
    """The value of an option, read before there is a parser.

    Args:
        option: Its name, with dashes.
        arguments: The words of the command line.

    Returns:
        The value; empty where the option is not given.
    """
    for word, following in pairwise([*arguments, ""]):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return ""


def suite_of(path: str) -> str:
    """The suite of the first row of a file; the default where that cannot be told.

    Only a plain file is looked at: what comes through a pipe can be read once. What is wrong with the file is for the
    command to say.
    """
    if not path or not Path(path).is_file():
        return DEFAULT_SUITE
    from evaluation.adapters.kinds import find_kind  # not for commands that have no file to look at
    from evaluation.core import jsonl

    try:
        first = next(jsonl.read(path), None)
    except (BenchmarkError, OSError):
        return DEFAULT_SUITE
    kind = find_kind(first) if first is not None else None
    return kind.name if kind else DEFAULT_SUITE


def setting_values(pairs: Sequence[str]) -> dict[str, object]:
    """`["count=5", "kinds=a"]` as settings: what reads as JSON is that, all else is text. Raises BenchmarkError."""
    values: dict[str, object] = {}
    for name, text in setting_texts(pairs, "--set").items():
        try:
            values[name] = json.loads(text)
        except ValueError:
            values[name] = text
    return values


def setting_texts(pairs: Sequence[str], option: str) -> dict[str, str]:
    """`["length=8"]` as texts by their names.

    Args:
        pairs: NAME=VALUE each.
        option: What they were given by, for the error.

    Raises:
        BenchmarkError: One has no name or no `=`.
    """
    for pair in pairs:
        if pair.partition("=")[0] in ("", pair):
            raise BenchmarkError(f"{option} {pair!r} is not of the form NAME=VALUE")
    return {name: text for name, _, text in (pair.partition("=") for pair in pairs)}
