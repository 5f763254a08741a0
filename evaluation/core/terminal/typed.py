"""The effective command line: environment variables, then arguments, of which the last value of an option counts."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.core.secrets import HIDDEN, is_secret, redact


@dataclass(slots=True)
class Typed:
    """The words after the command. Variables are named in full.

    `taken`: variable -> its meaning in words of the command line. `overridden`: variables whose value was typed
    differently. `hints`: sentences about words that were interpreted.
    """

    words: list[str]
    taken: dict[str, str] = field(default_factory=dict)
    overridden: set[str] = field(default_factory=set)
    hints: list[str] = field(default_factory=list)

    def others(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment without the variables that were handled here."""
        done = self.taken.keys() | self.overridden
        return {name: value for name, value in environment.items() if name not in done}

    def take(self, variable: str, value: str, words: Sequence[str], *, typed: bool) -> list[str]:
        """The words to put before the typed ones for a variable; none if its option is `typed`, which overrides it."""
        if typed:
            self.overridden.add(variable)
            return []
        shown = HIDDEN if is_secret(variable) else redact(value)
        self.taken[variable] = f"{variable}={shown} (as {redact(' '.join(words))})"
        return list(words)

    def say(self, unread: Sequence[str]) -> None:
        """Report on stderr how words and variables were interpreted. `unread`: set variables without a meaning here."""
        lines = list(self.hints)
        if self.taken:
            lines.append(f"from the environment: {', '.join(self.taken.values())}")
        if unread:
            lines.append(f"set in the environment, and of no meaning to this command: {', '.join(unread)}")
        for line in lines:
            print(f"goldevidencebench: {line}", file=sys.stderr)


def is_typed(words: Sequence[str], *options: str) -> bool:
    return any(word.partition("=")[0] in options for word in words)


def values_of(words: Sequence[str], option: str) -> list[str]:
    found = []
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == option:
            found.append(value if equals else following)
    return found
