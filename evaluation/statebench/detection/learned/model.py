"""The learned model: probability that a turn supersedes the value of a slot.

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

    `gate`: minimum sum of word weights for a turn to be considered.
    `mood`, `flags`: minimum mood and minimum probability of a change where no rule applies.
    `calm`, `vetoes`: an unsure rule is vetoed if the mood or the probability is lower.
    `doubts`: a certain rule is vetoed if the probability is lower.
    `beside`: maximum difference between the best score and the score of a further match.
    """

    gate: float
    mood: float
    calm: float
    flags: float
    vetoes: float
    doubts: float
    beside: float


class _Sums(dict[Key, float]):
    """Sums of weights by the key of a feature group, computed on first use."""

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
    """Weights by feature name. `words`: is a turn free talk. `moods`: is it news. `slots`: which slot is meant."""

    words: Weights
    moods: Weights
    slots: Weights
    thresholds: Thresholds
    _moods: dict[str, float] = field(default_factory=dict, compare=False, repr=False)

    def is_free_talk(self, text: str) -> bool:
        """True if the words of a turn reach the `gate`, so that the model considers it."""
        return weigh(word_names(text), self.words) >= self.thresholds.gate

    def mood(self, text: str) -> float:
        """Weight of a turn's own features: how much it sounds like news, whatever the slot."""
        found = self._moods.get(text)
        if found is None:
            if len(self._moods) >= MOST:
                self._moods.clear()
            found = self._moods[text] = weigh(read(text).names, self.moods)
        return found

    def scores(self, text: str, slots: Sequence[Slot], found: Sequence[Match]) -> list[float]:
        """Log odds that each slot is superseded, against no change; `found` are the matches of the rules."""
        observer, sums, mood = Observer(read(text), slots, found), self._sums, self.mood(text)
        return [mood + sum([sums[key] for key in observer.observed(at)]) for at in range(len(slots))]

    @cached_property
    def _sums(self) -> _Sums:
        return _Sums(self.slots)


def weigh(found: Iterable[str], weights: Weights) -> float:
    return sum([weights.get(name, 0.0) for name in found])


def bounded(score: float) -> float:
    """The score within ±30, so that `exp` cannot overflow."""
    return max(-_HIGHEST, min(score, _HIGHEST))


def word_names(text: str) -> list[str]:
    return ["bias", *dict.fromkeys([stem(word) for word in tokens(text)])]


def probability(scores: Sequence[float]) -> float:
    """Probability that any slot is superseded."""
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
    """Read a model from a NumPy archive: for each table the feature names, one per line, and their weights."""
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
