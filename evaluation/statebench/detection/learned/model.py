"""The learned model: how probable it is that a turn supersedes what a slot holds.

Two regressions, one upon the other, trained together. By the words of a turn alone: how probable it is that it tells
news at all (logistic). If it does: what it is news of, over the slots and "nothing that is known" (multinomial
logistic). So a turn that asks, supposes or remembers changes nothing, however well it fits a slot. The weights come
from `python -m tests.evaluation.statebench.detection.training`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evaluation.statebench.detection.learned.features import pair_names, strength
from evaluation.statebench.detection.learned.reading import read
from evaluation.statebench.detection.rules import Match
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.words import stem, tokens

WEIGHTS = Path(__file__).with_name("weights.json")
_HIGHEST = 30.0  # no score is taken for more

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`gate`: the least sum of word weights by which a turn is looked at. The others are probabilities.

    `flags`: that a turn changes something, where no rule speaks; `vetoes`: below it, what a rule finds is no change;
    `beside`: that it changes a second slot.
    """

    gate: float
    flags: float
    vetoes: float
    beside: float


@dataclass(frozen=True, slots=True)
class Model:
    """Weights by the names of features; what is not named weighs nothing.

    `words` tell free talk from templated talk, `moods` turns that tell news from others, `slots` what the news is of.
    """

    words: Weights
    moods: Weights
    slots: Weights
    thresholds: Thresholds

    def is_free_talk(self, text: str) -> bool:
        """Whether a turn is worth a closer look, by its words alone.

        Args:
            text: The turn.
        """
        return weigh(word_names(text), self.words) >= self.thresholds.gate

    def news(self, text: str) -> float:
        """How probable it is that a turn tells news, whatever the slots.

        Args:
            text: The turn.
        """
        return 1 / (1 + math.exp(-bounded(weigh(read(text).names, self.moods))))

    def scores(self, text: str, slots: Sequence[Slot], found: Sequence[Match]) -> list[float]:
        """The score of each slot: the log odds that it is superseded rather than nothing, if a turn tells news.

        Args:
            text: The turn.
            slots: The slots, the one spoken of last at the end.
            found: What the rules say that the turn supersedes.
        """
        words = read(text)
        strengths = [strength(words, slot) for slot in slots]
        return [
            weigh(dict.fromkeys(pair_names(words, slots, at, found, strengths)), self.slots)
            for at in range(len(slots))
        ]


def weigh(names: Iterable[str], weights: Weights) -> float:
    """The sum of the weights of some features.

    Args:
        names: The features, each once.
        weights: The weights.
    """
    return sum([weights.get(name, 0.0) for name in names])


def bounded(score: float) -> float:
    """A score within bounds, so that no power overflows.

    Args:
        score: Any score.
    """
    return max(-_HIGHEST, min(score, _HIGHEST))


def word_names(text: str) -> list[str]:
    """The features by which a turn is told from templated talk.

    Args:
        text: The turn.
    """
    return ["bias", *dict.fromkeys([stem(word) for word in tokens(text)])]


def probability(news: float, scores: Sequence[float]) -> float:
    """How probable it is that anything is superseded.

    Args:
        news: That the turn tells news.
        scores: The scores of the slots.
    """
    total = sum([math.exp(bounded(score)) for score in scores])
    return news * total / (1 + total)


def parse(data: Mapping[str, Mapping[str, float]]) -> Model:
    """A model from its JSON form.

    Args:
        data: {"thresholds": {...}, "words": {...}, "moods": {...}, "slots": {...}}.
    """
    return Model(data["words"], data["moods"], data["slots"], Thresholds(**data["thresholds"]))


@cache
def model() -> Model:
    """The model that comes with the package."""
    return parse(json.loads(WEIGHTS.read_text(encoding="utf-8")))


@memo
def is_free_talk(text: str) -> bool:
    """`Model.is_free_talk` of the model that comes with the package.

    Args:
        text: The turn.
    """
    return model().is_free_talk(text)
