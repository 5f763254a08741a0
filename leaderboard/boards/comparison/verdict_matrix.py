"""The verdicts of several submissions side by side, as arrays: what comparisons are computed from.

One row of a sheet is one row of the version. Where a submission says nothing about it (its condition was
left out, the figure does not apply) the value is NaN: a comparison only uses rows that both sides have.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.benchmarks import expected_ids, storage
from leaderboard.submissions.models import Submission
from leaderboard.web.results_cache import cache

CORRECT = "correct"
FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class VerdictMatrix:
    """`values[field]` is [systems, rows]; `failures` [systems, rows] indexes `failure_codes`, 0 is none.

    `aside` [rows] is True where the suite leaves a row out of its headline, whoever answers it.
    """

    ids: list[str]
    units: NDArray[np.int32]
    conditions: NDArray[np.int32]
    condition_names: list[str]
    values: dict[str, NDArray[np.float32]]
    failures: NDArray[np.int16]
    failure_codes: list[str]
    aside: Mask

    @property
    def correct(self) -> NDArray[np.float32]:
        """[systems, rows]: 1 right, 0 wrong, NaN not answered."""
        return self.values[CORRECT]

    def in_condition(self, name: str) -> Mask:
        """[rows] whether a row belongs to this condition."""
        known = self.condition_names.index(name) if name in self.condition_names else -1
        found: Mask = self.conditions == known
        return found

    def where(self, asked: tuple[str, bool] | None, system: int) -> Mask:
        """[rows] whether a system's verdict says this (see `Column.where`); all rows where nothing is asked."""
        if asked is None:
            return np.ones(len(self.ids), dtype=np.bool_)
        field, wanted = asked
        found: Mask = self.values[field][system] == wanted
        return found

    def by_unit(self, field: str, system: int, rows: Mask) -> FloatArray:
        """[units, 2]: sum and number of a field over these rows, as `evaluation.core.statistics` takes them."""
        values, units = self.values[field][system][rows], self.units[rows]
        size = int(self.units.max(initial=-1)) + 1
        known = ~np.isnan(values)
        sums = np.bincount(units[known], values[known], size)
        return np.stack([sums, np.bincount(units[known], minlength=size)], axis=1)


def load(submissions: Sequence[Submission], fields: Sequence[str]) -> VerdictMatrix:
    """The sheet of graded submissions of one version, kept for a day. Raises storage.DamagedFileError."""
    scores = [submission.score for submission in submissions if submission.score]
    facts = [score.verdicts_sha256 for score in scores], [s.conditions for s in submissions], sorted(fields)
    key = f"sheet:{hashlib.sha256(repr(facts).encode()).hexdigest()[:32]}"
    found: VerdictMatrix | None = cache.get(key)
    if found is None:
        conditions = expected_ids.expected_rows(submissions[0].version).conditions
        builder = _Builder([CORRECT, *(field for field in fields if field != CORRECT)], conditions)
        for submission, score in zip(submissions, scores, strict=True):
            builder.add(score.verdicts_sha256, covered=submission.conditions)
        found = builder.build()
        cache.set(key, found, 24 * 3600)
    return found


class _Column:
    """One submission's verdicts, packed as they come."""

    def __init__(self, fields: Sequence[str]) -> None:
        self.rows = array("l")
        self.failures = array("h")
        self.values = {field: array("f") for field in fields}


class _Builder:
    """Reads verdict files one after another and lines their rows up by id."""

    def __init__(self, fields: Sequence[str], conditions: Mapping[str, str]) -> None:
        self._fields, self._condition_by_row = fields, conditions
        self._rows: dict[str, int] = {}
        self._units: dict[str, int] = {}
        self._conditions: dict[str, int] = {}
        self._failures: dict[str, int] = {"": 0}
        self._unit_of, self._condition_of, self._aside = array("l"), array("l"), array("b")
        self._columns: list[_Column] = []

    def add(self, verdicts_sha256: str, *, covered: Sequence[str]) -> None:
        """Read one submission's verdicts; rows of conditions that its file leaves out are no answers."""
        column = _Column(self._fields)
        self._columns.append(column)
        for verdict in storage.rows(verdicts_sha256):
            condition = self._condition_by_row.get(str(verdict["id"]), "")
            if condition not in covered:
                continue
            column.rows.append(self._row(verdict, condition))
            column.failures.append(_code(self._failures, verdict.get("failure") or ""))
            for field, values in column.values.items():
                values.append(_number(verdict.get(field)))

    def _row(self, verdict: Mapping[str, Any], condition: str) -> int:
        name = str(verdict["id"])
        if name not in self._rows:
            self._rows[name] = len(self._rows)
            self._unit_of.append(_code(self._units, str(verdict["unit"])))
            self._condition_of.append(_code(self._conditions, condition))
            self._aside.append(verdict.get("in_headline") is False)
        return self._rows[name]

    def build(self) -> VerdictMatrix:
        shape = (len(self._columns), len(self._rows))
        values = {field: np.full(shape, np.nan, dtype=np.float32) for field in self._fields}
        failures = np.zeros(shape, dtype=np.int16)
        for system, column in enumerate(self._columns):
            places = np.array(column.rows, dtype=np.int64)
            failures[system, places] = column.failures
            for field, found in column.values.items():
                values[field][system, places] = found
        names = [name for name in dict.fromkeys(self._condition_by_row.values()) if name in self._conditions]
        renumbered = np.empty(
            len(names), dtype=np.int32
        )  # rows come in any order, conditions in the version's
        renumbered[[self._conditions[name] for name in names]] = range(len(names))
        return VerdictMatrix(
            ids=list(self._rows),
            units=np.array(self._unit_of, dtype=np.int32),
            conditions=renumbered[np.array(self._condition_of, dtype=np.int32)],
            condition_names=names,
            values=values,
            failures=failures,
            failure_codes=list(self._failures),
            aside=np.array(self._aside, dtype=np.bool_),
        )


def _code(codes: dict[str, int], label: str) -> int:
    return codes.setdefault(label, len(codes))


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (bool, int, float)) else float("nan")
