"""Fitting a model: its weights by gradient descent, its thresholds by cross-validation over scenes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evaluation.statebench.detection.learned.model import Model, Thresholds, Weights
from tests.evaluation.statebench.detection.training import RULED
from tests.evaluation.statebench.detection.training.examples import Example
from tests.evaluation.statebench.detection.training.judging import Judged, choose, judge, word_floor, word_sum
from tests.evaluation.statebench.detection.training.regression import train, train_words

_SLIGHTEST = 0.01  # weights below it are left out of the file
_DIGITS = 3
_CLOSE = -2.2  # sum of word weights from which templated talk is learned from; the gate is higher


def fitted(talk: Sequence[Example], templated: Sequence[Example]) -> tuple[Model, list[Judged]]:
    """A model of some examples, with thresholds that cross-validation over its scenes chose.

    Args:
        talk: Free talk.
        templated: Templated talk.

    Returns:
        The model, and each turn of the free talk as judged by a model that had not seen its scene.
    """
    judged = [
        one for fold in sorted({example.fold for example in talk}) for one in _held_out(fold, talk, templated)
    ]
    unruled = [one for one in judged if one.example.of not in RULED]
    thresholds = choose(unruled or judged, word_floor(judged))
    return replace(rounded(trained(talk, templated)), thresholds=thresholds), judged


def _held_out(fold: int, talk: Sequence[Example], templated: Sequence[Example]) -> list[Judged]:
    model = trained([example for example in talk if example.fold != fold], templated)
    return [judge(example, model) for example in talk if example.fold == fold]


def trained(talk: Sequence[Example], templated: Sequence[Example]) -> Model:
    """A model without thresholds. Templated turns that words already give away are left out.

    Args:
        talk: Free talk.
        templated: Templated talk.
    """
    words = train_words([*talk, *templated])
    close = [example for example in templated if word_sum(example.text, words) >= _CLOSE]
    moods, slots = train([*talk, *close])
    return Model(words, moods, slots, Thresholds(*[0.0] * 7))


def rounded(model: Model) -> Model:
    """The model as its file holds it.

    Args:
        model: The model.
    """
    return replace(model, words=_short(model.words), moods=_short(model.moods), slots=_short(model.slots))


def _short(table: Weights) -> Weights:
    return {name: round(weight, _DIGITS) for name, weight in table.items() if abs(weight) >= _SLIGHTEST}
