"""How turns are judged by models that have not seen them, and which thresholds are best for that."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.statebench.detection.learned.model import Model, bounded, probability, weigh, word_names
from tests.evaluation.statebench.detection.training.examples import Example

_PRECISION = 0.94  # the most that is reached by vetoes so low: 0.95 needs those of 0.75
_PASSING = 0.015  # share of changes that may fail at the words alone
_VETOES = [n / 100 for n in range(5, 55, 5)]  # higher ones veto what rules find in plain business English
_GRID = [n / 100 for n in range(5, 100)]


@dataclass(frozen=True, slots=True)
class Judged:
    """A turn with the probability that it changes something and the sum of the weights of its words."""

    example: Example
    likely: float
    words: float


def judge(example: Example, model: Model) -> Judged:
    """What a model says of a turn.

    Args:
        example: The turn.
        model: The model; its thresholds do not matter.
    """
    news = 1 / (1 + math.exp(-bounded(weigh(example.moods, model.moods))))
    scores = [weigh(names, model.slots) for names in example.slots]
    return Judged(example, probability(news, scores), word_sum(example.text, model.words))


def word_sum(text: str, words: Mapping[str, float]) -> float:
    """The sum of the weights of a turn's words.

    Args:
        text: The turn.
        words: The weights.
    """
    return weigh(word_names(text), words)


def word_floor(judged: Sequence[Judged]) -> float:
    """The least sum of word weights that nearly all changes reach.

    Args:
        judged: Turns of free talk.
    """
    sums = sorted(one.words for one in judged if one.example.changes)
    return round(sums[int(_PASSING * len(sums))], 3)


def choose(judged: Sequence[Judged]) -> tuple[float, float]:
    """The thresholds (flags, vetoes) of the greatest F1 among those of enough precision.

    Args:
        judged: Turns of free talk.
    """
    return max(
        ((flags, vetoes) for flags in _GRID for vetoes in _VETOES), key=lambda pair: _worth(judged, *pair)
    )


def _worth(judged: Sequence[Judged], flags: float, vetoes: float) -> tuple[bool, float]:
    """(whether precision is reached, F1), or the precision itself where it is not."""
    flagged = [one for one in judged if _is_flagged(one, flags, vetoes)]
    right = sum(one.example.changes for one in flagged)
    precision = right / max(1, len(flagged))
    f1 = 2 * right / max(1, len(flagged) + sum(one.example.changes for one in judged))
    return (True, f1) if precision >= _PRECISION else (False, precision)


def _is_flagged(one: Judged, flags: float, vetoes: float) -> bool:
    if one.example.certain:
        return True
    return one.likely >= (vetoes if one.example.ruled else flags)
