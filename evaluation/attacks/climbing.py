"""What somebody learns of withheld answers by uploading guesses and reading the figures: attacks, and a limit to them.

A guesser knows which answers each question may have, and no more. After some uploads he has a file that scores better
than chance on this version, and on no other. `climb` plays the attacks that are known; `learning_bound` is what no
attack can exceed on average.

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
#: Takes guesses, returns the figure that the site shows for them.
Feedback = Callable[[Guesses], float]
Attack = Callable[[np.random.Generator, Feedback, int, int, int], Guesses]
#: What an upload shows that depends on which answers are right: its headline, and its place on the board.
FIGURES: Final = 2
#: Versions that a climb is played on; its standard error stands beside it.
VERSIONS: Final = 200


class Climb(NamedTuple):
    """What an attack reached, over simulated versions."""

    attack: str
    reached: float  # mean share of right answers of the file made last
    error: float  # its Monte-Carlo standard error
    chance: float  # where it began


def learning_bound(*, questions: int, chance: float, uploads: int, step: float, figures: int = 1) -> float:
    """The share of right answers that no guesser exceeds on average after so many uploads.

    A figure of L values tells at most ln L, so all of them at most uploads · figures · ln L; a file with the share a of
    right answers, where chance gives p, takes d(a‖p) for each question (the Kullback-Leibler divergence of two coins).

    Args:
        questions: How many have answers that do not follow from each other.
        chance: The share that is right without any upload.
        uploads: How many are graded.
        step: To what the figures are rounded; 0 for exact ones over all questions.
        figures: How many of an upload depend on which answers are right.

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
    """By how much no guesser's share of right answers rises on average, from whatever chance he began with.

    The divergence of `learning_bound` is at least 2 (a - p)² (Pinsker), so that the rise is at most
    √(uploads · figures · ln L / (2 · questions)).

    Args:
        questions: How many have answers that do not follow from each other.
        uploads: How many are graded.
        step: To what the figures are rounded; 0 for exact ones over all questions.
        figures: How many of an upload depend on which answers are right.

    Returns:
        The rise, from 0 to 1.
    """
    if questions < 1:
        return 1.0
    levels = count_levels(step) if step else questions + 1
    return min(1.0, math.sqrt(uploads * figures * math.log(levels) / (2 * questions)))


def _divergence(share: float, chance: float) -> float:
    """d(a‖p) in nats."""
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
    """Play every attack against versions whose answers are drawn at random.

    Args:
        questions: How many a version has.
        options: From how many answers each has one right one, all alike to the guesser.
        uploads: How many are graded before the last file is made.
        step: To what the figure shown is rounded; 0 for an exact one.
        rivals: Among how many other systems each upload gets a place, by exact figures. The guesser knows theirs.
        versions: How many are played.
        seed: Of the draws.

    Returns:
        What each attack reached, the best first.
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
    """Exact figures of other systems, close to each other where guessers climb: there a place tells most."""
    chance = 1 / options
    error = math.sqrt(chance * (1 - chance) / questions)
    return np.linspace(max(0.0, chance - 4 * error), min(1.0, chance + 12 * error), count)


def _told(share: float, step: float, rivals: Shares) -> float:
    """Estimate a figure from headline and place: the middle of the range that both allow."""
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
        return _told(float(np.mean(guesses == answers)), step, rivals)

    return float(np.mean(attack(rng, feedback, questions, options, uploads) == answers))


def _by_blocks(
    rng: np.random.Generator, feedback: Feedback, questions: int, options: int, uploads: int
) -> Guesses:
    """One block of guesses is drawn again in each upload, and kept where the figure does not fall."""
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
    """A tenth of the guesses, anywhere, is drawn again in each upload, and kept where the figure rises."""
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
    """Independent guesses vote for what they chose, each with the weight by which its figure exceeds the mean."""
    tried = rng.integers(options, size=(uploads, questions))
    figures = np.array([feedback(guesses) for guesses in tried])
    weights = figures - figures.mean()
    votes = np.zeros((questions, options))
    for guesses, weight in zip(tried, weights, strict=True):
        votes[np.arange(questions), guesses] += weight
    votes += rng.random(votes.shape) * 1e-9  # of equal votes any
    choices: Guesses = votes.argmax(axis=1)
    return choices


ATTACKS: Final[dict[str, Attack]] = {"blocks": _by_blocks, "hill": _hill, "vote": _by_vote}


def climb_by_rows(*, questions: int, options: int, uploads: int, seed: int = 0) -> float:
    """What is reached where each upload shows which rows were right: wrong options are crossed off.

    Args:
        questions: How many there are.
        options: From how many answers each has one right one.
        uploads: How many are graded before the last file is made.
        seed: Of the draws.

    Returns:
        The share of right answers of that file.
    """
    rng = np.random.default_rng([seed, questions, options, uploads])
    order = rng.permuted(np.tile(np.arange(options), (questions, 1)), axis=1)
    answers = rng.integers(options, size=questions)
    place = (order == answers[:, None]).argmax(axis=1)  # the upload that hits it
    known = place < uploads
    left = max(1, options - uploads)
    return float(np.mean(known | (rng.random(questions) < 1 / left)))
