"""Converts values for a release, and counts the values that were lost or filled in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from evaluation.core.errors import RowError

#: Times that `datetime.fromisoformat` and pydantic parse alike.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?")


@dataclass(slots=True)
class Changes:
    """Counts of lost values (dropped or replaced) and of values that were filled in."""

    lost: Counter[str] = field(default_factory=Counter)
    filled: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        for word, counts in (("lost", self.lost), ("filled", self.filled)):
            yield from (f"{word}: {what} ({count})" for what, count in counts.most_common())

    def only(self, data: Mapping[str, object], names: Collection[str], of: str) -> dict[str, Any]:
        """Return the fields `names`, and count other filled fields as lost. `of`: owner of the fields ("the user")."""
        said = (name for name, value in data.items() if name not in names and value not in (None, "", [], {}))
        self.lost.update(f"{name} of {of}" for name in said)
        return {name: data[name] for name in names if name in data}

    def word(self, value: Any, known: Collection[str], of: str, otherwise: Callable[[str], str] | str) -> str:
        """Return the value if `known` has it, else `otherwise`. Count replacements as lost under the name `of`."""
        if isinstance(value, str) and value in known:
            return value
        instead = otherwise if isinstance(otherwise, str) else otherwise(str(value))
        if value not in (None, ""):
            self.lost[f"{of} {value!r}, replaced by {instead!r}"] += 1
        return instead

    def text(self, value: Any, of: str, otherwise: str = "") -> str:
        """Return the value as text. A value of another type counts as lost, and a missing value becomes `otherwise`."""
        if isinstance(value, str):
            return value
        if value is None:
            self.filled[of] += 1
            return otherwise
        self.lost[f"the type of {of} ({type(value).__name__}), printed as text"] += 1
        return str(value)


def moment(value: Any, of: str) -> str:
    """Format an ISO time so that both releases parse it alike. `of` names the object in the message of RowError."""
    try:
        read = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise RowError(f"ts of {of} must be an ISO time, like 2026-11-28T09:30:00, not {value!r}") from None
    return value if _MOMENT.fullmatch(value) else read.isoformat()
