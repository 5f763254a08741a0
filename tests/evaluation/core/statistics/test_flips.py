"""A board equals, to the last bit, a search through all pairs under all flips."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluation.core.statistics import board, ranks
from evaluation.core.statistics.flips import FlippedPairs, count_above


def all_pairs(flipped: NDArray[np.float32], inverse: NDArray[np.float32]) -> NDArray[np.float32]:
    """[flips, figures]: the lead of the best rival, over every pair under every flip."""
    ahead = (flipped[:, None, :] - flipped[:, :, None]) * inverse
    largest: NDArray[np.float32] = ahead.max(axis=2)
    return largest


def random_systems(
    seed: int, systems: int, units: int, parts: int, families: int
) -> list[NDArray[np.float32]]:
    """Systems of some families with similar members; some copy another system, and one has no rows."""
    random = np.random.default_rng(seed)
    of_family = random.random((families, units, parts))
    tables = []
    for system in range(systems):
        chance = np.clip(of_family[system % families] + random.normal(0, 0.1, (units, parts)), 0, 1)
        rows = random.integers(0, 6, (units, parts))
        tables.append(np.stack([random.binomial(rows, chance), rows], axis=-1).astype(np.float32))
    tables[-1] = tables[0].copy()
    if systems > 2 and seed % 2:
        tables[1] = np.zeros_like(tables[1])
    return [table[:, 0] for table in tables] if parts == 1 else tables


def from_all_pairs(systems: list[NDArray[np.float32]], better: str) -> tuple[object, ...]:
    """The result of `board`, computed as its sources do."""
    _, scores, signed, owners = ranks._parts_of(systems, None, better)
    first = np.flatnonzero(np.diff(owners, prepend=-1))
    statistic, inverse = ranks._statistics(scores, signed, owners, first)
    by_rival = all_pairs(ranks._flipped(scores, signed), inverse).astype(np.float64)
    critical = float(np.quantile(by_rival.max(axis=1), 0.95, method="higher"))
    rivals = np.maximum.reduceat(by_rival, first, axis=1)
    best = statistic.max(axis=0) <= np.quantile(rivals, 0.95, axis=0, method="higher") + ranks.ROUNDING
    return critical, (statistic > critical + ranks.ROUNDING).tolist(), best.tolist()


@pytest.mark.parametrize("better", ["higher", "lower"])
@pytest.mark.parametrize(("systems", "parts"), [(2, 1), (7, 1), (40, 1), (25, 3)])
@pytest.mark.parametrize("families", [1, 3])
def test_a_board_is_that_of_all_pairs(systems, parts, families, better):
    if parts > 1 and better == "lower":
        return
    for seed in range(3):
        tables = random_systems(seed, systems, 30, parts, families)
        result = board(tables, better=better)
        expected = from_all_pairs(tables, better)
        assert (result.critical, result.apart.tolist(), result.best.tolist()) == expected


def test_more_figures_than_the_first_sample_are_searched():
    tables = random_systems(5, 450, 24, 1, 4)
    result = board(tables)
    assert (result.critical, result.apart.tolist(), result.best.tolist()) == from_all_pairs(tables, "higher")


VECTORS = st.integers(0, 2**32 - 1)


@settings(max_examples=60)
@given(VECTORS, st.integers(1, 12), st.integers(1, 40), st.data())
def test_the_largest_are_those_of_all_pairs_whatever_the_figures(seed, figures, flips, data):
    random = np.random.default_rng(seed)
    flipped = random.choice([-1.0, 0.0, 0.5, 3.0], (flips, figures)).astype(np.float32)
    inverse = np.triu(random.choice([0.0, 0.1, 1.0, 30.0], (figures, figures)), 1).astype(np.float32)
    inverse += inverse.T
    count = data.draw(st.integers(1, flips))
    by_rival = all_pairs(flipped, inverse)
    pairs = FlippedPairs.from_flips(flipped, inverse)
    assert pairs.largest(count) == np.sort(by_rival.max(axis=1))[-count]
    least = data.draw(st.sampled_from([-1.0, 0.0, 0.35, 3.0, 15.0]))
    for figure in range(figures):
        expected = np.count_nonzero(by_rival[:, figure].astype(np.float64) >= least) >= count
        assert pairs.is_reached(slice(figure, figure + 1), least, count) == expected


@given(st.integers(1, 2000), st.floats(0, 1))
def test_the_count_is_that_of_the_quantile(flips, share):
    values = np.arange(flips)
    assert np.sort(values)[-count_above(flips, share)] == np.quantile(values, share, method="higher")
