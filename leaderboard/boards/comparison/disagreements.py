"""The rows on which submissions differ: a matrix of right and wrong, by pattern and condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Page, Paginator
from django.urls import reverse
from numpy.typing import NDArray

from leaderboard.boards.comparison.comparison import Comparison
from leaderboard.submissions.score_tables import label

PAGE_SIZE = 50
#: One letter a contender in a pattern: right, wrong, not answered.
SIGNS = "rw-"


@dataclass(frozen=True, slots=True)
class Mark:
    """A cell of the matrix. `state` is right, wrong or none; what is right may have a `failure` that costs no point."""

    state: str
    failure: str
    url: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the benchmark over all contenders."""

    id: str
    condition: str
    marks: list[Mark]


class Matrix:
    """The rows that not all contenders got right or all got wrong, under filters.

    Without a condition these are rows that the headline counts, as the counts above them are.
    """

    def __init__(self, comparison: Comparison, *, pattern: str = "", condition: str = "") -> None:
        self.comparison = comparison
        self.pattern, self.condition = pattern, condition
        self._sheet = comparison.sheet
        self._told = self._tellable_names()
        self._codes = _pattern_codes(self._sheet.correct)
        self._differ = _differ(self._sheet.correct)

    @property
    def patterns(self) -> list[tuple[str, int]]:
        """(pattern, rows), the most frequent first: `rw` is right by A, wrong by B."""
        codes, counts = np.unique(self._codes[self._differ & self._in_condition()], return_counts=True)
        width = len(self.comparison.contenders)
        found = [(_pattern(int(code), width), int(count)) for code, count in zip(codes, counts, strict=True)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    @property
    def total(self) -> int:
        """How many rows differ in the chosen condition, else among those of the headline."""
        return int(np.count_nonzero(self._differ & self._in_condition()))

    @property
    def condition_names(self) -> list[str]:
        names = list(dict.fromkeys(self._told))
        return names if len(names) > 1 else []

    def page(self, number: Any) -> Page[Row]:
        """One page of rows, in the version's order."""
        found: Page[Any] = Paginator(self._chosen(), PAGE_SIZE).get_page(number)
        found.object_list = [self._row(int(at)) for at in found.object_list]
        return found

    def every(self) -> Iterator[Row]:
        """All rows under the filters."""
        return (self._row(int(at)) for at in self._chosen())

    def _chosen(self) -> NDArray[Any]:
        wanted = self._differ & self._in_condition()
        if self.pattern:
            wanted &= self._codes == _code(self.pattern)
        return np.flatnonzero(wanted)

    def _in_condition(self) -> NDArray[np.bool_]:
        if self.condition:
            return self._named(self.condition)
        rows = self.comparison.headline_rows
        if not self.comparison.version.disclosure.hides_conditions:
            return rows
        names = {self._told[code] for code in np.unique(self._sheet.conditions[rows])}
        return np.any([self._named(name) for name in names], axis=0) if names else rows

    def _named(self, told: str) -> NDArray[np.bool_]:
        """[rows] whether a row belongs to what may be told of its condition."""
        found: NDArray[np.bool_] = np.array([name == told for name in self._told], dtype=np.bool_)
        return found[self._sheet.conditions]

    def _tellable_names(self) -> list[str]:
        """[conditions] what may be told of each: its name; on a sealed version what its rows show."""
        version, names = self.comparison.version, self._sheet.condition_names
        return [version.suite.form_of(n) for n in names] if version.disclosure.hides_conditions else names

    def _row(self, at: int) -> Row:
        sheet, name = self._sheet, self._sheet.ids[at]
        marks = []
        for system, contender in enumerate(self.comparison.contenders):
            value = sheet.correct[system, at]
            state = "none" if np.isnan(value) else "right" if value else "wrong"
            failure = sheet.failure_codes[sheet.failures[system, at]] if state != "none" else ""
            path = reverse("leaderboard:submission_rows", args=[contender.submission.pk])
            marks.append(
                Mark(
                    state,
                    label(failure) if failure else "",
                    f"{path}?{urlencode({'failure': '', 'q': name})}",
                )
            )
        return Row(name, self._told[sheet.conditions[at]], marks)


def _differ(correct: NDArray[np.float32]) -> NDArray[np.bool_]:
    """[rows] whether one contender is right where another one is wrong."""
    found: NDArray[np.bool_] = np.any(correct == 1, axis=0) & np.any(correct == 0, axis=0)
    return found


def _pattern_codes(correct: NDArray[np.float32]) -> NDArray[np.int64]:
    """[rows] the pattern of each row as a number in base 3, the first contender its highest digit."""
    digits = np.where(np.isnan(correct), 2, np.where(correct == 1, 0, 1))
    weights = 3 ** np.arange(len(correct))[::-1]
    codes: NDArray[np.int64] = weights @ digits
    return codes


def _pattern(code: int, width: int) -> str:
    return "".join(SIGNS[code // 3**place % 3] for place in reversed(range(width)))


def _code(pattern: str) -> int:
    """The number of a pattern; -1, which no row has, for a text that is none."""
    if any(sign not in SIGNS for sign in pattern):
        return -1
    return sum(SIGNS.index(sign) * 3**place for place, sign in enumerate(reversed(pattern)))
