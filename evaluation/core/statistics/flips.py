"""The largest statistics of pairs under flips of signs, exact without a look at every pair under every flip.

Of 3,000 figures and 1,000 flips there would be 4.5 billion statistics. A test needs the few largest, and a pair can
only be among those under a flip that moves one of the two far from the middle of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Narrow = NDArray[np.float32]

#: Figures next to one, or flips, that are looked at first; the next ones are `GROWTH` times as many, up to `MOST`.
FIRST, GROWTH, MOST = 32, 4, 512
#: Flips whose bounds are taken together.
AT_ONCE = 64
#: Rivals of whom one is mostly far enough ahead, where any is.
ENOUGH = 128
#: Bounds are this much wider than they are in exact arithmetic: far more than single precision rounds.
MARGIN = 0.999


class FlippedPairs(NamedTuple):
    """Figures under flips of their units' signs, and what the difference of each two is multiplied by."""

    flipped: Narrow  # [flips, figures]
    factors: Narrow  # [figures, figures], symmetric; 0 where two are not compared
    middle: Narrow  # [flips] the mean of all figures
    far: Narrow  # [figures, flips] from the middle
    farthest: Narrow  # [figures] under any flip

    @classmethod
    def from_flips(cls, flipped: Narrow, factors: Narrow) -> FlippedPairs:
        """Pairs of figures.

        Args:
            flipped: [flips, figures].
            factors: [figures, figures].
        """
        middle = flipped.mean(axis=1, dtype=np.float64).astype(np.float32)
        far = np.ascontiguousarray(np.abs(flipped.T - middle))
        return cls(flipped, factors, middle, far, far.max(axis=1))

    def largest(self, count: int) -> float:
        """The `count`-th largest, over flips, of the largest statistic of any pair.

        Args:
            count: From 1.

        Returns:
            The statistic. It is that of a search through all pairs, to the last bit.

        A pair exceeds t under a flip only if the two are further apart than t / factor, and so only if one of them is
        further than half of that from any point, such as the mean of all figures. What was found by now is a bound
        from below: pairs that cannot exceed it are not looked at.
        """
        largest = np.zeros(len(self.flipped), dtype=np.float32)
        for figure in np.argsort(-self.farthest):  # those that raise the bound come first
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
        """Whether under at least `count` flips some rival is so far ahead of some figure of a system.

        Args:
            own: Which figures are the system's.
            least: The statistic to reach.
            count: Of flips.
            within: By how much less it may be missed.
        """
        reached = np.full(len(self.flipped), within >= least)
        figures, some_rivals = range(own.start, own.stop), slice(ENOUGH)
        for figure in figures:  # a few rivals mostly show it
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
                    bound = self.factors[figure] * (above + lowest)  # by how much a rival is ahead at most
                    rivals = np.flatnonzero(bound >= (least - within) * MARGIN)
                    reached[some] |= self._most(figure, rivals, some) + within >= least
        return bool(np.count_nonzero(reached) >= count)

    def _most(self, figure: int, rivals: NDArray[np.intp], flips: NDArray[np.intp]) -> NDArray[np.float64]:
        """[flips] the largest statistic of some rivals that are ahead of a figure; 0 where none is."""
        most = np.zeros(len(flips), dtype=np.float32)
        for start in range(0, len(rivals), MOST):
            some = rivals[start : start + MOST]
            ahead = self._differences(figure, some, flips)
            ahead *= self.factors[figure, some]
            np.maximum(most, ahead.max(axis=1), out=most)
        return most.astype(np.float64)

    def _differences(self, figure: int, others: NDArray[np.intp], flips: NDArray[np.intp]) -> Narrow:
        """[flips, others] how far others are ahead of a figure."""
        places = (flips * self.flipped.shape[1])[:, None] + others
        differences: Narrow = self.flipped.take(places)  # twice as fast as indexing along both axes
        differences -= self.flipped[flips, figure][:, None]
        return differences


def count_above(flips: int, share: float) -> int:
    """How many flips have at least the statistic that `share` of them do not exceed (`method="higher"` of NumPy).

    Args:
        flips: How many there are.
        share: Between 0 and 1.
    """
    return flips - int(np.quantile(np.arange(flips), share, method="higher"))


def _growing(total: int) -> Iterator[tuple[int, int]]:
    """(start, stop) of pieces of `total` things, each larger than the one before."""
    start, size = 0, FIRST
    while start < total:
        yield start, min(start + size, total)
        start, size = start + size, min(size * GROWTH, MOST)


def _kth_largest(values: NDArray[Any], count: int) -> float:
    return float(np.partition(values, len(values) - count)[len(values) - count])
