"""The learner finds the feature that marks the right option, and learns the same each time."""

from __future__ import annotations

import numpy as np

from evaluation.attacks.goldevidence.joining.learner import fitted

ROWS, OPTIONS, FEATURES = 120, 4, 6


def rows_of(telling: float) -> tuple[np.ndarray, np.ndarray, dict[int, int]]:
    """Random options; the third feature marks the right one in the share `telling` of the rows."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(ROWS * OPTIONS, FEATURES))
    starts = np.arange(ROWS) * OPTIONS
    right = {}
    for row, start in enumerate(starts.tolist()):
        told = int(np.argmax(features[start : start + OPTIONS, 2]))
        right[row] = start + (told if rng.random() < telling else int(rng.integers(OPTIONS)))
    return features, starts, right


def share_right(telling: float) -> float:
    """How often weights fitted to half of the rows find the right option of the others."""
    features, starts, right = rows_of(telling)
    half = {row: option for row, option in right.items() if row % 2 == 0}
    odds = (features @ fitted(features, starts, half)).reshape(ROWS, OPTIONS)
    found = odds.argmax(axis=1) + starts
    return float(np.mean([found[row] == right[row] for row in range(1, ROWS, 2)]))


def test_a_feature_that_tells_is_found_and_none_is_made_up() -> None:
    assert share_right(1.0) > 0.9
    assert share_right(0.0) < 0.4


def test_it_learns_the_same_each_time_and_nothing_from_no_rows() -> None:
    features, starts, right = rows_of(0.8)
    assert fitted(features, starts, right).tolist() == fitted(features, starts, right).tolist()
    assert not fitted(features, starts, {}).any()


def test_a_feature_that_decides_every_row_stays_finite() -> None:
    features, starts, right = rows_of(1.0)
    features[:, 0] = [float(option in right.values()) for option in range(ROWS * OPTIONS)]
    weights = fitted(features, starts, right)
    assert np.isfinite(weights).all()
    assert weights[0] == max(weights)
