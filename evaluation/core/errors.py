"""Errors that a user can act on. Their texts are shown unchanged: what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BenchmarkError(Exception):
    """Base of all errors that this engine raises on purpose."""


class RowError(BenchmarkError):
    """A row of a JSONL file is unusable. `str()` reads `file:line:column: reason`."""

    def __init__(self, reason: str, *, path: str = "", line: int = 0, column: int = 0) -> None:
        self.reason, self.path, self.line, self.column = reason, path, line, column
        where = ":".join(str(part) for part in (path, line, column) if part)
        super().__init__(f"{where}: {reason}" if where else reason)


#: Raised by code that reads a row of an unexpected format.
FORM_FAULTS = (KeyError, TypeError, ValueError, AttributeError, IndexError)


def in_row(fault: Exception, number: int) -> RowError:
    """Convert an error in row `number` (from 1) to a RowError with that line number."""
    if isinstance(fault, RowError):
        return RowError(fault.reason, path=fault.path, line=number, column=fault.column)
    return RowError(f"the row is not in the suite's format ({fault!r})", line=number)


class SettingsError(BenchmarkError):
    """Settings are invalid. `fields` maps the name of a setting to its messages."""

    def __init__(self, fields: dict[str, list[str]]) -> None:
        self.fields = fields
        super().__init__("; ".join(f"{name}: {' '.join(text)}" for name, text in fields.items()))


class UnknownNameError(BenchmarkError):
    """A name is not in a registry. The message has the nearest match and lists the known names."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        super().__init__(f"unknown {kind} {name!r}.{hint} Known: {', '.join(names) or 'none'}.")


class PluginError(BenchmarkError):
    """A plugin of an installed distribution is unusable. The message names the distribution."""


class AdapterError(BenchmarkError):
    """A system under test broke its contract, failed, or could not be loaded."""


class MissingExtraError(BenchmarkError):
    """A feature needs an optional dependency (a pip extra) that is not installed."""

    def __init__(self, what: str, extra: str, lacking: Iterable[str]) -> None:
        names = " and ".join(lacking)
        super().__init__(f"{what} need {names}: pip install 'goldevidencebench[{extra}]'")
