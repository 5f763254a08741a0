"""The learned model: the probability that a turn supersedes the value of a slot.

A multinomial logistic regression over the slots and "no slot". The score of a slot is its log odds against "no slot":
the weights of the turn's features (its mood) plus the weights of the features of turn and slot. The weights come from
`python -m tests.evaluation.statebench.detection.training`.
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
#: The model's tables of weights.
TABLES = ("words", "moods", "slots")
_HIGHEST = 30.0  # bound on scores; e^30 is far from overflow

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Decision thresholds of the learned model, as scores or probabilities.

    `gate`: minimum sum of word weights of a turn that the model considers.
    `mood`: minimum score by `Model.mood` of a turn in which the model finds a match without the rules.
    `flags`: minimum probability of a match that the model finds without the rules.
    `calm`: minimum score by `Model.mood` of a turn with an uncertain match of the rules.
    `vetoes`: minimum probability of an uncertain match of the rules.
    `doubts`: minimum probability of a certain match of the rules.
    `beside`: if several slots match, the maximum difference between a slot's score and the best score.
    """

    gate: float
    mood: float
    calm: float
    flags: float
    vetoes: float
    doubts: float
    beside: float


class _Sums(dict[Key, float]):
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
    """Weights by feature name. `words` select turns, `moods` score a turn, and `slots` score a slot for a turn."""

    words: Weights
    moods: Weights
    slots: Weights
    thresholds: Thresholds
    _moods: dict[str, float] = field(default_factory=dict, compare=False, repr=False)

    def is_free_talk(self, text: str) -> bool:
        """True if the sum of the word weights reaches the `gate`, so that the model considers the turn."""
        return weigh(word_names(text), self.words) >= self.thresholds.gate

    def mood(self, text: str) -> float:
        """Score a turn by its own features, whatever the slots. A higher score means that it sounds more like news."""
        found = self._moods.get(text)
        if found is None:
            if len(self._moods) >= MOST:
                self._moods.clear()
            found = self._moods[text] = weigh(read(text).names, self.moods)
        return found

    def scores(self, text: str, slots: Sequence[Slot], found: Sequence[Match]) -> list[float]:
        """Return the log odds of each slot against "no slot". `found` are the matches of the rules."""
        observer, sums, mood = Observer(read(text), slots, found), self._sums, self.mood(text)
        return [mood + sum([sums[key] for key in observer.observed(at)]) for at in range(len(slots))]

    @cached_property
    def _sums(self) -> _Sums:
        return _Sums(self.slots)


def weigh(found: Iterable[str], weights: Weights) -> float:
    return sum([weights.get(name, 0.0) for name in found])


def bounded(score: float) -> float:
    """Limit a score to ±30, so that `exp` cannot overflow."""
    return max(-_HIGHEST, min(score, _HIGHEST))


def word_names(text: str) -> list[str]:
    return ["bias", *dict.fromkeys([stem(word) for word in tokens(text)])]


def probability(scores: Sequence[float]) -> float:
    """Return the probability that any of the slots is superseded. `scores` are log odds against "no slot"."""
    total = sum([math.exp(bounded(score)) for score in scores])
    return total / (1 + total)


def save(model: Model, path: Path = WEIGHTS) -> None:
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
    """Read a model from a NumPy archive, in which each table has the names of features and their weights."""
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
    return load()


@memo
def is_free_talk(text: str) -> bool:
    return model().is_free_talk(text)
