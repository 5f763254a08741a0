"""Loads the verdicts of several submissions as arrays. NaN is a missing verdict."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leaderboard.benchmarks import expected_ids
from leaderboard.submissions.models import Submission
from leaderboard.submissions.verdicts import files as verdict_files
from leaderboard.web.results_cache import cache

if TYPE_CHECKING:
    from pandas import DataFrame

CORRECT = "correct"
#: A row of a mean counts as right if more than this share of its repeats are.
MOST = 0.5
FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class VerdictMatrix:
    """Verdicts of several submissions, as arrays by system and row.

    `values[field]` is [systems, rows]. `failures` [systems, rows] has indices into `failure_codes`; index 0 is no
    failure. `aside` [rows] is True for rows that the suite leaves out of its headline for all systems.
    """

    ids: list[str]
    units: NDArray[np.int32]
    splits: NDArray[np.int32]
    split_names: list[str]
    values: dict[str, NDArray[np.float32]]
    failures: NDArray[np.int16]
    failure_codes: list[str]
    aside: Mask

    @property
    def correct(self) -> NDArray[np.float32]:
        """[systems, rows]: 1 right, 0 wrong, NaN not answered; for a mean, the share of correct repeats."""
        return self.values[CORRECT]

    def in_split(self, name: str) -> Mask:
        """[rows]: True for the rows of this split."""
        known = self.split_names.index(name) if name in self.split_names else -1
        mask: Mask = self.splits == known
        return mask

    def by_unit(self, field: str, system: int, rows: Mask) -> FloatArray:
        """[units, 2]: sum of a field and number of rows in each unit, over those of `rows` [rows] that have a value."""
        values, units = self.values[field][system][rows], self.units[rows]
        size = int(self.units.max(initial=-1)) + 1
        known = ~np.isnan(values)
        sums = np.bincount(units[known], values[known], size)
        return np.stack([sums, np.bincount(units[known], minlength=size)], axis=1)


def load(submissions: Sequence[Submission], fields: Sequence[str]) -> VerdictMatrix:
    """The matrix of submissions of one version, cached for a day. Leaves out submissions that are not graded.

    `correct` is always among the fields. Raises storage.DamagedFileError if verdicts are missing or changed.
    """
    files = [verdict_hashes(submission) for submission in submissions if submission.score]
    facts = files, [s.conditions for s in submissions], sorted(fields)
    key = f"verdict-matrix:{hashlib.sha256(repr(facts).encode()).hexdigest()[:32]}"
    every = [CORRECT, *(field for field in fields if field != CORRECT)]
    matrix: VerdictMatrix = cache.get_or_set(key, lambda: _side_by_side(submissions, every), 24 * 3600)
    return matrix


def _side_by_side(submissions: Sequence[Submission], fields: Sequence[str]) -> VerdictMatrix:
    """Join the verdicts of graded submissions by row id. Rows are in the order of their first appearance."""
    import pandas as pd  # takes half a second: imported only for a comparison

    splits = expected_ids.expected_rows(submissions[0].version).splits
    frames = [_answered(each, splits, fields) for each in submissions if each.score]
    every = pd.concat(frames, ignore_index=True)
    codes, failure_codes = pd.factorize(every["failure"])
    rows = every.drop_duplicates("id")
    at = (
        np.repeat(np.arange(len(frames)), [len(frame) for frame in frames]),
        pd.Index(rows["id"]).get_indexer(every["id"]),
    )
    values = {field: np.full((len(frames), len(rows)), np.nan, dtype=np.float32) for field in fields}
    for field in fields:
        values[field][at] = every[field]
    failures = np.zeros((len(frames), len(rows)), dtype=np.int16)
    failures[at] = codes + 1  # 0: none
    present = set(rows["split"])
    names = [name for name in dict.fromkeys(splits.values()) if name in present]
    return VerdictMatrix(
        ids=rows["id"].tolist(),
        units=pd.factorize(rows["unit"])[0].astype(np.int32),
        splits=pd.Index(names).get_indexer(rows["split"]).astype(np.int32),
        split_names=names,
        values=values,
        failures=failures,
        failure_codes=["", *failure_codes],
        aside=~rows["in_headline"].to_numpy(dtype=np.bool_),
    )


def _answered(submission: Submission, splits: Mapping[str, str], fields: Sequence[str]) -> DataFrame:
    """Table of a submission's verdicts in the splits that its file covers. For a mean, the average over its repeats."""
    frames = [_frame(sha256, splits, fields) for sha256 in verdict_hashes(submission)]
    frame, others = frames[0], frames[1:]
    if others:
        numbers = list(dict.fromkeys([CORRECT, *fields]))
        indexed = [each.set_index("id")[numbers].reindex(frame["id"]) for each in frames]
        frame[numbers] = np.mean([each.to_numpy(dtype=np.float64) for each in indexed], axis=0)
    return frame[frame["split"].isin(submission.conditions)]


def verdict_hashes(submission: Submission) -> list[str]:
    """Hashes of the score's files of verdicts: a mean of repeats has one per repeat. The score must be loaded."""
    if submission.is_mean:
        members = submission.members.order_by("repeat")
        return list(members.values_list("score__verdicts_sha256", flat=True))
    assert submission.score is not None
    return [submission.score.verdicts_sha256]


def _frame(sha256: str, splits: Mapping[str, str], fields: Sequence[str]) -> DataFrame:
    from pandas import DataFrame

    file = verdict_files.opened(sha256)
    columns = file.columns(["id", "unit", "failure", "in_headline", CORRECT])
    if more := [field for field in fields if field != CORRECT]:
        complete = list(file)
        columns |= {field: [verdict.get(field) for verdict in complete] for field in more}
    columns |= {field: [_number(value) for value in columns[field]] for field in fields}
    return DataFrame(columns | {"split": [splits.get(name, "") for name in columns["id"]]})


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (bool, int, float)) else float("nan")
