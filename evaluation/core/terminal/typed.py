"""A command line as it is meant: with what stands in the environment, and names of other programs as ours.

What the environment says is put before what was typed: of two words for an option the last counts.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.core.secrets import HIDDEN, is_secret, redact


@dataclass(slots=True)
class Typed:
    """The words behind the command. Variables are named in full.

    `taken`: variable -> what it was taken for, in words of the command line. `overridden`: variables for which another
    value was typed. `hints`: sentences about what was understood as something else.
    """

    words: list[str]
    taken: dict[str, str] = field(default_factory=dict)
    overridden: set[str] = field(default_factory=set)
    hints: list[str] = field(default_factory=list)

    def others(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment without the variables that were dealt with here.

        Args:
            environment: Where the variables are.
        """
        done = self.taken.keys() | self.overridden
        return {name: value for name, value in environment.items() if name not in done}

    def take(self, variable: str, value: str, words: Sequence[str], *, typed: bool) -> list[str]:
        """Enter what a variable means.

        Args:
            variable: Its name.
            value: What it is set to.
            words: The option and its value.
            typed: Whether another value was typed.

        Returns:
            The words to put before those that were typed.
        """
        if typed:
            self.overridden.add(variable)
            return []
        shown = HIDDEN if is_secret(variable) else redact(value)
        self.taken[variable] = f"{variable}={shown} (as {redact(' '.join(words))})"
        return list(words)

    def say(self, unread: Sequence[str]) -> None:
        """Say on stderr what was understood, and how.

        Args:
            unread: Variables that are set and that the command does not read.
        """
        lines = list(self.hints)
        if self.taken:
            lines.append(f"from the environment: {', '.join(self.taken.values())}")
        if unread:
            lines.append(f"set in the environment, and of no meaning to this command: {', '.join(unread)}")
        for line in lines:
            print(f"goldevidencebench: {line}", file=sys.stderr)


def is_typed(words: Sequence[str], *options: str) -> bool:
    """Whether one of some options stands among words.

    Args:
        words: Of the command line.
        options: Their names, with dashes.
    """
    return any(word.partition("=")[0] in options for word in words)


def values_of(words: Sequence[str], option: str) -> list[str]:
    """Every value of an option, in the order in which they stand.

    Args:
        words: Of the command line.
        option: Its name, with dashes.
    """
    found = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == option:
            found.append(value if equals else following)
    return found
