"""The overlap of two sets, from sketches of them."""

from __future__ import annotations

import pytest

from evaluation.core.statistics.overlap import KEPT, overlap, sketch


def items(first: int, last: int) -> list[bytes]:
    return [f"item {number}".encode() for number in range(first, last)]


def test_the_overlap_of_small_sets_is_exact() -> None:
    assert overlap(sketch(items(0, 30)), sketch(items(10, 40))) == 20 / 40
    assert overlap(sketch(items(0, 30)), sketch(items(0, 30))) == 1
    assert overlap(sketch(items(0, 30)), sketch(items(30, 60))) == 0


def test_two_empty_sets_have_nothing_in_common() -> None:
    assert overlap(sketch([]), sketch([])) == 0


def test_repetitions_and_order_do_not_count() -> None:
    assert overlap(sketch(items(0, 9)[::-1] * 3), sketch(items(0, 9))) == 1


@pytest.mark.parametrize("shared", [0.5, 0.8, 0.9, 0.98])
def test_the_overlap_of_large_sets_is_estimated_without_bias(shared: float) -> None:
    size = 20_000
    both = round(2 * size * shared / (1 + shared))
    estimated = [
        overlap(sketch(items(n, n + size)), sketch(items(n + size - both, n + 2 * size - both)))
        for n in range(0, 100_000_000, 10_000_000)
    ]
    error = (shared * (1 - shared) / KEPT) ** 0.5
    assert abs(sum(estimated) / len(estimated) - shared) < 3 * error / len(estimated) ** 0.5 + 0.001
    assert max(abs(each - shared) for each in estimated) < 4 * error


def test_a_large_set_is_told_from_a_small_part_of_it() -> None:
    assert overlap(sketch(items(0, 20_000)), sketch(items(0, 100))) < 0.03
