"""`tfidf`: cosine of raw-count TF-IDF vectors."""

from __future__ import annotations

import numpy as np

from evaluation.goldevidence.retrieval.pool import Pool, Scores


def scores(pool: Pool, question: str, key: str) -> Scores:
    """[entries] cosine of each entry with the question, from 0 to 1. `key` is unused.

    Source:
        scikit-learn's smooth inverse document frequency, `ln((N + 1) / (n + 1)) + 1`.
    """
    terms = pool.terms
    rarity = np.log((len(terms) + 1) / (terms.document_frequency + 1)) + 1.0
    query = terms.query(question) * rarity
    vectors = terms.counts * rarity[terms.ids]
    lengths = np.sqrt((vectors**2).sum(axis=1)) * np.sqrt((query**2).sum())
    products = (vectors * query[terms.ids]).sum(axis=1)
    cosine: Scores = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return cosine
