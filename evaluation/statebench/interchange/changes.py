"""What a timeline loses on its way into a release, what is filled in, and the three ways in which a value gets in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from evaluation.core.errors import RowError

#: What both `datetime.fromisoformat` and pydantic read, and read alike.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?")


@dataclass(slots=True)
class Changes:
    """How often what was lost (dropped, or told in another word) and how often what was filled in."""

    lost: Counter[str] = field(default_factory=Counter)
    filled: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        """A line for each, the most frequent first."""
        for word, counts in (("lost", self.lost), ("filled", self.filled)):
            yield from (f"{word}: {what} ({count})" for what, count in counts.most_common())

    def only(self, data: Mapping[str, object], names: Collection[str], of: str) -> dict[str, Any]:
        """The fields that a release has. Others are counted as lost where they say anything.

        Args:
            data: Any JSON object.
            names: The names of the fields to keep.
            of: What the object is, for the reader.
        """
        said = (name for name, value in data.items() if name not in names and value not in (None, "", [], {}))
        self.lost.update(f"{name} of {of}" for name in said)
        return {name: data[name] for name in names if name in data}

    def word(self, value: Any, known: Collection[str], of: str, otherwise: Callable[[str], str] | str) -> str:
        """A word of a closed list: the value itself, or else what stands for it.

        Args:
            value: Anything.
            known: The list.
            of: What the value is, for the reader.
            otherwise: The word, or the function that finds it, where the value is not of the list.
        """
        if isinstance(value, str) and value in known:
            return value
        instead = otherwise if isinstance(otherwise, str) else otherwise(str(value))
        if value not in (None, ""):
            self.lost[f"{of} {value!r}, told as {instead!r}"] += 1
        return instead

    def text(self, value: Any, of: str, otherwise: str = "") -> str:
        """A text. Another type is written out; nothing at all is filled in.

        Args:
            value: Anything.
            of: What the value is, for the reader.
            otherwise: The text where there is no value.
        """
        if isinstance(value, str):
            return value
        if value is None:
            self.filled[of] += 1
            return otherwise
        self.lost[f"the type of {of} ({type(value).__name__}), told as text"] += 1
        return str(value)


def moment(value: Any, of: str) -> str:
    """A time as both releases read it.

    Args:
        value: Of a `ts`.
        of: Whose it is, for the reader.

    Raises:
        RowError: It is no time in ISO format.
    """
    try:
        read = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise RowError(f"ts of {of} is no time in ISO format: {value!r}") from None
    return value if _MOMENT.fullmatch(value) else read.isoformat()
