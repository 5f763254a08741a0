"""The transformer in JAX: llama's (RMS norm, rotary positions, SwiGLU) with biases on queries, keys and values.

Embeddings are sums of parts; there are logits only for letters.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from evaluation.gym.models.shape import Shape
from evaluation.gym.models.vocabulary import LABELS, STEPS, Vocabulary

Weights: TypeAlias = dict[str, Any]
Array: TypeAlias = Any
Turned: TypeAlias = tuple[Array, Array]  # cosine and sine of every position's rotation
#: Periods, in steps, of the ramp's waves.
WAVES = (1024, 256, 64, 16)
LOOKING_BACK = (1, 2)  # tokens that the first heads of the first layer initially look back
SHARP = 5.4  # scale of their queries and keys: attention falls by e² to e⁵ per token further away
EPSILON = 1e-5


def ramp() -> Array:
    """Features of every step number, [STEPS, 1 + 2 · waves]: a linear ramp, and the sines and cosines of `WAVES`."""
    steps = np.arange(STEPS)[:, None]
    turns = 2 * np.pi * steps / np.array(WAVES)
    return np.concatenate([steps / 256 - 1, np.sin(turns), np.cos(turns)], axis=1).astype(np.float32)


def begun(key: Array, shape: Shape, known: Vocabulary) -> Weights:
    keys = iter(jax.random.split(key, 16))
    size, inner, layers = shape.size, shape.inner, shape.layers

    def matrix(rows: int, columns: int) -> Array:
        return jax.random.normal(next(keys), (layers, rows, columns)) / jnp.sqrt(rows)

    back = jnp.zeros((layers, size)).at[0].set(_looking(shape, 0.0))
    for head, tokens in enumerate(LOOKING_BACK):
        start = head * shape.head
        back = back.at[0, start : start + shape.head].set(_looking(shape, tokens)[: shape.head])
    ahead = jnp.zeros((layers, size)).at[0].set(_looking(shape, 0.0))
    only = jnp.arange(size) < len(LOOKING_BACK) * shape.head
    return {
        "parts": 0.5 * jax.random.normal(next(keys), (len(known.parts), size)),
        "ramp": jnp.array([0.5, *[0.5] * 2 * len(WAVES)])[:, None]
        * jax.random.normal(next(keys), (1 + 2 * len(WAVES), size)),
        "bq": ahead * only,
        "bk": back * only,
        "bv": jnp.zeros((layers, size)),
        "wq": matrix(size, size),
        "wk": matrix(size, size),
        "wv": matrix(size, size),
        "wo": matrix(size, size) * 0.5,
        "gate": matrix(size, inner),
        "up": matrix(size, inner),
        "down": matrix(inner, size) * 0.5,
        "norm1": jnp.ones((layers, size)),
        "norm2": jnp.ones((layers, size)),
        "norm": jnp.ones(size),
    }


def _looking(shape: Shape, tokens: float) -> Array:
    """Key bias with which a head attends to the token `tokens` back. The query bias is the same, with `tokens` = 0."""
    turns = jnp.asarray(frequencies(shape)) * tokens
    pairs = SHARP * jnp.stack([jnp.cos(turns), jnp.sin(turns)], axis=1).reshape(-1)
    return jnp.tile(pairs, shape.heads)


def frequencies(shape: Shape) -> Array:
    """Rotation per token, in radians, of each pair of dimensions of a head."""
    return shape.base ** (-np.arange(0, shape.head, 2) / shape.head)


def embeddings(weights: Weights, known: Vocabulary) -> Array:
    """The embeddings of all pieces, [pieces, size]."""
    parts = weights["parts"].at[0].set(0.0)[known.parts_of].sum(axis=1)
    step = known.step_of.astype(np.int32)
    along = jnp.asarray(ramp())[np.maximum(step, 0)] @ weights["ramp"]
    return parts + jnp.where((step >= 0)[:, None], along, 0.0)


def logits(
    weights: Weights, known: Vocabulary, shape: Shape, tokens: Array, places: Array, part: Array, at: Array
) -> Array:
    """Logits of the letters at some positions of prompts.

    Args:
        tokens: [rows, tokens], see `rows.Batch`.
        places: [rows, tokens], positions for the rotation.
        part: [rows, tokens], see `rows.Batch`.
        at: Indices of the tokens whose logits are wanted.

    Returns:
        [rows, wanted, letters].
    """
    table = embeddings(weights, known)
    x = table[tokens]
    turns = places[..., None] * jnp.asarray(frequencies(shape), jnp.float32)
    turned = (jnp.cos(turns)[:, :, None], jnp.sin(turns)[:, :, None])
    count = tokens.shape[1]
    sees = jnp.tril(jnp.ones((count, count), bool)) & (part[:, :, None] >= 0) & (part[:, None, :] >= 0)
    sees &= (part[:, None, :] == 0) | (part[:, None, :] == part[:, :, None])
    sees |= jnp.eye(count, dtype=bool)  # padding attends to itself: a softmax over nothing is NaN
    for layer in range(shape.layers):
        own = {name: each[layer] for name, each in weights.items() if name not in ("parts", "ramp", "norm")}
        seen = normed(x, own["norm1"])
        wanted = (
            np.asarray(at) if layer == shape.layers - 1 else np.arange(count)
        )  # the last layer needs no others
        x = x[:, wanted] + _attention(own, shape, seen, turned, sees, wanted)
        inner = normed(x, own["norm2"])
        x = x + (jax.nn.silu(inner @ own["gate"]) * (inner @ own["up"])) @ own["down"]
    return normed(x, weights["norm"]) @ table[known.ids(list(LABELS))].T


def normed(x: Array, gain: Array) -> Array:
    """x / RMS(x) · gain over the last axis."""
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + EPSILON) * gain


def _attention(own: Weights, shape: Shape, x: Array, turned: Turned, sees: Array, wanted: Array) -> Array:
    rows, _, size = x.shape

    def split(name: str, x: Array) -> Array:
        return (x @ own[f"w{name}"] + own[f"b{name}"]).reshape(rows, -1, shape.heads, shape.head)

    query = _turn(split("q", x[:, wanted]), (turned[0][:, wanted], turned[1][:, wanted]))
    key, value = _turn(split("k", x), turned), split("v", x)
    scores = jnp.einsum("rihd,rjhd->rhij", query, key) / np.sqrt(shape.head)
    weight = jax.nn.softmax(jnp.where(sees[:, None, wanted], scores, -1e30), axis=-1)
    return jnp.einsum("rhij,rjhd->rihd", weight, value).reshape(rows, -1, size) @ own["wo"]


def _turn(x: Array, turned: Turned) -> Array:
    """Rotate adjacent pairs of dimensions, as llama.cpp does."""
    cosine, sine = turned
    one, other = x[..., ::2], x[..., 1::2]
    return jnp.stack([one * cosine - other * sine, one * sine + other * cosine], axis=-1).reshape(x.shape)
