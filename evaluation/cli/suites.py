"""Find the suite of a command: by `--suite`, else by the rows of `--data`."""

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
#: Defaults of options that not every suite has.
_WITHOUT_OPTION = dict.fromkeys(("documents", "rows_out", "verdicts_out", "metrics_out"), "")


def take_own(parser: ArgumentParser, name: str, own: Any) -> None:
    """Set up the command `name` (`generate`, `run` or `grade`) with `own`, a suite's module for this command."""
    own.configure(parser)
    command = import_module(f"evaluation.cli.{name}")
    parser.set_defaults(**_WITHOUT_OPTION, run=command.run, own=own)


def option_value(option: str, arguments: Sequence[str]) -> str:
    """The value of an option, found without a parser. Empty if the option is not given."""
    for word, following in pairwise([*arguments, ""]):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return ""


def suite_of(path: str) -> str:
    """The suite of a file's first row. It is the default suite if the file cannot be read or has an unknown form."""
    # a pipe can be read once, and the command has to read it
    if not path or not Path(path).is_file():
        return DEFAULT_SUITE
    from evaluation.adapters.kinds import find_kind  # slow to import, and not needed without a file
    from evaluation.core import jsonl

    try:
        first = next(jsonl.read(path), None)
    except (BenchmarkError, OSError):
        return DEFAULT_SUITE
    kind = find_kind(first) if first is not None else None
    return kind.name if kind else DEFAULT_SUITE


def setting_values(pairs: Sequence[str]) -> dict[str, object]:
    """Parse `["count=5", "kinds=a"]` as settings. A value is JSON if it parses, else text. Raises BenchmarkError."""
    values: dict[str, object] = {}
    for name, text in setting_texts(pairs, "--set").items():
        try:
            values[name] = json.loads(text)
        except ValueError:
            values[name] = text
    return values


def setting_texts(pairs: Sequence[str], option: str) -> dict[str, str]:
    """Map names to texts: `["length=8"]` as `{"length": "8"}`. Raises BenchmarkError for a pair without name or `=`."""
    for pair in pairs:
        if pair.partition("=")[0] in ("", pair):
            raise BenchmarkError(f"{option} {pair!r} is not of the form NAME=VALUE")
    return {name: text for name, _, text in (pair.partition("=") for pair in pairs)}
