"""`bm25`: Okapi BM25 over operation, key and value of each entry (k1 1.5, b 0.75)."""

from __future__ import annotations

import numpy as np

from evaluation.goldevidence.retrieval.pool import Pool, Scores

#: Saturation of a term's frequency, and weight of an entry's length (see the paper of `scores`).
K1 = 1.5
B = 0.75


def scores(pool: Pool, question: str, key: str) -> Scores:
    """[entries] BM25 of each entry for the words of the question. `key` is unused.

    Source:
        Robertson, Zaragoza: "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; the inverse document
        frequency is Lucene's, `ln(1 + (N - n + 0.5) / (n + 0.5))`, which is never negative.
    """
    terms = pool.terms
    frequency = terms.document_frequency
    rarity = np.log((len(terms) - frequency + 0.5) / (frequency + 0.5) + 1.0) * terms.query(question)
    saturation = K1 * (1.0 - B + B * (terms.lengths / terms.lengths.mean()))
    weights = terms.counts * (K1 + 1.0) / (terms.counts + saturation[:, None])
    result: Scores = (rarity[terms.ids] * weights).sum(axis=1)
    return result
