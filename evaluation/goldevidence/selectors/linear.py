"""`linear`: scores each candidate by a weighted sum of features. The weights are trained and stored as JSON.

{"feature_order": [...], "weights": [...], "meta": {"train_selection_rate": …, "seed": …, "epochs": …, "lr": …}}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.core import jsonl
from evaluation.core.errors import FORM_FAULTS, BenchmarkError, RowError
from evaluation.core.records import JsonObject
from evaluation.core.rng import Stream
from evaluation.goldevidence.data.ledger import AUTHORITATIVE, Entry
from evaluation.goldevidence.retrieval.terms import words

Weights = NDArray[np.float64]
TEST_SHARE = 0.2  # share of examples held out to test the trained weights
LARGEST = 1e100  # no weight is larger, and no sum of 18 products overflows below it
SHIPPED = "linear.json"
FEATURES: tuple[str, ...] = (
    "bias",
    "step_norm",
    "step_delta_norm",
    "is_latest_step",
    "recency_rank_norm",
    "pos_norm",
    "is_set",
    "is_clear",
    "is_add",
    "is_remove",
    "is_note",
    "is_authoritative",
    "is_update",
    "key_in_question",
    "value_in_question",
    "value_token_overlap",
    "question_len_norm",
    "value_len_norm",
)


@dataclass(frozen=True, slots=True)
class LinearSelector:
    """A selector with `weights` [18] in the order of FEATURES."""

    weights: Weights
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, shown: Sequence[Entry], question: str, key: str) -> Entry | None:
        """The candidate with the greatest score, or the first of several. Returns None if there are no candidates."""
        if not shown:
            return None
        return shown[int(np.argmax(feature_matrix(shown, question, key) @ self.weights))]


def load(path: str | Path) -> LinearSelector:
    """Load a selector file. Raises BenchmarkError if it does not validate."""
    try:
        return parse(json.loads(Path(path).read_text(encoding="utf-8")))
    except (ValueError, BenchmarkError) as error:
        raise BenchmarkError(f"{path}: not a linear selector: {error}") from error


def count_weights(path: str | Path) -> int:
    """Number of weights in a selector's file. Raises BenchmarkError if it is not a selector."""
    load(path)
    return len(json.loads(Path(path).read_text(encoding="utf-8"))["weights"])


def parse(data: Any) -> LinearSelector:
    """Build a selector from its JSON form. Features that the JSON omits get weight 0. Raises BenchmarkError."""
    if not isinstance(data, dict) or not isinstance(data.get("feature_order"), list):
        raise BenchmarkError("the file must be a JSON object with feature_order, weights and meta")
    names, weights = data["feature_order"], data.get("weights")
    if not isinstance(weights, list) or len(weights) != len(names):
        raise BenchmarkError(f"`weights` must be a list of {len(names)} numbers, one for each feature")
    if unknown := [str(name) for name in names if not isinstance(name, str) or name not in FEATURES]:
        raise BenchmarkError(f"unknown features: {', '.join(unknown)}. Known: {', '.join(FEATURES)}")
    if not all(map(_is_weight, weights)):
        raise BenchmarkError("every weight must be a finite number")
    if len(set(names)) < len(names):
        raise BenchmarkError("`feature_order` names a feature twice")
    if not isinstance(meta := data.get("meta") or {}, dict):
        raise BenchmarkError("`meta` must be an object")
    by_name = dict(zip(names, weights, strict=True))
    return LinearSelector(np.array([by_name.get(name, 0.0) for name in FEATURES], dtype=np.float64), meta)


def _is_weight(weight: object) -> bool:
    return isinstance(weight, int | float) and not isinstance(weight, bool) and abs(weight) < LARGEST


def save(selector: LinearSelector, path: str | Path, *, sources: Iterable[str | Path] = ()) -> None:
    """Write the selector as JSON. Raises BenchmarkError if `path` is one of `sources`, the files it was trained on."""
    data = {
        "feature_order": list(FEATURES),
        "weights": selector.weights.tolist(),
        "meta": dict(selector.meta),
    }
    with jsonl.fresh(path, sources=sources) as out:
        out.write(f"{json.dumps(data, indent=2)}\n".encode())


@dataclass(frozen=True, slots=True)
class _Example:
    features: NDArray[np.float64]  # [candidates, 18]
    target: NDArray[np.float64]  # [candidates], 1 for the correct one
    correct: int


