"""Shell completion of the command line: commands, options, choices, and paths."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from evaluation.core.terminal import streams

#: Options and arguments that take paths, beside those of type Path and those that may be a stream.
PATHS = streams.INPUTS | streams.OUTPUTS | streams.REFUSED.keys()
PATHS |= {"--model", "--before", "--run", "--frozen", "--root", "--reference-dir", "file", "reports"}


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return a script that completes the command line of `parser` in a shell."""
    import shtab  # found at once, but not needed to run a command

    for action in _actions(parser):
        if _takes_path(action):
            action.complete = shtab.FILE  # type: ignore[attr-defined] # where shtab looks
    return shtab.complete(parser, shell)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from _actions(sub)


def _takes_path(action: argparse.Action) -> bool:
    named = not PATHS.isdisjoint(action.option_strings or [action.dest])
    return action.type is Path or (action.type is None and (named or action.metavar == "FILE"))
