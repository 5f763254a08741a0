"""The rows on which submissions differ, as a matrix of right and wrong answers. It can be filtered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Page, Paginator
from django.urls import reverse
from numpy.typing import NDArray

from evaluation import frames
from leaderboard.boards.comparison.comparison import Comparison
from leaderboard.boards.comparison.verdict_matrix import MOST
from leaderboard.submissions.scores.score_tables import label

if TYPE_CHECKING:
    from pandas import DataFrame

PAGE_SIZE = 50  # rows, as on a board
#: Letter of a pattern -> state of the contender's answer.
STATES = {"r": "right", "w": "wrong", "-": "none"}


@dataclass(frozen=True, slots=True)
class Mark:
    """An answer in the matrix. `state` is right, wrong or none. `failure` may name a fault even of a right answer."""

    state: str
    failure: str
    url: str


@dataclass(frozen=True, slots=True)
class Row:
    id: str
    split: str
    marks: list[Mark]


class Matrix:
    """The rows that some contenders answer right and others wrong, filtered by pattern and split.

    Without a split, only rows that count toward the headline are listed.
    """

    def __init__(self, comparison: Comparison, *, pattern: str = "", split: str = "") -> None:
        self.comparison = comparison
        self.pattern, self.split = pattern, split
        self._verdicts = comparison.verdict_matrix
        self._redacted = self._redacted_names()
        self._signs = _signs(self._verdicts.correct)
        self._patterns = reduce(np.strings.add, self._signs)
        self._differ = np.any(self._signs == "r", axis=0) & np.any(self._signs == "w", axis=0)
        if not comparison.shows_rows:
            # on a sealed version, rows that differ would reveal answers
            self._differ[:] = False

    @property
    def patterns(self) -> list[tuple[str, int]]:
        """List (pattern, number of rows), the most frequent first. In the pattern `rw`, A is right and B is wrong."""
        differing = self._patterns[self._differ & self._in_split()]
        patterns, counts = np.unique(differing, return_counts=True)
        pairs = zip(patterns.tolist(), counts.tolist(), strict=True)
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))

    @property
    def total(self) -> int:
        """Number of rows on which contenders differ, in the chosen split and over all patterns."""
        return int(np.count_nonzero(self._differ & self._in_split()))

    @property
    def split_names(self) -> list[str]:
        names = list(dict.fromkeys(self._redacted))
        return names if len(names) > 1 else []

    def page(self, number: Any) -> Page[Row]:
        page: Page[Any] = Paginator(self._chosen(), PAGE_SIZE).get_page(number)
        page.object_list = self._rows(np.asarray(page.object_list))
        return page

    def frame(self) -> DataFrame:
        """All rows under the filters: `id`, `split`, and for each contender `state_<letter>` and `failure_<letter>`."""
        rows, letters = self._chosen(), [each.letter for each in self.comparison.contenders]
        columns = {
            "id": [self._verdicts.ids[at] for at in rows],
            "split": [self._redacted[split] for split in self._verdicts.splits[rows]],
            **{f"state_{letter}": self._states(system, rows) for system, letter in enumerate(letters)},
            **{f"failure_{letter}": self._failures(system, rows) for system, letter in enumerate(letters)},
        }
        return frames.tidy(zip(*columns.values(), strict=True), list(columns))

    def _states(self, system: int, rows: NDArray[Any]) -> list[str]:
        return [STATES[sign] for sign in self._signs[system, rows]]

    def _failures(self, system: int, rows: NDArray[Any]) -> list[str]:
        labels = [label(code) if code else "" for code in self._verdicts.failure_codes]
        failures = np.where(self._signs[system, rows] == "-", 0, self._verdicts.failures[system, rows])
        return [labels[failure] for failure in failures]

    def _chosen(self) -> NDArray[Any]:
        chosen = self._differ & self._in_split()
        if self.pattern:
            chosen &= self._patterns == self.pattern
        return np.flatnonzero(chosen)

    def _in_split(self) -> NDArray[np.bool_]:
        if self.split:
            return self._named(self.split)
        rows = self.comparison.headline_rows
        if not self.comparison.version.disclosure.hides_splits:
            return rows
        names = {self._redacted[code] for code in np.unique(self._verdicts.splits[rows])}
        return np.any([self._named(name) for name in names], axis=0) if names else rows

    def _named(self, redacted: str) -> NDArray[np.bool_]:
        matches: NDArray[np.bool_] = np.array([name == redacted for name in self._redacted], dtype=np.bool_)
        return matches[self._verdicts.splits]

    def _redacted_names(self) -> list[str]:
        """[splits]: public name of each split. If splits are secret, this is the kind of text in their rows."""
        version, names = self.comparison.version, self._verdicts.split_names
        return [version.suite.form_of(n) for n in names] if version.disclosure.hides_splits else names

    def _rows(self, rows: NDArray[Any]) -> list[Row]:
        ids = [self._verdicts.ids[at] for at in rows]
        marks = [self._marks(system, ids, rows) for system in range(len(self.comparison.contenders))]
        splits = [self._redacted[split] for split in self._verdicts.splits[rows]]
        return [Row(*row) for row in zip(ids, splits, map(list, zip(*marks, strict=True)), strict=True)]

    def _marks(self, system: int, ids: list[str], rows: NDArray[Any]) -> list[Mark]:
        submission = self.comparison.contenders[system].submission
        path = reverse("leaderboard:submission_rows", args=[submission.pk])
        urls = [f"{path}?{urlencode({'failure': '', 'q': name})}" for name in ids]
        cells = zip(self._states(system, rows), self._failures(system, rows), urls, strict=True)
        return [Mark(*cell) for cell in cells]


def _signs(correct: NDArray[np.float32]) -> NDArray[np.str_]:
    """[systems, rows]: right, wrong or missing, as a key of `STATES`. For a mean, the majority of repeats decides."""
    signs: NDArray[np.str_] = np.where(np.isnan(correct), "-", np.where(correct > MOST, "r", "w"))
    return signs
