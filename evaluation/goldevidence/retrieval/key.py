"""`key`: the entries of the asked key, latest first."""

from __future__ import annotations

import numpy as np

from evaluation.goldevidence.retrieval.pool import Pool, Scores


def scores(pool: Pool, question: str, key: str) -> Scores:
    """Score the entries of `key` by their step, [entries]. Entries of other keys get -inf."""
    return np.where(pool.keys == key, pool.steps, -np.inf)
