"""An attacker that learns from half of the right answers how related rows reveal each other's answers.

It is a conditional logit (D. McFadden, "Conditional logit analysis of qualitative choice behavior", 1974). The options
of a row are its lines and the empty answer. Each option has the odds exp(w·x), and w is fitted to the units whose
answers are given. The single learner uses features of single rows; the joined learner also uses features of related
rows. The difference between their scores is the effect of joining.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from evaluation.attacks.goldevidence.joining.notes import FileNotes, NotedRow
from evaluation.attacks.goldevidence.joining.places import PLACES, TIED, Tally, by_id, by_rank, tally
from evaluation.attacks.goldevidence.joining.relatives import differing, missing
from evaluation.attacks.goldevidence.view import nothing
from evaluation.core.records import GradingRecord, Prediction
from evaluation.goldevidence.grading.frozen import from_record
from evaluation.goldevidence.records import EpisodeRecord

Vector = Sequence[float]
Matrix = NDArray[np.float64]
Learner = Callable[[FileNotes, Sequence[GradingRecord]], Iterator[Prediction]]
#: Weight of the ridge penalty, in rows: it keeps weights of separating features finite.
RIDGE: Final = 1.0
#: Newton steps; the fit converges after eight.
STEPS: Final = 12
HALVINGS: Final = 10  # of a step that overshoots
BLOCK: Final = 64  # rows multiplied at a time
NOTHING: Final = -1  # the option to answer null


class Relative(NamedTuple):
    by_id: Tally
    rows: int
    gone: set[str]  # ids of lines that some rows lack
    by_rank: Tally  # over rows with overlapping words
    overlapping: int


class Options(NamedTuple):
    features: Matrix  # (options, features)
    starts: NDArray[np.int64]  # (rows,), first option of each row
    lines: Sequence[Sequence[int]]  # for each row its optional lines, NOTHING last


def _answers(notes: FileNotes, told: Sequence[GradingRecord], *, joined: bool) -> Iterator[Prediction]:
    options = _options(notes, joined=joined)
    weights = fitted(options.features, options.starts, _gold(notes.rows, options, told))
    odds = np.einsum("of,f->o", options.features, weights)
    for number, row in enumerate(notes.rows):
        lines = options.lines[number]
        start = options.starts[number]
        own = odds[start : start + len(lines)]
        tied = [line for line, each in zip(lines, own, strict=True) if each >= own.max() - TIED]
        line = tied[row.lot % len(tied)]
        yield nothing(row.id) if line == NOTHING else row.takes(line)


joined_learner: Learner = partial(_answers, joined=True)
single_learner: Learner = partial(_answers, joined=False)


def _gold(rows: Sequence[NotedRow], options: Options, told: Sequence[GradingRecord]) -> Mapping[int, int]:
    right: dict[int, int] = {}
    numbers = {row.id: number for number, row in enumerate(rows)}
    for record in cast(Sequence[EpisodeRecord], told):
        for case, _ in from_record(record):
            number = numbers[cast(str, case.id)]
            for place, line in enumerate(options.lines[number]):
                uid = [] if line == NOTHING else [rows[number].lines[line].uid]
                if uid == case.gold_ids:
                    right[number] = int(options.starts[number]) + place
    return right


def fitted(features: Matrix, starts: NDArray[np.int64], right: Mapping[int, int]) -> NDArray[np.float64]:
    """The weights that maximize the likelihood of the right options.

    Args:
        features: One row per option, (options, features).
        starts: First option of each row, (rows,).
        right: Row -> index of its right option; rows without an entry are ignored.
    """
    weights = np.zeros(features.shape[1])
    if not right:
        return weights
    rows = np.array(sorted(right))
    ends = np.append(starts[1:], len(features))
    known = features[np.concatenate([np.arange(starts[row], ends[row]) for row in rows])]
    goal = features[[right[row] for row in rows.tolist()]].sum(axis=0)
    sizes = (ends - starts)[rows]
    fit = _Fit(known, np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes, goal)
    likelihood = fit.likelihood(weights)
    for _ in range(STEPS):
        step = fit.step(weights)
        for _ in range(HALVINGS):  # far from the best weights a whole step may overshoot
            if (reached := fit.likelihood(weights + step)) >= likelihood:
                weights, likelihood = weights + step, reached
                break
            step /= 2
    return weights


class _Fit(NamedTuple):
    known: Matrix  # (options, features) of the taught rows
    begins: NDArray[np.int64]  # (rows,), first option of each
    sizes: NDArray[np.int64]  # (rows,), number of options
    goal: NDArray[np.float64]  # (features,), the sum over the right options

    def likelihood(self, weights: NDArray[np.float64]) -> float:
        odds = np.einsum("of,f->o", self.known, weights)
        most = np.maximum.reduceat(odds, self.begins)
        total = np.add.reduceat(np.exp(odds - np.repeat(most, self.sizes)), self.begins)
        return float(self.goal @ weights - (most + np.log(total)).sum() - RIDGE / 2 * (weights @ weights))

    def step(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        odds = np.einsum("of,f->o", self.known, weights)
        shares = np.exp(odds - np.repeat(np.maximum.reduceat(odds, self.begins), self.sizes))
        shares /= np.repeat(np.add.reduceat(shares, self.begins), self.sizes)
        weighted = self.known * shares[:, None]
        means = np.add.reduceat(weighted, self.begins)
        slope = self.goal - weighted.sum(axis=0) - RIDGE * weights
        curve = _products(self.known, weighted) - _products(means, means) + RIDGE * np.eye(len(weights))
        return np.linalg.solve(curve, slope)


def _products(left: Matrix, right: Matrix) -> Matrix:
    # BLAS multiplies large matrices on all cores, which competes with other processes and adds in no fixed order
    blocks = -(-len(left) // BLOCK)
    total = np.zeros((left.shape[1], right.shape[1]))
    for block in range(blocks):
        rows = slice(block * BLOCK, (block + 1) * BLOCK)
        total += left[rows].T @ right[rows]
    return total


def _options(notes: FileNotes, *, joined: bool) -> Options:
    unrelated: Iterator[Mapping[int, Vector]] = (defaultdict(tuple) for _ in notes.rows)
    told = _from_relatives(notes) if joined else unrelated
    features, starts, lines = list[Vector](), list[int](), list[Sequence[int]]()
    for row, beside in zip(notes.rows, told, strict=True):
        starts.append(len(features))
        shown = [*(range(len(row.lines)) if row.has_candidates else row.mine), NOTHING]
        lines.append(shown)
        features += [(*_of_line(row, line), *beside[line]) for line in shown]
    matrix = np.array(features, dtype=np.float64)
    spread = matrix.std(axis=0)
    return Options(matrix / np.where(spread > 0, spread, 1), np.array(starts), lines)


def _of_line(row: NotedRow, line: int) -> Vector:
    if line == NOTHING:
        return (1.0, float(row.has_candidates), *[0.0] * (3 * PLACES + 6))
    # no steps and operations: reading them would parse the lines, and joining could add nothing
    entry, mine = row.lines[line], line in row.mine
    said = sum(other.value == entry.value for other in row.lines)
    told = 0.0, 0.0, float(mine), float(entry.value is None), float(said > 1)
    if not row.has_candidates:
        return (*told, *[0.0] * (3 * PLACES + 3))
    return (
        *told,
        *_one_of(PLACES, line),
        *_one_of(PLACES, len(row.lines) - 1 - line),
        *_one_of(PLACES, line if mine else None),
        sum(other.uid < entry.uid for other in row.lines) / len(row.lines),
        int(entry.uid[1], 16) / 15,
        int(entry.uid[-1], 16) / 15,
    )


def _one_of(size: int, place: int | None) -> Vector:
    vector = [0.0] * size
    if place is not None:
        vector[min(place, size - 1)] = 1.0
    return vector


def _from_relatives(notes: FileNotes) -> Iterator[Mapping[int, Vector]]:
    relatives, differs = _relatives(notes), differing(notes)
    values = Counter(row.lines[line].value for row in notes.rows for line in row.mine)
    uids = Counter(entry.uid for row in notes.rows for entry in row.lines)
    for number, row in enumerate(notes.rows):
        relative = relatives[number]
        gone = bool(relative.gone) and not any(row.lines[line].uid in relative.gone for line in row.mine)
        told: dict[int, Vector] = {NOTHING: (float(gone), *[0.0] * (2 * PLACES + 8))}
        for line, entry in enumerate(row.lines):
            told[line] = (
                0.0,
                *_shares(relative.by_id, by_id(row, line)),
                *_shares(relative.by_rank, by_rank(row, line)),
                math.log(uids[entry.uid]),
                math.log1p(values[entry.value]),
                sum(relative.by_id.counts.get(by_id(row, line), ())) / relative.rows,
                float(differs.get(number) == line),
                float(entry.uid in relative.gone),
                _least(relative.by_id, by_id(row, line)),
                math.log(relative.rows),
                math.log(relative.overlapping),
            )
        yield told


def _relatives(notes: FileNotes) -> Sequence[Relative]:
    told: dict[int, tuple[Tally, int, set[str]]] = {}
    for members in notes.by_ids:
        rows = [notes.rows[number] for number in members]
        found = tally([row for row in rows if row.has_candidates], by_id), len(rows), missing(rows)
        told.update(dict.fromkeys(members, found))
    ranked: dict[int, tuple[Tally, int]] = {}
    for members in notes.by_overlap:
        rows = [notes.rows[number] for number in members]
        ranks = tally([row for row in rows if row.has_candidates], by_rank), len(rows)
        ranked.update(dict.fromkeys(members, ranks))
    return [Relative(*told[number], *ranked[number]) for number in range(len(notes.rows))]


def _shares(group: Tally, name: object) -> Vector:
    counts = group.counts.get(name)
    if not counts:
        return [0.0] * PLACES
    return [count / sum(counts) for count in counts]


def _least(group: Tally, name: object) -> float:
    counts = group.counts.get(name)
    return min(counts[: group.width]) / sum(counts) if counts else 0.0
