"""Learn withheld answers by uploading guesses and reading the scores: known attacks, and an upper bound.

A guesser knows the possible answers of each question and nothing else. After some uploads the guesser has a file that
scores above chance on this version only. `climb` simulates the known attacks. `learning_bound` is an upper bound on the
mean result of every attack.

Sources: A. Blum, M. Hardt, "The Ladder: A Reliable Leaderboard for Machine Learning Competitions", ICML 2015 (the
majority attack, and rounding against it); T. Cover, J. Thomas, "Elements of Information Theory", 2006, 2.8 and 10.3
(data processing, rate distortion).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core.sealing.rounding import count_levels, rounded

Guesses = NDArray[np.int64]  # (questions,), the number of the option chosen
Shares = NDArray[np.float64]  # (systems,), shares of right answers, ascending
#: Maps guesses to the score that the site shows for them.
Feedback = Callable[[Guesses], float]
Attack = Callable[[np.random.Generator, Feedback, int, int, int], Guesses]
#: Figures of an upload that depend on the right answers: its headline, and its rank on the leaderboard.
FIGURES: Final = 2
#: Simulated versions of a climb; its standard error is reported.
VERSIONS: Final = 200


class Climb(NamedTuple):
    """The result of an attack over simulated versions."""

    attack: str
    reached: float  # mean share of right answers in the last file
    error: float  # its Monte-Carlo standard error
    chance: float  # at the start


def learning_bound(*, questions: int, chance: float, uploads: int, step: float, figures: int = 1) -> float:
    """Upper bound of the share of right answers that a guesser reaches on average after this many uploads.

    A figure (a number that the site shows) with L possible values carries at most ln L nats; so all figures carry at
    most uploads · figures · ln L. L is 1/step + 1, or questions + 1 if `step` is 0. To reach a share a of right
    answers, where chance is p, a guesser needs d(a‖p) nats for each question (the Kullback-Leibler divergence).

    Args:
        questions: Number of independent questions.
        chance: The share of right answers without any upload.
        uploads: Number of graded uploads.
        step: Rounding step of the figures; 0 for exact figures over all questions.
        figures: Number of figures per upload that depend on the right answers.

    Returns:
        The largest a, from `chance` to 1, with d(a‖chance) · questions ≤ uploads · figures · ln L.
    """
    levels = count_levels(step) if step else questions + 1
    learnt = uploads * figures * math.log(levels) / questions
    low, high = chance, 1.0
    if learnt >= _divergence(1.0, chance):
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _divergence(middle, chance) <= learnt else (low, middle)
    return low


def most_learnt(*, questions: int, uploads: int, step: float, figures: int = 1) -> float:
    """The largest average rise of a guesser's share of right answers, 0 to 1; see `learning_bound`."""
    if questions < 1:
        return 1.0
    levels = count_levels(step) if step else questions + 1
    # the divergence of `learning_bound` is at least 2 (a - p)² (Pinsker)
    return min(1.0, math.sqrt(uploads * figures * math.log(levels) / (2 * questions)))


def _divergence(share: float, chance: float) -> float:
    """Kullback-Leibler divergence, in nats, of two probabilities of a right answer."""
    terms = ((share, chance), (1 - share, 1 - chance))
    return sum(part * math.log(part / expected) for part, expected in terms if part > 0)


def climb(
    *,
    questions: int,
    options: int,
    uploads: int,
    step: float = 0.0,
    rivals: int = 0,
    versions: int = VERSIONS,
    seed: int = 0,
) -> list[Climb]:
    """Simulate every attack on versions with random answers. The best attack comes first.

    `options`: number of possible answers of each question. `step`: rounding step of the score shown; 0 for exact
    scores. `rivals`: number of other systems. The guesser knows their exact scores, and its own rank among them.
    """
    results = []
    for name, attack in ATTACKS.items():
        rng = np.random.default_rng([seed, questions, options, uploads])
        board = _rivals(rivals, questions, options)
        shares = [_played(rng, attack, questions, options, uploads, step, board) for _ in range(versions)]
        error = float(np.std(shares, ddof=1)) / math.sqrt(versions)
        results.append(Climb(name, float(np.mean(shares)), error, 1 / options))
    return sorted(results, key=lambda result: -result.reached)


