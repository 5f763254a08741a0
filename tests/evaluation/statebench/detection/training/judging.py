"""Judging turns by models that have not seen them, and the best thresholds for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.statebench.detection.learned.model import Model, Thresholds, probability, weigh, word_names
from tests.evaluation.statebench.detection.training.examples import Example

_PRECISION = 0.925  # of what the model finds itself; what rules find has a precision of its own
_PASSING = 0.015  # share of changes that may fail at the words alone
_SILENT = 0.01  # share of what is flagged that may fail at the mood alone
# Where a rule guesses, nearly as likely as what the model finds itself; where it is certain, lower: higher ones undo
# plain business English.
_VETOES, _DOUBTS = 0.65, 0.4
_FLAGS = [n / 100 for n in range(40, 100)]
_BESIDE = [n / 10 for n in range(11)]


@dataclass(frozen=True, slots=True)
class Judged:
    """A turn with the scores of its slots; `mood` is the part of the score that comes from the turn itself."""

    example: Example
    mood: float
    scores: tuple[float, ...]
    likely: float
    words: float

    @property
    def best(self) -> float:
        """The highest score."""
        return max(self.scores)


def judge(example: Example, model: Model) -> Judged:
    """A model's scores for a turn.

    Args:
        example: The turn.
        model: The model; its thresholds are not used.
    """
    mood = weigh(example.moods, model.moods)
    scores = tuple([mood + weigh(names, model.slots) for names in example.slots])
    likely = 1.0 if example.plain else probability(scores)
    return Judged(example, mood, scores, likely, word_sum(example.text, model.words))


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


def choose(judged: Sequence[Judged], gate: float) -> Thresholds:
    """The thresholds that take as many of the model's own findings as are precise enough.

    Args:
        judged: Turns of free talk.
        gate: The least sum of word weights of turns that are judged.
    """
    found = [one for one in judged if _group(one) == _SILENCE]

    def precision(flags: float) -> float:
        flagged = [one.example.changes for one in found if one.likely >= flags]
        return sum(flagged) / len(flagged) if flagged else 1.0

    flags = next((flags for flags in _FLAGS if precision(flags) >= _PRECISION), _FLAGS[-1])
    mood, calm = _floor(judged, _SILENCE, flags), _floor(judged, _GUESS, _VETOES)
    return Thresholds(gate, mood, calm, flags, _VETOES, _DOUBTS, _beside(judged, flags))


def _floor(judged: Sequence[Judged], group: int, least: float) -> float:
    """The mood that nearly all turns reach which probably change something."""
    moods = sorted(one.mood for one in judged if _group(one) == group and one.likely >= least)
    return round(moods[int(_SILENT * len(moods))], 3) if moods else 0.0


_SILENCE, _GUESS, _CERTAINTY = range(3)


def _group(one: Judged) -> int | None:
    """The group of a turn: rules are silent, guess or are certain; None for a turn that asserts nothing."""
    if one.example.ruled:
        return _CERTAINTY if one.example.certain else _GUESS
    return _SILENCE if one.example.tells else None


def _beside(judged: Sequence[Judged], flags: float) -> float:
    """How much less than the best a second slot may score, chosen for the greatest F1 of slots."""
    flagged = [one for one in judged if one.likely >= flags and one.example.gold]

    def f1(beside: float) -> float:
        chosen = [
            {at for at, score in enumerate(one.scores) if score >= one.best - beside} for one in flagged
        ]
        right = sum(len(at & one.example.gold) for at, one in zip(chosen, flagged, strict=True))
        return 2 * right / max(1, sum(map(len, chosen)) + sum(len(one.example.gold) for one in flagged))

    return max(_BESIDE, key=f1)
