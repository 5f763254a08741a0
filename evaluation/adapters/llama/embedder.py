"""Sentence embeddings from a GGUF model: vectors of length 1."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.adapters.llama.engine import Buffers
from evaluation.adapters.llama.library import last_log, llama_api, load_weights, usable_cores
from evaluation.core.errors import AdapterError

Vectors = NDArray[np.float32]
MEAN = 1  # LLAMA_POOLING_TYPE_MEAN: for a model not made for embeddings
BATCH = 512  # tokens computed together; also the longest text


class Embedder:
    """An embedding model, not thread-safe. It pools token vectors as the model's metadata says (default: mean)."""

    def __init__(self, path: str, *, threads: int = 0) -> None:
        model = load_weights(path)
        self._api = api = llama_api()
        weakref.finalize(self, api.llama_model_free, model)  # runs even if Python exits first
        self._vocab = api.llama_model_get_vocab(model)
        self.size: int = api.llama_model_n_embd(model)
        self._longest = min(BATCH, api.llama_model_n_ctx_train(model) or BATCH)
        self._context = self._opened(model, threads or usable_cores())
        # finalizers run last in, first out: the context before its model
        weakref.finalize(self, api.llama_free, self._context)
        self._buffers = Buffers(BATCH)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embedding vectors of texts, [texts, size].

        Args:
            texts: A text longer than the model's limit is cut.
        """
        vectors = np.zeros((len(texts), self.size), np.float32)
        for batch in self._batches([self._tokens(text) for text in texts]):
            self._compute([tokens for _, tokens in batch])
            for seq, (index, _) in enumerate(batch):
                vectors[index] = self._vector(seq)
        return vectors

    def _opened(self, model: Any, threads: int) -> Any:
        params = self._api.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = BATCH
        params.n_seq_max = self._sequences = min(64, self._api.llama_max_parallel_sequences())
        params.kv_unified = params.embeddings = True
        params.flash_attn_type = 0  # as in the engine: a vector should hardly depend on its batch
        params.n_threads = params.n_threads_batch = threads
        context = self._api.llama_init_from_model(model, params)
        if context and self._api.llama_pooling_type(context) == 0:  # the file names none
            self._api.llama_free(context)
            params.pooling_type = MEAN
            context = self._api.llama_init_from_model(model, params)
        if not context:
            raise AdapterError(f"llama.cpp cannot make embeddings with this model: {last_log()}")
        return context

    def _tokens(self, text: str) -> list[int]:
        data = text.encode()
        room = len(data) + 8
        tokens = (self._api.llama_token * room)()
        count = self._api.llama_tokenize(self._vocab, data, len(data), tokens, room, True, False)
        return [int(token) for token in tokens[: min(max(count, 0), self._longest)]]

    def _batches(self, texts: Sequence[list[int]]) -> Iterator[list[tuple[int, list[int]]]]:
        """Yield batches of (index of a text, its tokens). Empty texts are left out."""
        batch: list[tuple[int, list[int]]] = []
        size = 0
        for index, tokens in enumerate(texts):
            if not tokens:
                continue
            if size + len(tokens) > BATCH or len(batch) == self._sequences:
                yield batch
                batch, size = [], 0
            batch.append((index, tokens))
            size += len(tokens)
        if batch:
            yield batch

    def _compute(self, texts: Sequence[list[int]]) -> None:
        sizes = [len(tokens) for tokens in texts]
        batch = self._buffers.fill(
            self._api,
            np.concatenate(texts),
            np.concatenate([np.arange(size) for size in sizes]),
            np.repeat(np.arange(len(texts)), sizes),
            np.ones(sum(sizes), np.int8),
        )
        memory = self._api.llama_get_memory(self._context)
        if memory:
            self._api.llama_memory_clear(memory, False)
        if code := self._api.llama_decode(self._context, batch):
            raise AdapterError(f"llama.cpp failed to embed a text (code {code}): {last_log()}")

    def _vector(self, seq: int) -> NDArray[np.float32]:
        pointer = self._api.llama_get_embeddings_seq(self._context, seq)
        if not pointer:
            raise AdapterError("this model computes no embedding of a whole text: choose an embedding model")
        floats = ctypes.cast(pointer, ctypes.POINTER(ctypes.c_float))
        vector = np.ctypeslib.as_array(floats, (self.size,)).copy()
        length = float(np.linalg.norm(vector))
        return np.asarray(vector / length, np.float32) if length else vector
