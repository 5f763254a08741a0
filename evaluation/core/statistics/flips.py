"""The largest pairwise statistics under sign flips, computed exactly without visiting every pair under every flip.

3,000 figures and 1,000 flips make 4.5 billion statistics. A test needs only the few largest statistics. A pair can have
one of these only under a flip that moves a figure of the pair far from the mean of all figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Narrow = NDArray[np.float32]

#: Size of the first block of rivals; each next block is `GROWTH` times as large, up to `MOST`.
FIRST, GROWTH, MOST = 32, 4, 512
#: Flips whose bounds are computed together.
AT_ONCE = 64
#: Number of rivals tried first: if any rival is far enough ahead, mostly one of these is.
ENOUGH = 128
#: Factor that widens bounds by far more than single precision rounds.
MARGIN = 0.999


class FlippedPairs(NamedTuple):
    """Figures of systems under sign flips of units. The statistic of a pair of figures: difference times factor."""

    flipped: Narrow  # [flips, figures]
    factors: Narrow  # [figures, figures], symmetric; 0 for pairs that are not compared
    middle: Narrow  # [flips] the mean of all figures
    far: Narrow  # [figures, flips] distance from the middle
    farthest: Narrow  # [figures] largest distance under any flip

    @classmethod
    def from_flips(cls, flipped: Narrow, factors: Narrow) -> FlippedPairs:
        """Compute the distances of figures from their mean under each flip, which the searches use.

        Args:
            flipped: [flips, figures].
            factors: [figures, figures].
        """
        middle = flipped.mean(axis=1, dtype=np.float64).astype(np.float32)
        far = np.ascontiguousarray(np.abs(flipped.T - middle))
        return cls(flipped, factors, middle, far, far.max(axis=1))

    def largest(self, count: int) -> float:
        """Take the largest statistic of any pair under each sign flip, and return the `count`-th largest (from 1).

        The result is exactly that of a search through all pairs, but pairs that cannot change it are skipped.
        """
        largest = np.zeros(len(self.flipped), dtype=np.float32)
        # A statistic above t needs figures over t / factor apart, so one over half of that from the mean.
        for figure in np.argsort(-self.farthest):  # descending: early ones raise the bound
            half = np.float32(_kth_largest(largest, count) * MARGIN / 2)
            near = np.flatnonzero(self.factors[figure] * self.farthest[figure] >= half)
            near = near[np.argsort(-self.factors[figure, near])]
            for start, stop in _growing(len(near)):
                flips = np.flatnonzero(self.far[figure] * self.factors[figure, near[start]] >= half)
                statistics = np.abs(self._differences(figure, near[start:stop], flips))
                statistics *= self.factors[figure, near[start:stop]]
                largest[flips] = np.maximum(largest[flips], statistics.max(axis=1))
        return _kth_largest(largest, count)

    def is_reached(self, own: slice, least: float, count: int, *, within: float = 0.0) -> bool:
        """True if a rival leads the system by a statistic of at least `least` - `within` under at least `count` flips.

        A flip is a reversal of the signs of units. `own` selects the system's figures; a lead over any of them counts.
        """
        reached = np.full(len(self.flipped), within >= least)
        figures, some_rivals = range(own.start, own.stop), slice(ENOUGH)
        for figure in figures:  # a few rivals mostly decide it
            ahead = self.flipped[:, some_rivals] - self.flipped[:, figure, None]
            ahead *= self.factors[figure, some_rivals]
            reached |= ahead.max(axis=1).astype(np.float64) + within >= least
        if np.count_nonzero(reached) < count:
            below = self.middle[:, None] - self.flipped[:, own]
            flips = np.argsort(-below.max(axis=1))
            for start in range(0, len(flips), AT_ONCE):
                some = flips[start : start + AT_ONCE]
                some = some[~reached[some]]
                if not len(some) or np.count_nonzero(reached) >= count:
                    continue
                above = (self.flipped[some] - self.middle[some, None]).max(axis=0)
                for figure, lowest in zip(figures, below[some].max(axis=0), strict=True):
                    bound = self.factors[figure] * (above + lowest)  # upper bound of a rival's lead
                    rivals = np.flatnonzero(bound >= (least - within) * MARGIN)
                    reached[some] |= self._most(figure, rivals, some) + within >= least
        return bool(np.count_nonzero(reached) >= count)

    def _most(self, figure: int, rivals: NDArray[np.intp], flips: NDArray[np.intp]) -> NDArray[np.float64]:
        """[flips], the largest statistic by which one of `rivals` leads a figure; 0 if no rival leads."""
        most = np.zeros(len(flips), dtype=np.float32)
        for start in range(0, len(rivals), MOST):
            some = rivals[start : start + MOST]
            ahead = self._differences(figure, some, flips)
            ahead *= self.factors[figure, some]
            np.maximum(most, ahead.max(axis=1), out=most)
        return most.astype(np.float64)

    def _differences(self, figure: int, others: NDArray[np.intp], flips: NDArray[np.intp]) -> Narrow:
        """[flips, others], the lead of other figures over a figure."""
        places = (flips * self.flipped.shape[1])[:, None] + others
        differences: Narrow = self.flipped.take(places)  # twice as fast as indexing along both axes
        differences -= self.flipped[flips, figure][:, None]
        return differences


def count_above(flips: int, share: float) -> int:
    """Number of values at or above the quantile `share` of `flips` values (NumPy's `method="higher"`)."""
    return flips - int(np.quantile(np.arange(flips), share, method="higher"))


def _growing(total: int) -> Iterator[tuple[int, int]]:
    start, size = 0, FIRST
    while start < total:
        yield start, min(start + size, total)
        start, size = start + size, min(size * GROWTH, MOST)


def _kth_largest(values: NDArray[Any], count: int) -> float:
    return float(np.partition(values, len(values) - count)[len(values) - count])
