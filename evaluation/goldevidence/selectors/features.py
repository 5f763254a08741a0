"""What the linear selector sees of a candidate: 18 numbers, or the 16 of older models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.goldevidence.data.ledger import AUTHORITATIVE, Entry
from evaluation.goldevidence.retrieval.terms import words

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


def feature_matrix(shown: Sequence[Entry], question: str, key: str) -> NDArray[np.float64]:
    """What the linear selector sees of the candidates. Steps and positions are scaled to [0, 1].

    Args:
        shown: The candidates, in the order shown.
        question: The question as the row asks it.
        key: The key that it is about.

    Returns:
        [candidates, 18], columns as in FEATURES.
    """
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
    """is_set, is_clear, is_add, is_remove, is_note, is_authoritative, is_update"""
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
    """value_in_question, value_token_overlap, question_len_norm, value_len_norm"""
    tokens = words(value)
    distinct = set(tokens)
    overlap = len(distinct & known) / len(distinct) if distinct else 0.0
    return float(bool(value) and value.lower() in asked), overlap, length, min(len(tokens) / 10.0, 1.0)
