"""How much a guesser learns from uploads: much if rows are shown, little if a score is, never more than the bound."""

from __future__ import annotations

import pytest

from evaluation.attacks.climbing import FIGURES, climb, climb_by_rows, learning_bound, most_learnt
from evaluation.core.sealing.rounding import LEAST_ROWS, count_levels, expected_step

SIZE = {"questions": 240, "options": 13}


def test_seeing_which_rows_are_right_gives_nearly_all_after_twenty_uploads() -> None:
    assert climb_by_rows(**SIZE, uploads=20) > 0.95
    assert climb_by_rows(**SIZE, uploads=1) == pytest.approx(2 / 13, abs=0.06)


def test_seeing_one_figure_teaches_a_few_hundredths() -> None:
    best = climb(**SIZE, uploads=20, versions=60)[0]
    assert 0.02 < best.reached - best.chance < 0.07


def test_rounding_hides_what_changes_of_a_block_reveal() -> None:
    exact = {result.attack: result.reached for result in climb(**SIZE, uploads=20, versions=60)}
    coarse = {result.attack: result.reached for result in climb(**SIZE, uploads=20, versions=60, step=0.02)}
    assert coarse["blocks"] < exact["blocks"] - 0.02
    assert coarse["hill"] < exact["hill"] - 0.01


@pytest.mark.parametrize("options", [2, 4, 13])
@pytest.mark.parametrize("step", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("uploads", [2, 10, 40])
def test_no_attack_exceeds_the_bound(options: int, step: float, uploads: int) -> None:
    size = {"questions": 100, "uploads": uploads, "step": step}
    best = climb(**size, options=options, versions=20)[0]
    assert best.reached - 3 * best.error <= learning_bound(**size, chance=1 / options)


@pytest.mark.parametrize("accounts", [1, 5, 20])
@pytest.mark.parametrize("options", [2, 13])
@pytest.mark.parametrize("step", [0.02, 0.05])
def test_headline_and_rank_of_some_accounts_teach_less_than_the_stated_bound(
    accounts: int, options: int, step: float
) -> None:
    size = {"questions": 240, "uploads": 10 * accounts, "step": step}
    best = climb(**size, options=options, rivals=count_levels(step) - 1, versions=30)[0]
    sure = best.reached - 3 * best.error
    assert sure <= learning_bound(**size, chance=best.chance, figures=FIGURES)
    assert sure - best.chance <= most_learnt(**size, figures=FIGURES)
    assert best.reached > best.chance + 2 * best.error, "a climber that learns nothing would prove nothing"


def test_a_rank_reveals_what_rounding_hides_and_more_accounts_learn_more() -> None:
    size = {**SIZE, "step": 0.05, "versions": 60}
    hidden, placed = ({each.attack: each for each in climb(**size, uploads=50, rivals=n)} for n in (0, 20))
    assert placed["blocks"].reached > hidden["blocks"].reached + 2 * placed["blocks"].error
    many = climb(**size, uploads=200, rivals=20)[0]
    assert many.reached > max(each.reached for each in placed.values()) + 3 * many.error


def test_the_bound_grows_with_uploads_and_figures_and_shrinks_with_questions() -> None:
    def bound(**size: float) -> float:
        return learning_bound(**({"questions": 240, "chance": 0.3, "uploads": 10, "step": 0.02} | size))

    assert 0.3 < bound(uploads=5) < bound() < bound(uploads=20) <= 1
    assert bound(questions=2000) < bound() < bound(figures=3)
    assert bound(uploads=100_000) == 1.0
    assert bound(step=0.1) < bound()


@pytest.mark.parametrize("chance", [0.01, 0.077, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("uploads", [1, 11, 40])
def test_the_rise_that_a_page_states_holds_from_any_chance(chance: float, uploads: int) -> None:
    size = {"questions": 240, "uploads": uploads, "step": 0.02}
    assert learning_bound(**size, chance=chance) - chance <= most_learnt(**size) + 1e-9


def test_the_rise_is_no_number_without_questions_and_never_above_one() -> None:
    assert most_learnt(questions=0, uploads=1, step=0.02) == 1.0
    assert most_learnt(questions=10, uploads=100, step=0.02) == 1.0
    assert most_learnt(questions=240, uploads=0, step=0.02) == 0.0


def test_groups_of_few_rows_rounded_like_the_version_would_reveal_most_answers() -> None:
    """Ten entries whose groups of six rows show multiples of .02 reveal every right answer."""
    best = climb(questions=6, options=3, uploads=10, step=0.02, versions=60)[0]
    assert best.reached - best.chance > 0.3


def test_large_groups_rounded_by_their_own_step_stay_near_chance_and_below_the_bound() -> None:
    groups, questions = 4, 4 * LEAST_ROWS
    step = expected_step(questions // 2, LEAST_ROWS)
    best = climb(questions=LEAST_ROWS, options=3, uploads=2, step=step, versions=200)[0]
    promised = most_learnt(questions=questions, uploads=11, step=expected_step(questions // 2, questions))
    assert best.reached - best.chance < 0.06 < promised
    told = learning_bound(questions=questions, chance=1 / 3, uploads=2, step=step, figures=groups)
    assert best.reached - 3 * best.error <= told
