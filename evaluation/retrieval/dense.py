"""`dense`: cosine of sentence embeddings from a GGUF file, through llama-cpp-python's embedding mode.

The model is named by the setting GOLDEVIDENCEBENCH_EMBEDDING_MODEL (a path); nothing is downloaded.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import BenchmarkError
from evaluation.retrieval.pool import Pool, Scores

SETTING = "GOLDEVIDENCEBENCH_EMBEDDING_MODEL"


def scores(pool: Pool, question: str, key: str) -> Scores:
    """[entries] cosine of each entry's embedding with the question's. `key` is not looked at."""
    path = _model_path()
    query = _embedding(path, question)
    return np.array([float(_embedding(path, entry.line()) @ query) for entry in pool.entries])


def _model_path() -> str:
    path = os.environ.get(SETTING, "")
    if not path:
        raise BenchmarkError(
            f"the dense retriever needs an embedding model: set {SETTING} to the path of a GGUF file"
        )
    if not Path(path).is_file():
        raise BenchmarkError(f"{SETTING}: no such file: {path}")
    return path


@lru_cache(maxsize=1)
def _model(path: str) -> Any:
    try:
        llama = import_module("llama_cpp").Llama
    except ImportError as error:
        raise BenchmarkError(
            "the dense retriever needs llama-cpp-python: pip install 'goldevidencebench-site[llama]'"
        ) from error
    return llama(model_path=path, embedding=True, n_ctx=512, verbose=False)


@lru_cache(maxsize=1 << 16)
def _embedding(path: str, text: str) -> NDArray[np.float64]:
    """[dimension], of length 1. Where a model gives one vector per token, their mean is taken."""
    raw = np.asarray(_model(path).create_embedding(text)["data"][0]["embedding"], dtype=np.float64)
    vector = raw.mean(axis=0) if raw.ndim == 2 else raw
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
