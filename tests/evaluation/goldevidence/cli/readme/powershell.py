"""The part of PowerShell that the reference's README uses: variables, the environment, lists, loops, commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_LOOP = re.compile(r"foreach \(\$(\w+) in (.+)\)\s*\{")
_SET = re.compile(r"\$(env:)?(\w+)\s*=\s*(.+)")
_NAME = re.compile(r"\$(?:\{(env:)?(\w+)\}|(env:)?(\w+))")


class PowerShellError(Exception):
    """Raised for a line that this interpreter does not know."""


@dataclass
class PowerShell:
    """A session. `command` is called with the words of each command, and reads `environment`."""

    command: Callable[[list[str]], None]
    environment: dict[str, str]
    variables: dict[str, str | list[str]] = field(default_factory=dict)

    def run(self, lines: Sequence[str]) -> None:
        """Run lines from top to bottom."""
        at = 0
        while at < len(lines):
            at = self._run_one(lines, at)

    def _run_one(self, lines: Sequence[str], at: int) -> int:
        """Run the statement at a line; the line of the next one."""
        line = lines[at].strip()
        if not line or line.startswith("#"):
            return at + 1
        if match := _LOOP.fullmatch(line):
            end = self._end(lines, at)
            for value in self._list(match[2]):
                self.variables[match[1]] = value
                self.run(lines[at + 1 : end])
            return end + 1
        if match := _SET.fullmatch(line):
            self._set(match[1] is not None, match[2], match[3])
        else:
            self.command([self._filled(word) for word in shlex.split(line)])
        return at + 1

    def _end(self, lines: Sequence[str], start: int) -> int:
        """The index of the line that closes a loop."""
        depth = 0
        for at in range(start, len(lines)):
            depth += bool(_LOOP.fullmatch(lines[at].strip())) - (lines[at].strip() == "}")
            if depth == 0:
                return at
        raise PowerShellError(f"nothing closes: {lines[start]}")

    def _set(self, in_environment: bool, name: str, text: str) -> None:
        if in_environment:
            (value,) = self._list(text)
            self.environment[name] = value
        else:
            values = self._list(text)
            self.variables[name] = values if text.startswith("@(") else values[0]

    def _list(self, text: str) -> list[str]:
        """The values of an expression: a text, a number, a variable, or several by comma."""
        text = text.strip()
        if text.startswith("@(") and text.endswith(")"):
            text = text[2:-1]
        if text.startswith("$") and isinstance(held := self.variables.get(text[1:]), list):
            return held
        return [self._filled(part.strip().strip('"')) for part in text.split(",")]

    def _filled(self, text: str) -> str:
        def value(match: re.Match[str]) -> str:
            name = match[2] or match[4]
            held = self.environment.get(name) if match[1] or match[3] else self.variables.get(name)
            if not isinstance(held, str):
                raise PowerShellError(f"no variable is called {match[0]}")
            return held

        return _NAME.sub(value, text)
