"""Levels: the difficulty of a task, as ten dials from 0 to 1. A single number sets them all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from evaluation.core.errors import SettingsError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Level:
    """Difficulty of a task. A family uses the dials that apply to it; docs/gym.md lists the settings.

    Raises SettingsError if a dial is not a number from 0 to 1.
    """

    length: float = 0.0  # of the text
    k: float = 0.0  # candidate lines
    rivals: float = 0.0  # other updates of the asked tag
    notes: float = 0.0  # lines without authority
    spoofed: float = 0.0  # lines with disguised authority
    drops: float = 0.0  # rate of missing gold lines
    aliases: float = 0.0  # other names, descriptions, values that differ by a character
    prose: float = 0.0  # rate of texts in sentences
    hops: float = 0.0  # links of a chain, the n of the n-th update, updates counted over
    scopes: float = 0.0  # lines that grant or revoke the right to change a tag

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
        """A level from one number for all dials, or from dials by name (all others are 0). Raises SettingsError."""
        if isinstance(level, Level):
            return level
        if not isinstance(level, Mapping):
            return cls(*[level] * len(DIALS))
        for name in level:
            if name not in DIALS:
                raise UnknownNameError("dial", name, DIALS)
        return cls(**level)

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


DIALS = tuple(each.name for each in fields(Level))


def between(low: float, high: float, dial: float) -> int:
    """Interpolate linearly from `low` at dial 0 to `high` at dial 1, and round."""
    return round(low + (high - low) * dial)


def growing(low: float, high: float, dial: float) -> int:
    """Interpolate geometrically from `low` > 0 at dial 0 to `high` at dial 1, and round."""
    return round(low * math.pow(high / low, dial))
