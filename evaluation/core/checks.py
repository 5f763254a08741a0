"""Validation of settings: collect the faults of every field, then raise once."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from evaluation.core.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault in one line of a predictions file. `message` says what is wrong and what to do."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """An observation about a whole predictions file: a code for programs, a sentence with advice for people."""

    code: str
    message: str


class Checks:
    """Collects messages about the fields of one settings object; `done()` raises them as one SettingsError."""

    def __init__(self, settings: object) -> None:
        self._settings = settings
        self._messages: dict[str, list[str]] = {}

    def integer(self, name: str, low: int, high: int) -> None:
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(name, f"must be a whole number, not {in_message(value)}.")
        elif not low <= value <= high:
            self.refuse(name, f"must be between {low} and {high}, not {in_message(value)}.")

    def rate(self, name: str) -> None:
        value = self._value(name)
        # bool is an int in Python: a JSON true must not pass as 1
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.refuse(name, f"must be a number, not {in_message(value)}.")
        elif not 0 <= value <= 1:
            self.refuse(name, f"must be between 0 and 1, not {in_message(value)}.")

    def boolean(self, name: str) -> None:
        """Record a message unless the field is true or false. 0, 1 and "true" are refused."""
        if not isinstance(value := self._value(name), bool):
            self.refuse(name, f"must be true or false, not {in_message(value)}.")

    def one_of(self, name: str, known: Collection[str]) -> None:
        value = self._value(name)
        if not isinstance(value, str) or value not in known:
            self.refuse(
                name, f"must be one of {', '.join(known)}, not {in_message(value)}.{nearest(value, known)}"
            )

    def refuse(self, name: str, message: str) -> None:
        """Record a message about a field. The message is shown after the field's name: "must be a number."."""
        self._messages.setdefault(name, []).append(message)

    def done(self) -> None:
        if self._messages:
            raise SettingsError(self._messages)

    def _value(self, name: str) -> Any:
        return getattr(self._settings, name)


def in_message(value: object) -> str:
    """Return the repr of a value, cut to 80 characters."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write integers of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:79]}…"


def nearest(name: object, known: Collection[str]) -> str:
    """Return the hint ` Did you mean 'x'?`, with a leading space, or "" if no known name is similar."""
    near = difflib.get_close_matches(in_message(name).strip("'"), list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
