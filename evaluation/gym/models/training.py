"""Training of a network, with checkpoints: AdamW for embeddings, biases and norms, Muon for matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from evaluation.gym.models.network import Array, Weights, begun, logits
from evaluation.gym.models.rows import Batch
from evaluation.gym.models.shape import Shape
from evaluation.gym.models.vocabulary import Vocabulary

MATRICES = frozenset({"wq", "wk", "wv", "wo", "gate", "up", "down"})
NEWTON = (3.4445, -4.7750, 2.0315)  # of Muon's orthogonalization (Jordan 2024)
RISING = 20  # warm-up steps


@dataclass(frozen=True)
class Pace:
    """The learning rates: they rise over the first steps, are constant, and fall to zero over the last 40%."""

    steps: int
    rate: float = 3e-3
    matrix_rate: float = 0.02
    decay: float = 0.01

    def at(self, step: int) -> float:
        return min(1.0, (step + 1) / RISING, (self.steps - step) / (0.4 * self.steps))


class Learner:
    """A network with its optimizer."""

    def __init__(self, shape: Shape, known: Vocabulary, seed: int = 0) -> None:
        self.shape, self.known, self.steps = shape, known, 0
        self.weights = begun(jax.random.key(seed), shape, known)
        self._first = jax.tree.map(jnp.zeros_like, self.weights)
        self._second = jax.tree.map(jnp.zeros_like, self.weights)
        self._step = jax.jit(partial(_step, known, shape))
        self._likely = jax.jit(partial(_likely, known, shape))

    def learn(self, batch: Batch, pace: Pace, share: float) -> tuple[float, float]:
        """Do one training step, with learning rates times `share`. Returns loss, and accuracy on first questions."""
        self.steps += 1
        rates = np.array([share * pace.rate, share * pace.matrix_rate, pace.decay, self.steps], np.float32)
        self.weights, self._first, self._second, told = self._step(
            self.weights, self._first, self._second, tuple(batch), rates
        )
        loss, right = np.asarray(told)
        return float(loss), float(right)

    def answers(self, batch: Batch) -> tuple[Array, Array]:
        """Return (answered index, log-probability of the right index) for the first question of each prompt."""
        likely = np.asarray(self._likely(self.weights, tuple(batch)))
        return likely.argmax(axis=1), np.take_along_axis(likely, batch.target[:, :1], axis=1)[:, 0]

    def save(self, path: Path) -> None:
        arrays = {
            f"{kind}/{name}": np.asarray(each)
            for kind, tree in (("weights", self.weights), ("first", self._first), ("second", self._second))
            for name, each in tree.items()
        }
        np.savez(path, steps=np.array(self.steps), **arrays)  # type: ignore[arg-type]  # numpy's stub: no arrays by name

    def begin_as(self, path: Path) -> None:
        """Take the weights of a checkpoint, with a new optimizer."""
        with np.load(path) as found:
            self.weights = {name: jnp.asarray(found[f"weights/{name}"]) for name in self.weights}

    def load(self, path: Path) -> None:
        with np.load(path) as found:
            trees: dict[str, Weights] = {"weights": {}, "first": {}, "second": {}}
            for name in found.files:
                kind, _, own = name.partition("/")
                if own:
                    trees[kind][own] = jnp.asarray(found[name])
            self.steps = int(found["steps"])
        self.weights, self._first, self._second = trees["weights"], trees["first"], trees["second"]


def _loss(weights: Weights, known: Vocabulary, shape: Shape, batch: tuple[Any, ...]) -> tuple[Array, Array]:
    *_, target, weight = batch
    likely = jax.nn.log_softmax(_said(weights, known, shape, batch))
    chosen = jnp.take_along_axis(likely, target[..., None], axis=2)[..., 0]
    right = (likely[:, 0].argmax(axis=1) == target[:, 0]) * weight[:, 0]
    return -(chosen * weight).sum() / weight.sum(), right.sum() / weight[:, 0].sum()


def _said(weights: Weights, known: Vocabulary, shape: Shape, batch: tuple[Any, ...]) -> Array:
    tokens, places, part, target, _ = batch
    questions = target.shape[1]
    at = np.arange(tokens.shape[1] - 2 * questions + 1, tokens.shape[1], 2)
    return logits(weights, known, shape, tokens, places, part, at)


def _likely(known: Vocabulary, shape: Shape, weights: Weights, batch: tuple[Any, ...]) -> Array:
    return jax.nn.log_softmax(_said(weights, known, shape, batch)[:, 0])


def _step(
    known: Vocabulary,
    shape: Shape,
    weights: Weights,
    first: Weights,
    second: Weights,
    batch: Any,
    rates: Array,
) -> tuple[Weights, Weights, Weights, Array]:
    rate, matrix_rate, decay, step = rates
    (loss, right), slopes = jax.value_and_grad(_loss, has_aux=True)(weights, known, shape, batch)
    norm = jnp.sqrt(sum(jnp.sum(each**2) for each in jax.tree.leaves(slopes)))
    slopes = jax.tree.map(lambda each: each * jnp.minimum(1.0, 1.0 / norm), slopes)
    new: list[Weights] = [{}, {}, {}]
    for name, slope in slopes.items():
        old = weights[name]
        if name in MATRICES:
            momentum = 0.95 * first[name] + slope
            scale = 0.2 * np.sqrt(max(old.shape[1:]))
            moved = scale * _orthogonal(slope + 0.95 * momentum)
            kept = second[name]
            changed = old * (1 - matrix_rate * decay) - matrix_rate * moved
        else:
            momentum, kept = 0.9 * first[name] + 0.1 * slope, 0.98 * second[name] + 0.02 * slope**2
            moved = momentum / (1 - 0.9**step) / (jnp.sqrt(kept / (1 - 0.98**step)) + 1e-8)
            changed = old - rate * moved
        for tree, value in zip(new, (changed, momentum, kept), strict=True):
            tree[name] = value
    return new[0], new[1], new[2], jnp.stack([loss, right])


def _orthogonal(x: Array) -> Array:
    """Approximately the nearest orthogonal matrices: five steps of Newton and Schulz."""
    a, b, c = NEWTON
    tall = x.shape[1] > x.shape[2]
    x = jnp.swapaxes(x, 1, 2) if tall else x
    x = x / (jnp.linalg.norm(x, axis=(1, 2), keepdims=True) + 1e-7)
    for _ in range(5):
        square = x @ jnp.swapaxes(x, 1, 2)
        x = a * x + (b * square + c * square @ square) @ x
    return jnp.swapaxes(x, 1, 2) if tall else x
