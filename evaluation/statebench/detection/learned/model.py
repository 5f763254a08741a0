"""The learned model: how probable it is that a turn supersedes what a slot holds.

One multinomial logistic regression over the slots and "nothing that is known". The score of a slot, its log odds
against nothing, is the sum of the weights of what is seen of the turn alone (its mood) and of what is seen of the turn
and the slot. The weights come from `python -m tests.evaluation.statebench.detection.training`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from evaluation.statebench.detection.learned.features import Key, Observer, names
from evaluation.statebench.detection.learned.reading import read
from evaluation.statebench.detection.rules import Match
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.language.memo import MOST, memo
from evaluation.statebench.language.words import stem, tokens

WEIGHTS = Path(__file__).with_name("weights.npz")
#: The tables of weights that a model has.
TABLES = ("words", "moods", "slots")
_HIGHEST = 30.0  # no score is taken for more

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`gate`: the least sum of word weights by which a turn is looked at. `beside`: how much lower than the best a
    second slot may score.

    `mood`: the least mood of a turn by which it may change something where no rule speaks; `calm`: below it, what a
    rule guesses is no change, whatever the slots.

    The others are probabilities that a turn changes something. `flags`: the least where no rule speaks; `vetoes`: below
    it, what a rule finds is no change; `doubts`: the same for what a rule is certain of.
    """

    gate: float
    mood: float
    calm: float
    flags: float
    vetoes: float
    doubts: float
    beside: float


class _Sums(dict[Key, float]):
    """The sum of the weights of a group of features, by its key; added up when it is first seen."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self._weights = weights

    def __missing__(self, key: Key) -> float:
        if len(self) >= MOST:
            self.clear()
        total = self[key] = weigh(names(key), self._weights)
        return total


@dataclass(frozen=True)
class Model:
    """Weights by the names of features; what is not named weighs nothing.

    `words` tell free talk from templated talk, `moods` turns that tell news from others, `slots` what the news is of.
    """

    words: Weights
    moods: Weights
    slots: Weights
    thresholds: Thresholds
    _moods: dict[str, float] = field(default_factory=dict, compare=False, repr=False)

    def is_free_talk(self, text: str) -> bool:
        """Whether a turn is worth a closer look, by its words alone.

        Args:
            text: The turn.
        """
        return weigh(word_names(text), self.words) >= self.thresholds.gate

    def mood(self, text: str) -> float:
        """How much a turn sounds like news, whatever the slots: a part of the score of each.

        Args:
            text: The turn.
        """
        found = self._moods.get(text)
        if found is None:
            if len(self._moods) >= MOST:
                self._moods.clear()
            found = self._moods[text] = weigh(read(text).names, self.moods)
        return found

    def scores(self, text: str, slots: Sequence[Slot], found: Sequence[Match]) -> list[float]:
        """The score of each slot: the log odds that it is superseded rather than nothing.

        Args:
            text: The turn.
            slots: The slots, the one spoken of last at the end.
            found: What the rules say that the turn supersedes.
        """
        observer, sums, mood = Observer(read(text), slots, found), self._sums, self.mood(text)
        return [mood + sum([sums[key] for key in observer.observed(at)]) for at in range(len(slots))]

    @cached_property
    def _sums(self) -> _Sums:
        return _Sums(self.slots)


def weigh(found: Iterable[str], weights: Weights) -> float:
    """The sum of the weights of some features.

    Args:
        found: The features, each once.
        weights: The weights.
    """
    return sum([weights.get(name, 0.0) for name in found])


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


def probability(scores: Sequence[float]) -> float:
    """How probable it is that anything is superseded.

    Args:
        scores: The scores of the slots.
    """
    total = sum([math.exp(bounded(score)) for score in scores])
    return total / (1 + total)


def save(model: Model, path: Path = WEIGHTS) -> None:
    """Write a model as `load` reads it.

    Args:
        model: What is written.
        path: A NumPy archive.
    """
    arrays: dict[str, np.ndarray] = {}
    for table in TABLES:
        weights: Weights = getattr(model, table)
        arrays[f"{table}.names"] = np.frombuffer("\n".join(weights).encode(), np.uint8)
        arrays[f"{table}.weights"] = np.fromiter(weights.values(), np.float64)
    thresholds = asdict(model.thresholds)
    arrays["thresholds.names"] = np.frombuffer("\n".join(thresholds).encode(), np.uint8)
    arrays["thresholds.weights"] = np.fromiter(thresholds.values(), np.float64)
    np.savez_compressed(path, allow_pickle=False, **arrays)


def load(path: Path = WEIGHTS) -> Model:
    """A model from its file: of each table the names of features, a line each, and their weights.

    Args:
        path: A NumPy archive.
    """
    with np.load(path, allow_pickle=False) as arrays:
        tables = {
            table: dict(
                zip(
                    arrays[f"{table}.names"].tobytes().decode().split("\n"),
                    arrays[f"{table}.weights"].tolist(),
                    strict=True,
                )
            )
            for table in (*TABLES, "thresholds")
        }
    return Model(tables["words"], tables["moods"], tables["slots"], Thresholds(**tables["thresholds"]))


@cache
def model() -> Model:
    """The model that comes with the package."""
    return load()


@memo
def is_free_talk(text: str) -> bool:
    """`Model.is_free_talk` of the model that comes with the package.

    Args:
        text: The turn.
    """
    return model().is_free_talk(text)
