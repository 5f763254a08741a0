"""Which suite a command is about: the one that is named, else the one whose rows are given."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from evaluation.core.errors import BenchmarkError

DEFAULT_SUITE = "goldevidence"


def given(option: str, arguments: Sequence[str]) -> str:
    """The value of an option, read before there is a parser; empty where it is not given."""
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
    from evaluation.adapters.kinds import find_kind
    from evaluation.core import jsonl

    if not path or not Path(path).is_file():
        return DEFAULT_SUITE
    try:
        first = next(jsonl.read(path), None)
    except (BenchmarkError, OSError):
        return DEFAULT_SUITE
    kind = find_kind(first) if first is not None else None
    return kind.name if kind else DEFAULT_SUITE
