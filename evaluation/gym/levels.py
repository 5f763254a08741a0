"""Levels: how hard a task is, as ten dials from 0 to 1. One number sets them all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Self

from evaluation.core.errors import SettingsError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Level:
    """Difficulty of a task. A family turns the dials that it has; docs/gym.md says into which settings.

    Raises SettingsError where a dial is no number from 0 to 1.
    """

    length: float = 0.0  # how much is said
    k: float = 0.0  # lines to choose among
    rivals: float = 0.0  # other updates of the tag that is asked about
    notes: float = 0.0  # lines without authority
    spoofed: float = 0.0  # lines whose authority is disguised
    drops: float = 0.0  # how often the line that answers is not shown
    aliases: float = 0.0  # other names, descriptions, values that differ in a character
    prose: float = 0.0  # how often it is told in sentences
    hops: float = 0.0  # links of a chain, the n of the n-th update, updates counted over
    scopes: float = 0.0  # lines about who may change what

    def __post_init__(self) -> None:
        wrong = {
            name: [f"must be a number from 0 to 1, not {value!r}."]
            for name, value in self.as_dict().items()
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1
        }
        if wrong:
            raise SettingsError(wrong)

    @classmethod
    def read(cls, level: float | Mapping[str, float] | Level) -> Level:
        """A level by one number for all dials, or by those that are not 0.

        Args:
            level: A number from 0 to 1, dials by name, or a level.

        Raises:
            SettingsError: A dial is no number from 0 to 1.
            UnknownNameError: There is no such dial.
        """
        if isinstance(level, Level):
            return level
        if not isinstance(level, Mapping):
            return cls(*[level] * len(DIALS))
        for name in level:
            if name not in DIALS:
                raise UnknownNameError("dial", name, DIALS)
        return cls(**level)

    def having(self, **dials: float) -> Self:
        """The level with other dials."""
        return replace(self, **dials)

    def as_dict(self) -> dict[str, float]:
        """The dials by name."""
        return asdict(self)


DIALS = tuple(each.name for each in fields(Level))


def between(low: float, high: float, dial: float) -> int:
    """A whole number that rises evenly with a dial.

    Args:
        low: At 0.
        high: At 1.
        dial: From 0 to 1.
    """
    return round(low + (high - low) * dial)


def growing(low: float, high: float, dial: float) -> int:
    """A whole number that rises by the same factor with each step of a dial.

    Args:
        low: At 0; above 0.
        high: At 1.
        dial: From 0 to 1.
    """
    return round(low * math.pow(high / low, dial))
