"""The page of a version with withheld answers says what the uploads of 1, 5 and 20 accounts can learn."""

from __future__ import annotations

from typing import Any

from evaluation.attacks.climbing import climb
from evaluation.core.sealing.rounding import count_levels
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import learning


def test_accounts_learn_more_together_and_the_page_says_how_much(client: Any, kept: Version) -> None:
    found = learning.learning(kept)
    assert found is not None
    assert [(each.accounts, each.uploads) for each in found.reaches] == [(1, 10), (5, 50), (20, 200)]
    rises = [each.rise for each in found.reaches]
    assert rises == sorted(rises)
    assert found.rise == rises[0] < rises[1]
    page = " ".join(client.get(kept.get_absolute_url()).content.decode().split())
    assert f"<b>{100 * found.rise:.1f} points</b> with 1 account (10 uploads)" in page
    assert "with 5 accounts (50 uploads)" in page
    assert "100 points (no bound) with 20 accounts (200 uploads)" in page


def test_a_climber_with_headline_and_place_stays_below_what_the_page_promises(kept: Version) -> None:
    found = learning.learning(kept)
    assert found is not None
    size = {"questions": found.questions, "step": found.step, "rivals": count_levels(found.step) - 1}
    for reach in found.reaches:
        best = climb(**size, options=13, uploads=reach.uploads, versions=30)[0]
        assert best.reached - 3 * best.error <= best.chance + reach.rise
