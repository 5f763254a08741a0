"""A network with one hidden layer in numpy, trained to rank or to classify items one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
HIDDEN = 16
#: Parameters of Adam (Kingma, Ba: "Adam: A Method for Stochastic Optimization", 2015), and weight decay.
BETAS, EPSILON, DECAY = (0.9, 0.999), 1e-8, 1e-4


class Examples(NamedTuple):
    """Training data: features of items, and which are right.

    To rank, items form groups: `starts` is the index of the first item of each group, `right` that of the right item in
    each group, both [groups]. To classify, `starts` is None and `right` is the class of each item, [items].
    """

    features: Array  # [items, features]
    right: Integers
    starts: Integers | None = None  # [groups] index of each group's first item


@dataclass(frozen=True, slots=True)
class Network:
    """Weights, and the names of the features. Untrained, every output is 0."""

    names: tuple[str, ...]
    first: Array  # [features, hidden]
    first_bias: Array  # [hidden]
    last: Array  # [hidden, outputs]
    last_bias: Array  # [outputs]

    @classmethod
    def start(cls, names: Sequence[str], outputs: int, seed: int) -> Self:
        """Make an untrained network. `outputs` is the number of classes, or 1 to rank."""
        first = np.random.default_rng(seed).normal(0, len(names) ** -0.5, (len(names), HIDDEN))
        return cls(tuple(names), first, np.zeros(HIDDEN), np.zeros((HIDDEN, outputs)), np.zeros(outputs))

    @property
    def weights(self) -> tuple[Array, ...]:
        return (self.first, self.first_bias, self.last, self.last_bias)

    def __call__(self, features: Array) -> Array:
        """Compute the outputs of items, [items, outputs].

        Args:
            features: [items, features].
        """
        hidden: Array = np.tanh(features @ self.first + self.first_bias)
        return np.asarray(hidden @ self.last + self.last_bias)

    def trained(self, examples: Examples, *, epochs: int = 400, rate: float = 0.02) -> Network:
        """The network after full-batch training with cross-entropy and Adam. Raises BenchmarkError without examples."""
        if not len(examples.right):
            raise BenchmarkError("no examples to learn from: mine more tasks, or at another level")
        weights = list(self.weights)
        means, squares = ([np.zeros_like(each) for each in weights] for _ in range(2))
        for epoch in range(1, epochs + 1):
            slopes = _slopes(weights, examples)
            for place, slope in enumerate(slopes):
                means[place] = BETAS[0] * means[place] + (1 - BETAS[0]) * slope
                squares[place] = BETAS[1] * squares[place] + (1 - BETAS[1]) * slope**2
                step = means[place] / (1 - BETAS[0] ** epoch)
                scale = np.sqrt(squares[place] / (1 - BETAS[1] ** epoch)) + EPSILON
                weights[place] = weights[place] - rate * step / scale
        return Network(self.names, *weights)

    def save(self, path: str | Path, about: dict[str, object]) -> None:
        weights = {name: each.tolist() for name, each in zip(_WEIGHTS, self.weights, strict=True)}
        with jsonl.fresh(path) as out:
            out.write(jsonl.dumps({**about, "features": self.names, "weights": weights}) + b"\n")


_WEIGHTS = ("first", "first_bias", "last", "last_bias")


def load(path: str | Path, names: Sequence[str], learner: str) -> Network:
    """Read a network. Raises BenchmarkError for a file of another kind, learner or set of features."""
    try:
        data: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        weights = [np.asarray(data["weights"][name], dtype=np.float64) for name in _WEIGHTS]
    except (ValueError, KeyError, TypeError) as error:
        raise BenchmarkError(f"{path}: not a trained learner: {error}") from error
    if data.get("learner") != learner:
        raise BenchmarkError(f"{path}: trained as the learner {data.get('learner')!r}, not {learner!r}")
    if tuple(data["features"]) != tuple(names):
        raise BenchmarkError(f"{path}: its features are not those of the learner {learner!r}")
    if weights[0].shape[0] != len(names) or not all(np.isfinite(each).all() for each in weights):
        raise BenchmarkError(f"{path}: the weights do not fit the features, or are not finite")
    return Network(tuple(names), *weights)


def _slopes(weights: Sequence[Array], examples: Examples) -> list[Array]:
    """The gradient of the mean cross-entropy with respect to each weight array, with weight decay."""
    first, first_bias, last, last_bias = weights
    hidden = np.tanh(examples.features @ first + first_bias)
    outputs = hidden @ last + last_bias
    by_output = _by_output(outputs, examples) / len(examples.right)
    by_hidden = (by_output @ last.T) * (1 - hidden**2)
    return [
        examples.features.T @ by_hidden + DECAY * first,
        by_hidden.sum(axis=0),
        hidden.T @ by_output + DECAY * last,
        by_output.sum(axis=0),
    ]


def _by_output(outputs: Array, examples: Examples) -> Array:
    """The gradient of the summed cross-entropy with respect to the outputs: probabilities minus targets.

    Probabilities are over the items of a group (to rank), or over the classes of an item (to classify).
    """
    right, starts = examples.right, examples.starts
    if starts is None:
        chances = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        chances[np.arange(len(right)), right] -= 1
        return np.asarray(chances)
    sizes = np.diff(np.append(starts, len(outputs)))
    scores = outputs[:, 0] - np.repeat(np.maximum.reduceat(outputs[:, 0], starts), sizes)
    chances = np.exp(scores)
    chances /= np.repeat(np.add.reduceat(chances, starts), sizes)
    chances[starts + right] -= 1
    return np.asarray(chances[:, None])
