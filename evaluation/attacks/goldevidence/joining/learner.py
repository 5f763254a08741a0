"""An attacker that is taught half of the gold and finds by itself which rows tell of each other.

A conditional logit (D. McFadden, "Conditional logit analysis of qualitative choice behavior", 1974): each line that a
row shows, and to answer nothing, has the odds exp(w·x), and w is fitted to the gold of the units shown. One learner has
the features of single rows, the other those of its relatives as well: the difference is what joining adds.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
#: Weight of the ridge, in rows: it keeps features that decide everything finite.
RIDGE: Final = 1.0
#: Newton steps; the fit is settled after eight.
STEPS: Final = 12
HALVINGS: Final = 10  # of a step that overshoots
BLOCK: Final = 64  # rows that are multiplied at a time
NOTHING: Final = -1  # the option beside the lines


class Relative(NamedTuple):
    """The evidence of a row from the rows of its group."""

    by_id: Tally
    rows: int
    gone: set[str]  # ids of lines that some of them lack
    by_rank: Tally  # of the rows whose words overlap
    overlapping: int


class Options(NamedTuple):
    """The options of all rows, one below the other."""

    features: Matrix  # (options, features)
    starts: NDArray[np.int64]  # (rows,), where those of a row begin
    lines: Sequence[Sequence[int]]  # of each row, the lines that are options, and NOTHING last


def joined_learner(notes: FileNotes, told: Sequence[GradingRecord]) -> Iterator[Prediction]:
    """Answer by what single rows and their relatives tell.

    Args:
        notes: Of the whole file.
        told: Records of the units whose gold is shown.
    """
    return _answers(notes, told, joined=True)


def single_learner(notes: FileNotes, told: Sequence[GradingRecord]) -> Iterator[Prediction]:
    """Answer by what single rows tell.

    Args:
        notes: Of the whole file.
        told: Records of the units whose gold is shown.
    """
    return _answers(notes, told, joined=False)


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


def _gold(rows: Sequence[NotedRow], options: Options, told: Sequence[GradingRecord]) -> Mapping[int, int]:
    """By row, the number of its right option among all, as far as the records tell."""
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
    """The weights under which the right options are likeliest.

    Args:
        features: Of every option, (options, features).
        starts: Where the options of a row begin, (rows,).
        right: By row, the number of its right option; rows that are missing are not learnt from.
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
    """The data that weights are fitted to."""

    known: Matrix  # (options, features) of the rows that are learnt from
    begins: NDArray[np.int64]  # (rows,), where the options of each begin
    sizes: NDArray[np.int64]  # (rows,), how many it has
    goal: NDArray[np.float64]  # (features,), the sum over the right options

    def likelihood(self, weights: NDArray[np.float64]) -> float:
        """The logarithm of the likelihood of the right options, less the ridge."""
        odds = np.einsum("of,f->o", self.known, weights)
        most = np.maximum.reduceat(odds, self.begins)
        total = np.add.reduceat(np.exp(odds - np.repeat(most, self.sizes)), self.begins)
        return float(self.goal @ weights - (most + np.log(total)).sum() - RIDGE / 2 * (weights @ weights))

    def step(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The step of Newton's method."""
        odds = np.einsum("of,f->o", self.known, weights)
        shares = np.exp(odds - np.repeat(np.maximum.reduceat(odds, self.begins), self.sizes))
        shares /= np.repeat(np.add.reduceat(shares, self.begins), self.sizes)
        weighted = self.known * shares[:, None]
        means = np.add.reduceat(weighted, self.begins)
        slope = self.goal - weighted.sum(axis=0) - RIDGE * weights
        curve = _products(self.known, weighted) - _products(means, means) + RIDGE * np.eye(len(weights))
        return np.linalg.solve(curve, slope)


def _products(left: Matrix, right: Matrix) -> Matrix:
    """The sums of products of two tables' columns, in blocks.

    A library of linear algebra multiplies large matrices on all cores, which takes turns with what else runs there and
    adds in no fixed order.
    """
    blocks = -(-len(left) // BLOCK)
    total = np.zeros((left.shape[1], right.shape[1]))
    for block in range(blocks):
        rows = slice(block * BLOCK, (block + 1) * BLOCK)
        total += left[rows].T @ right[rows]
    return total


def _options(notes: FileNotes, *, joined: bool) -> Options:
    """Every option of every row with its features, each of which has a spread of 1."""
    told = _told_by_relatives(notes) if joined else _no_relatives(notes.rows)
    features, starts, lines = list[Vector](), list[int](), list[Sequence[int]]()
    for row, beside in zip(notes.rows, told, strict=True):
        starts.append(len(features))
        shown = [*(range(len(row.lines)) if row.has_candidates else row.mine), NOTHING]
        lines.append(shown)
        features += [(*_of_line(row, line), *beside[line]) for line in shown]
    matrix = np.array(features, dtype=np.float64)
    spread = matrix.std(axis=0)
    return Options(matrix / np.where(spread > 0, spread, 1), np.array(starts), lines)


def _no_relatives(rows: Iterable[NotedRow]) -> Iterator[Mapping[int, Vector]]:
    return (defaultdict(tuple) for _ in rows)


def _of_line(row: NotedRow, line: int) -> Vector:
    """A line by itself: whether it is about the tag and holds a value, and of candidates their places and ids.

    Steps and operations are left out: who reads them parses the lines, and then there is nothing that joining adds.
    """
    if line == NOTHING:
        return (1.0, float(row.has_candidates), *[0.0] * (3 * PLACES + 6))
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
    """A place as one of so many features, the last of which stands for all behind it; none of them for None."""
    vector = [0.0] * size
    if place is not None:
        vector[min(place, size - 1)] = 1.0
    return vector


def _told_by_relatives(notes: FileNotes) -> Iterator[Mapping[int, Vector]]:
    """By row, what its relatives tell of each option."""
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
                _of_rows(relative.by_id, by_id(row, line), relative.rows),
                float(differs.get(number) == line),
                float(entry.uid in relative.gone),
                _least(relative.by_id, by_id(row, line)),
                math.log(relative.rows),
                math.log(relative.overlapping),
            )
        yield told


def _relatives(notes: FileNotes) -> Sequence[Relative]:
    """The evidence from the groups of each row."""
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
    """How often a line stands at each place, as shares."""
    counts = group.counts.get(name)
    if not counts:
        return [0.0] * PLACES
    return [count / sum(counts) for count in counts]


def _of_rows(group: Tally, name: object, rows: int) -> float:
    return sum(group.counts.get(name, ())) / rows


def _least(group: Tally, name: object) -> float:
    """How seldom a line stands where it stands least often."""
    counts = group.counts.get(name)
    return min(counts[: group.width]) / sum(counts) if counts else 0.0
