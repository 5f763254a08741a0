"""Stored results of known systems on a preset, by part: an oracle, rules, guesses and a small model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

#: `oracle`, `rule` and `floor` are reference systems; `shortcut`, `join` and `parser` are kinds of attackers.
ReachedRole = Literal["oracle", "rule", "floor", "shortcut", "join", "parser", "model"]
#: Key of `KnownSystem.rates` for all rows.
ALL = "all"
#: Separator of two crossed groups: `8k|chain`.
CROSSED = "|"
#: Names of lines that show the best attacker of a role in each part instead of one system.
BEST: Mapping[ReachedRole, str] = {
    "floor": "best guess",
    "shortcut": "best shortcut",
    "join": "best that joins rows",
    "parser": "best parser",
}
NAMED_TOGETHER = 3  # most systems named in one line


class ReachedRate(NamedTuple):
    """A rate with its 95% interval. `low` and `high` are None if the rate covers a single unit."""

    value: float
    low: float | None
    high: float | None
    rows: int


@dataclass(frozen=True, slots=True)
class KnownSystem:
    """Results of one system, or of the best of several systems in each part (`BEST`)."""

    name: str
    role: ReachedRole
    about: str
    rates: Mapping[str, ReachedRate]  # by part; missing if it was not asked
    sampled: bool = False  # only a sample of each part was asked


@dataclass(frozen=True, slots=True)
class Grouping:
    name: str  # of `Report.groups`
    label: str
    parts: Sequence[str]  # ordered keys of `KnownSystem.rates`


class Line(NamedTuple):
    systems: Sequence[KnownSystem]
    cells: Sequence[ReachedRate | None]  # None: not asked

    @property
    def names(self) -> Sequence[str]:
        """The names to print: all if there are at most `NAMED_TOGETHER`, else the first `NAMED_TOGETHER` - 1."""
        every = [each.name for each in self.systems]
        return every if len(every) <= NAMED_TOGETHER else every[: NAMED_TOGETHER - 1]

    @property
    def others(self) -> int:
        """Number of systems that `names` leaves out."""
        return len(self.systems) - len(self.names)

    @property
    def is_sampled(self) -> bool:
        """True if the figures are from a sample of each part."""
        return self.systems[0].sampled


class Table(NamedTuple):
    is_crossed: bool
    parts: Sequence[str]
    lines: Sequence[Line]

    @property
    def headings(self) -> Sequence[str]:
        """Headings of the columns after the first."""
        return [part.replace(CROSSED, " · ") for part in self.parts]


@dataclass(frozen=True, slots=True)
class Reached:
    """Results of known systems on a preset, measured once with its public seeds."""

    preset: str
    settings_sha256: str  # of the settings without seeds, key and gold visibility
    rows_sha256: str  # of the first unit, to notice a changed generator
    metric: str
    units: int
    of_units: int  # units of the preset
    rows: int
    groupings: Sequence[Grouping]
    systems: Sequence[KnownSystem]

    @property
    def tables(self) -> Sequence[Table]:
        """One table for all rows and groups by one property. A second one if there are groups by several properties."""
        crossed = [part for each in self.groupings for part in each.parts if CROSSED in part]
        single = [part for each in self.groupings for part in each.parts if CROSSED not in part]
        tables = [Table(False, [ALL, *single], list(self._lines([ALL, *single])))]
        return [*tables, Table(True, crossed, list(self._lines(crossed)))] if crossed else tables

    def _lines(self, parts: Sequence[str]) -> Iterator[Line]:
        together: dict[tuple[object, ...], list[KnownSystem]] = {}
        for each in self.systems:
            values = [rate.value if (rate := each.rates.get(part)) else None for part in parts]
            if any(value is not None for value in values):
                together.setdefault((each.name in BEST.values(), *values), []).append(each)
        for systems in together.values():
            yield Line(systems, [systems[0].rates.get(part) for part in parts])
