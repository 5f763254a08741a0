"""Figures of known systems over a preset: an oracle, rules, guesses and a small model, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

#: `oracle`, `rule` and `floor` are reference systems; `shortcut`, `join` and `parser` are kinds of attackers.
ReachedRole = Literal["oracle", "rule", "floor", "shortcut", "join", "parser", "model"]
#: The part of `KnownSystem.rates` that is all rows the figure counts.
ALL = "all"
#: Between the names of two groups that are crossed: `8k|chain`.
CROSSED = "|"
#: Names of what is no system but, in each part, the best attacker of a role.
BEST: Mapping[ReachedRole, str] = {
    "floor": "best guess",
    "shortcut": "best shortcut",
    "join": "best that joins rows",
    "parser": "best parser",
}
NAMED_TOGETHER = 3  # of systems with the same figures; of more the first are named


class ReachedRate(NamedTuple):
    """A rate over the rows of a part, with its 95% interval; None: over one unit, which has none."""

    value: float
    low: float | None
    high: float | None
    rows: int


@dataclass(frozen=True, slots=True)
class KnownSystem:
    """One system, or the best of several in each part."""

    name: str
    role: ReachedRole
    about: str
    rates: Mapping[str, ReachedRate]  # part -> figure; a part that it was not asked about is missing
    sampled: bool = False  # over some rows of each part


@dataclass(frozen=True, slots=True)
class Grouping:
    """One division of the rows."""

    name: str  # of `Report.groups`
    label: str
    parts: Sequence[str]  # in their order; keys of `KnownSystem.rates`


class Line(NamedTuple):
    """Systems with the same figures, and these."""

    systems: Sequence[KnownSystem]
    cells: Sequence[ReachedRate | None]  # None: not asked

    @property
    def names(self) -> Sequence[str]:
        """All names, or the first ones."""
        every = [each.name for each in self.systems]
        return every if len(every) <= NAMED_TOGETHER else every[: NAMED_TOGETHER - 1]

    @property
    def others(self) -> int:
        """How many are not named."""
        return len(self.systems) - len(self.names)

    @property
    def is_sampled(self) -> bool:
        """Whether its figures are over some rows of each part."""
        return self.systems[0].sampled


class Table(NamedTuple):
    """One table of a preset."""

    is_crossed: bool
    parts: Sequence[str]
    lines: Sequence[Line]

    @property
    def headings(self) -> Sequence[str]:
        """Of the columns behind the first."""
        return [part.replace(CROSSED, " · ") for part in self.parts]


@dataclass(frozen=True, slots=True)
class Reached:
    """The figures of a preset, measured once under its open seeds."""

    preset: str
    settings_sha256: str  # of the settings without seeds, key and whether the gold is public
    rows_sha256: str  # of its first unit, so that a generator that writes other rows is noticed
    metric: str
    units: int
    of_units: int  # that the preset has
    rows: int
    groupings: Sequence[Grouping]
    systems: Sequence[KnownSystem]

    @property
    def tables(self) -> Sequence[Table]:
        """All rows and each group of one grouping; then the groups of two groupings that are crossed, if any are."""
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