def _rivals(count: int, questions: int, options: int) -> Shares:
    """Exact scores of other systems, close to each other around chance, where a rank reveals the most."""
    chance = 1 / options
    error = math.sqrt(chance * (1 - chance) / questions)
    return np.linspace(max(0.0, chance - 4 * error), min(1.0, chance + 12 * error), count)


def _estimated(share: float, step: float, rivals: Shares) -> float:
    """The guesser's estimate of its exact score: the middle of the scores that fit the rounded score and the rank."""
    if not step:
        return share
    shown, place = rounded(share, step), int(np.searchsorted(rivals, share))
    low = max(shown - step / 2, rivals[place - 1] if place else 0.0)
    high = min(shown + step / 2, rivals[place] if place < len(rivals) else 1.0)
    return shown if not len(rivals) else (low + high) / 2


def _played(
    rng: np.random.Generator,
    attack: Attack,
    questions: int,
    options: int,
    uploads: int,
    step: float,
    rivals: Shares,
) -> float:
    answers = rng.integers(options, size=questions)

    def feedback(guesses: Guesses) -> float:
        return _estimated(float(np.mean(guesses == answers)), step, rivals)

    return float(np.mean(attack(rng, feedback, questions, options, uploads) == answers))


def _by_blocks(
    rng: np.random.Generator, feedback: Feedback, questions: int, options: int, uploads: int
) -> Guesses:
    """Change one block of guesses with each upload, and keep the change if the score rises."""
    best = rng.integers(options, size=questions)
    figure = feedback(best)
    for block in np.array_split(rng.permutation(questions), max(1, uploads - 1)):
        tried = best.copy()
        tried[block] = (best[block] + 1 + rng.integers(max(1, options - 1), size=len(block))) % options
        if (reached := feedback(tried)) > figure:
            best, figure = tried, reached
    return best


def _hill(
    rng: np.random.Generator, feedback: Feedback, questions: int, options: int, uploads: int
) -> Guesses:
    """Redraw a random tenth of the guesses with each upload, and keep the change if the score rises."""
    best = rng.integers(options, size=questions)
    figure = feedback(best)
    for _ in range(uploads - 1):
        tried = np.where(rng.random(questions) < 0.1, rng.integers(options, size=questions), best)
        if (reached := feedback(tried)) > figure:
            best, figure = tried, reached
    return best


def _by_vote(
    rng: np.random.Generator, feedback: Feedback, questions: int, options: int, uploads: int
) -> Guesses:
    """Let random guesses vote on each answer. The weight of a vote is how far its score is from the mean score."""
    tried = rng.integers(options, size=(uploads, questions))
    figures = np.array([feedback(guesses) for guesses in tried])
    weights = figures - figures.mean()
    votes = np.zeros((questions, options))
    for guesses, weight in zip(tried, weights, strict=True):
        votes[np.arange(questions), guesses] += weight
    votes += rng.random(votes.shape) * 1e-9  # break ties at random
    choices: Guesses = votes.argmax(axis=1)
    return choices


ATTACKS: Final[dict[str, Attack]] = {"blocks": _by_blocks, "hill": _hill, "vote": _by_vote}


def climb_by_rows(*, questions: int, options: int, uploads: int, seed: int = 0) -> float:
    """Share of right answers if each upload shows which rows are right, so that wrong options can be left out."""
    rng = np.random.default_rng([seed, questions, options, uploads])
    order = rng.permuted(np.tile(np.arange(options), (questions, 1)), axis=1)
    answers = rng.integers(options, size=questions)
    place = (order == answers[:, None]).argmax(axis=1)  # the upload with the right answer
    known = place < uploads
    left = max(1, options - uploads)
    return float(np.mean(known | (rng.random(questions) < 1 / left)))