def train(
    examples: Iterable[Mapping[str, object]],
    *,
    epochs: int = 30,
    lr: float = 0.1,
    seed: int = 0,
    note_penalty: float = 0.0,
) -> LinearSelector:
    """Train by softmax regression over the candidates of each exported example (see `export`).

    Examples without their correct line are left out. A fifth of the remaining examples, drawn by the seed, is held
    out and gives `test_selection_rate` in `meta`. With a `note_penalty` above 0 a NOTE is never a target.

    Raises:
        RowError: A line, numbered from 1, is not an example.
        BenchmarkError: Fewer than two examples are usable, or training diverged.
    """
    data = list(_prepared(examples, note_penalty))
    if len(data) < 2:
        raise BenchmarkError("training needs at least two examples that show their correct line")
    stream = Stream("linear selector", seed)
    stream.shuffle(data)
    split = max(1, int(len(data) * (1 - TEST_SHARE)))
    train_set, test_set = data[:split], data[split:]
    weights = _fit(train_set, epochs, lr, stream)
    if not np.isfinite(weights).all():
        raise BenchmarkError(f"training did not converge: a learning rate of {lr:g} is too large")
    meta = {
        "train_selection_rate": _selection_rate(train_set, weights),
        "test_selection_rate": _selection_rate(test_set, weights),
        "train_examples": len(train_set),
        "test_examples": len(test_set),
        "seed": seed,
        "epochs": epochs,
        "lr": lr,
        "note_penalty": note_penalty,
    }
    return LinearSelector(weights, meta)


def example_entries(example: JsonObject) -> list[Entry]:
    return [
        Entry(line["uid"], line["step"], line["op"], line["key"], line.get("value"))
        for line in example["candidates"]
    ]


def _prepared(examples: Iterable[Mapping[str, object]], note_penalty: float) -> Iterator[_Example]:
    for number, example in enumerate(examples, 1):
        try:
            if _is_usable(example):
                yield _prepare(example, note_penalty)
        except FORM_FAULTS as error:
            raise RowError("the row is not an exported example", line=number) from error


def _is_usable(example: JsonObject) -> bool:
    correct = example.get("correct_uid")
    return bool(example.get("gold_present")) and any(line["uid"] == correct for line in example["candidates"])


def _prepare(example: JsonObject, note_penalty: float) -> _Example:
    entries = example_entries(example)
    correct = [entry.uid for entry in entries].index(example["correct_uid"])
    target = np.zeros(len(entries))
    target[correct] = 0.0 if note_penalty > 0 and entries[correct].op == "NOTE" else 1.0
    return _Example(feature_matrix(entries, example["question"], example["key"]), target, correct)


def _fit(data: list[_Example], epochs: int, lr: float, stream: Stream) -> Weights:
    """Stochastic gradient descent on the cross-entropy of softmax(features · weights), from zero."""
    weights = np.zeros(len(FEATURES))
    for _ in range(epochs):
        stream.shuffle(data)
        for example in data:
            scores = example.features @ weights
            chances = np.exp(scores - scores.max())
            weights -= lr * ((chances / chances.sum() - example.target) @ example.features)
    return weights


def _selection_rate(data: Sequence[_Example], weights: Weights) -> float | None:
    if not data:
        return None
    return sum(int(np.argmax(example.features @ weights)) == example.correct for example in data) / len(data)


@cache
def shipped() -> LinearSelector:
    return parse(
        json.loads(files("evaluation.goldevidence.selectors").joinpath(SHIPPED).read_text(encoding="utf-8"))
    )


def linear(shown: Sequence[Entry], question: str, key: str) -> Entry | None:
    return shipped()(shown, question, key)


def feature_matrix(shown: Sequence[Entry], question: str, key: str) -> NDArray[np.float64]:
    """[candidates, 18], the features of the candidates, columns as in FEATURES. Steps and positions are in [0, 1]."""
    asked, asked_words = question.lower(), words(question)
    known, last = set(asked_words), max(len(shown) - 1, 1)
    steps = [entry.step for entry in shown]
    latest = max(steps, default=0)
    has_key = float(bool(key) and key.lower() in asked)
    length = min(len(asked_words) / 20.0, 1.0)
    rows = [
        (
            1.0,
            entry.step / latest if latest else 0.0,
            (latest - entry.step) / latest if latest else 0.0,
            float(entry.step == latest),
            sum(step > entry.step for step in steps) / last,
            position / last,
            *_operation(entry.op),
            has_key,
            *_wording(str(entry.value), asked, known, length),
        )
        for position, entry in enumerate(shown)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(shown), len(FEATURES))


def _operation(op: str) -> tuple[float, ...]:
    """The features is_set, is_clear, is_add, is_remove, is_note, is_authoritative, is_update."""
    return (
        float(op == "SET"),
        float(op == "CLEAR"),
        float(op == "ADD"),
        float(op == "REMOVE"),
        float(op == "NOTE"),
        float(op != "NOTE"),
        float(op in AUTHORITATIVE),
    )


def _wording(value: str, asked: str, known: set[str], length: float) -> tuple[float, ...]:
    """The features value_in_question, value_token_overlap, question_len_norm, value_len_norm."""
    tokens = words(value)
    distinct = set(tokens)
    overlap = len(distinct & known) / len(distinct) if distinct else 0.0
    return float(bool(value) and value.lower() in asked), overlap, length, min(len(tokens) / 10.0, 1.0)
