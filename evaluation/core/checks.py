"""Validation of settings: collect what is wrong with every field, then raise once."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from evaluation.core.errors import SettingsError
from evaluation.core.sealing.keyed_ids import is_key


@dataclass(frozen=True, slots=True)
class Problem:
    """Why one line of a predictions file is refused. `message` says what, why and what to do."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    id: str | None = None


class Checks:
    """Messages by field for one settings object; `done()` raises them together as a SettingsError."""

    def __init__(self, settings: object) -> None:
        self._settings = settings
        self._messages: dict[str, list[str]] = {}

    @staticmethod
    def names(kind: str, values: Iterable[str], known: Collection[str]) -> None:
        """Refuse names that do not exist, each with its nearest match.

        Args:
            kind: What the names are of, as the message calls it: `selector`.
            values: The names to check.
            known: The names that exist.

        Raises:
            SettingsError: Naming every unknown name.
        """
        strangers = {name: [f"unknown {kind}.{nearest(name, known)}"] for name in values if name not in known}
        if strangers:
            raise SettingsError(strangers)

    def integer(self, name: str, low: int, high: int) -> None:
        """Check that a field is a whole number within bounds; a message is noted where it is not.

        Args:
            name: The field.
            low: The smallest value allowed.
            high: The largest value allowed.
        """
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(name, f"must be a whole number, not {in_message(value)}.")
        elif not low <= value <= high:
            self.refuse(name, f"must be between {low} and {high}, not {in_message(value)}.")

    def rate(self, name: str) -> None:
        """A probability in [0, 1]."""
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.refuse(name, f"must be a number, not {in_message(value)}.")
        elif not 0 <= value <= 1:
            self.refuse(name, f"must be between 0 and 1, not {in_message(value)}.")

    def boolean(self, name: str) -> None:
        """True or false, and nothing that merely looks like it."""
        if not isinstance(value := self._value(name), bool):
            self.refuse(name, f"must be true or false, not {in_message(value)}.")

    def key(self, name: str) -> None:
        """A key of ids, or an empty text."""
        if (value := self._value(name)) != "" and not is_key(value):
            self.refuse(name, "must be 64 hexadecimal digits, or left out.")

    def one_of(self, name: str, known: Collection[str]) -> None:
        """Check that a field is one of the known names; a message is noted where it is not.

        Args:
            name: The field.
            known: The names allowed.
        """
        value = self._value(name)
        if not isinstance(value, str) or value not in known:
            self.refuse(
                name, f"must be one of {', '.join(known)}, not {in_message(value)}.{nearest(value, known)}"
            )

    def several(self, name: str, known: Collection[str]) -> None:
        """Check that a field is a list of known names, none twice; a message is noted where it is not.

        Args:
            name: The field.
            known: The names allowed.
        """
        values = self._value(name)
        if not isinstance(values, list | tuple):
            self.refuse(name, f"must be a list, not {in_message(values)}.")
            return
        for value in values:
            if not isinstance(value, str) or value not in known:
                self.refuse(
                    name, f"must be among {', '.join(known)}, not {in_message(value)}.{nearest(value, known)}"
                )
        if len(set(map(str, values))) < len(values):
            self.refuse(name, "must not repeat a name.")

    def refuse(self, name: str, message: str) -> None:
        """Note one message about a field.

        Args:
            name: The field.
            message: What is wrong, in a sentence that follows the field's name.
        """
        self._messages.setdefault(name, []).append(message)

    def good(self, *names: str) -> bool:
        """Whether none of the fields has been refused so far."""
        return not any(name in self._messages for name in names)

    def done(self) -> None:
        """Raise SettingsError if anything was refused."""
        if self._messages:
            raise SettingsError(self._messages)

    def _value(self, name: str) -> Any:
        return getattr(self._settings, name)


def in_message(value: object) -> str:
    """A value in a message: as it is written, but never long."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write integers of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:79]}…"


def nearest(name: object, known: Collection[str]) -> str:
    """A hint at the known name that is nearest to an unknown one.

    Args:
        name: What was asked for.
        known: The names that exist.

    Returns:
        ` Did you mean 'x'?`, with a leading space; empty where no known name is near.
    """
    near = difflib.get_close_matches(in_message(name).strip("'"), list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
