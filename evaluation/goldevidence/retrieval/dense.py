"""`dense`: cosine of sentence embeddings from the GGUF file that GOLDEVIDENCEBENCH_EMBEDDING_MODEL names."""

from __future__ import annotations

import os
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evaluation.adapters.llama.embedder import Embedder
from evaluation.adapters.llama.model_file import inspect
from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence.retrieval.pool import Pool, Scores

SETTING = "GOLDEVIDENCEBENCH_EMBEDDING_MODEL"
Vector = NDArray[np.float32]
_KEPT = 1 << 16  # cached texts: the lines of an episode are scored again for each of its questions


def scores(pool: Pool, question: str, key: str) -> Scores:
    """[entries] cosine of each entry's embedding with the embedding of the question. `key` is unused."""
    known, path = _known(), _model_path()
    texts = [question, *(entry.line() for entry in pool.entries)]
    if new := [text for text in dict.fromkeys(texts) if (path, text) not in known]:
        if len(known) + len(new) > _KEPT:
            known.clear()
            new = list(dict.fromkeys(texts))
        known.update(zip(((path, text) for text in new), _embedder(path).embed(new), strict=True))
    query, *lines = (known[path, text] for text in texts)
    return np.array([float(line @ query) for line in lines])


def embedding_model() -> dict[str, object]:
    """Metadata and SHA-256 of the embedding model's file. Raises BenchmarkError if no model is set."""
    metadata = inspect(_model_path(), takes=("embeddings", "model")).as_dict()
    return {name: metadata[name] for name in ("file", "name", "architecture", "quantization", "sha256")}


def _model_path() -> str:
    path = os.environ.get(SETTING, "")
    if not path:
        raise BenchmarkError(
            f"the dense retriever needs an embedding model: set {SETTING} to the path of a GGUF file"
        )
    return path


@lru_cache(maxsize=1)
def _known() -> dict[tuple[str, str], Vector]:
    return {}


@lru_cache(maxsize=1)
def _embedder(path: str) -> Embedder:
    return Embedder(path)
