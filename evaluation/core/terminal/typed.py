"""The effective command line: options from environment variables, then typed options, which override them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.core.secrets import HIDDEN, is_secret, redact


@dataclass(slots=True)
class Typed:
    """The words after the command, and the environment variables that are read as options.

    `taken`: variable -> description with the equivalent option. `overridden`: variables whose option was also typed.
    `hints`: messages about typed names that were replaced by the names used here.
    """

    words: list[str]
    taken: dict[str, str] = field(default_factory=dict)
    overridden: set[str] = field(default_factory=set)
    hints: list[str] = field(default_factory=list)

    def others(self, environment: Mapping[str, str]) -> dict[str, str]:
        """The environment without the variables in `taken` and `overridden`."""
        done = self.taken.keys() | self.overridden
        return {name: value for name, value in environment.items() if name not in done}

    def take(self, variable: str, value: str, words: Sequence[str], *, typed: bool) -> list[str]:
        """Record a variable. Returns `words` (the equivalent option), or an empty list if the user typed the option."""
        if typed:
            self.overridden.add(variable)
            return []
        shown = HIDDEN if is_secret(variable) else redact(value)
        self.taken[variable] = f"{variable}={shown} (as {redact(' '.join(words))})"
        return list(words)

    def say(self, unread: Sequence[str]) -> None:
        """Print on stderr how words and variables were read. `unread`: variables that are set but not used."""
        lines = list(self.hints)
        if self.taken:
            lines.append(f"from the environment: {', '.join(self.taken.values())}")
        if unread:
            lines.append(f"set in the environment but not used by this command: {', '.join(unread)}")
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
