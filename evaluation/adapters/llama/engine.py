"""A GGUF model in llama.cpp: tokens in, logits out, with a KV cache that evaluates shared prefixes once.

With one sequence every answer is computed alone, in sequence 0. A text is evaluated in pieces of at most `ubatch`
tokens. Piece boundaries depend on the text alone: a piece ends with a line, unless it would be too short. Only whole
pieces are reused from the cache. So the same prompt always gives exactly the same logits. (Floating point sums depend
on how a text is split. With quantized weights, the difference can reach the first digit of a logit.)

With several sequences, sequence 0 contains the *head*, the longest common prefix of the current queries. Sequences 1…
fork from the head without copying (the cache is unified), and answers are decoded in common batches. This is faster if
reading the weights takes most of a step. But if two tokens are nearly as likely, the choice depends on the batch.
"""

from __future__ import annotations

import ctypes
import time
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import ModuleType
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluation.adapters.base import ShouldStop, Stopped, Told
from evaluation.adapters.llama.library import (
    Repack,
    apply_lora,
    last_log,
    llama_api,
    load_weights,
    usable_cores,
)
from evaluation.core.errors import AdapterError

Logits = NDArray[np.float32]
KVType: TypeAlias = Literal["f16", "f32", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0"]
#: Most tokens of a piece: on two cores 32 are as fast as 512 (151 to 157 a second), and a line of a ledger fits.
PIECE = 48
SHORTEST = 8  # fewest tokens of a piece: smaller batches cost more for each token
#: Prompt tokens from which on the reading progress is reported.
LONG = 512
STOP_INTERVAL_S = 0.05  # between calls of should_stop while llama.cpp computes
ABORTED, NO_SLOT = 2, 1  # return codes of llama_decode


@dataclass(frozen=True, slots=True)
class Feed:
    """Tokens to append to sequence `seq`. Logits are returned for the last token, or for all tokens if `every`."""

    seq: int
    position: int
    tokens: Sequence[int]
    every: bool = False


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Options for loading and computing. `ubatch`: tokens at a time; 0 means PIECE with one sequence, else `batch`."""

    context: int
    batch: int
    threads: int
    gpu_layers: int = 0
    sequences: int = 1
    ubatch: int = 0
    flash_attention: bool = False
    kv_type: KVType = "f16"
    repack: Repack = "auto"
    lora: str = ""


class Engine:
    """One model and one context. Not thread-safe."""

    def __init__(self, path: str, settings: EngineSettings) -> None:
        self._model: Any = None
        self._context: Any = None
        self.alone = settings.sequences == 1
        self._model = load_weights(path, gpu_layers=settings.gpu_layers, repack=settings.repack)
        self._api = api = llama_api()
        self.vocab = api.llama_model_get_vocab(self._model)
        self.vocab_size: int = api.llama_vocab_n_tokens(self.vocab)
        self.context = min(settings.context, api.llama_model_n_ctx_train(self._model)) or settings.context
        most = min(settings.batch, self.context)
        self.ubatch = min(settings.ubatch or (PIECE if self.alone else most), most)
        self._shortest = min(SHORTEST, self.ubatch)
        self.batch = most // self.ubatch * self.ubatch
        self._open_context(settings)
        self._buffers = Buffers(self.batch)
        self._held: list[int] = []  # the tokens of sequence 0
        self._ends: list[int] = []  # ends of its leading whole pieces
        self._stop: _StopCheck | None = None
        self._told: Told | None = None

    def _open_context(self, settings: EngineSettings) -> None:
        params = self._api.llama_context_default_params()
        params.n_ctx = self.context
        params.n_batch, params.n_ubatch = self.batch, self.ubatch
        params.n_seq_max = 1 if self.alone else settings.sequences + 1
        params.kv_unified = True
        # On the CPU flash attention adds up single tokens in 16 bits and larger batches in 32: logits depend, in
        # the second digit, on which rows share a batch. Off, they agree to about 1e-6 before weights are quantized.
        params.flash_attn_type = int(settings.flash_attention)
        params.type_k = params.type_v = getattr(self._api, f"GGML_TYPE_{settings.kv_type.upper()}")
        params.n_threads = params.n_threads_batch = settings.threads or usable_cores()
        self._context = self._api.llama_init_from_model(self._model, params)
        if not self._context:
            reason = last_log()
            self.close()
            raise AdapterError(f"llama.cpp cannot open a context of {self.context} tokens: {reason}")
        self._memory = self._api.llama_get_memory(self._context)
        if settings.lora:
            apply_lora(self._model, self._context, settings.lora)

    def close(self) -> None:
        """Free the context, then the model. Safe to call twice."""
        if self._context:
            self._api.llama_free(self._context)
            self._context = None
        if self._model:
            self._api.llama_model_free(self._model)
            self._model = None

    def __del__(self) -> None:
        if getattr(self, "_api", None) is not None:
            self.close()

    # --- text -----------------------------------------------------------------------------------------------

    def tokenize(self, text: str, *, special: bool = False, begin: bool = False) -> list[int]:
        """Tokens of a text. `special`: parse the names of control tokens; `begin`: start with a BOS token."""
        data = text.encode()
        room = len(data) + 8
        tokens = (self._api.llama_token * room)()
        count = self._api.llama_tokenize(self.vocab, data, len(data), tokens, room, begin, special)
        if count < 0:
            raise AdapterError(
                f"the tokenizer makes {-count} tokens from {len(data)} bytes, more than one per byte"
            )
        return [int(token) for token in tokens[:count]]

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """Bytes of a token, possibly part of a character. A control token gives its name if `special`, else b""."""
        buffer = ctypes.create_string_buffer(256)
        size = self._api.llama_token_to_piece(self.vocab, token, buffer, len(buffer), 0, special)
        return buffer.raw[: max(size, 0)]

    @cached_property
    def pieces(self) -> list[bytes]:
        return [self.piece(token) for token in range(self.vocab_size)]

    def is_end(self, token: int) -> bool:
        return bool(self._api.llama_vocab_is_eog(self.vocab, token))

    @property
    def end_token(self) -> int:
        return int(self._api.llama_vocab_eos(self.vocab))

    @property
    def wants_begin(self) -> bool:
        """True if the model expects a BOS token before plain text."""
        return bool(self._api.llama_vocab_get_add_bos(self.vocab))

    @property
    def chat_template(self) -> str | None:
        template = self._api.llama_model_chat_template(self._model, None)
        return template.decode() if template else None

    def special_text(self, name: str) -> str:
        """Text of the `bos` or `eos` token, for a chat template; empty if the model has no such token."""
        token = getattr(self._api, f"llama_vocab_{name}")(self.vocab)
        return self._api.llama_vocab_get_text(self.vocab, token).decode() if token >= 0 else ""

    @cached_property
    def _line_ends(self) -> frozenset[int]:
        return frozenset(token for token, text in enumerate(self.pieces) if text.endswith(b"\n"))

    # --- the cache ------------------------------------------------------------------------------------------

    def take_up(self, tokens: Sequence[int], *, reuse: bool = True) -> int:
        """Cut the cached sequence 0 to the part that `tokens` can reuse. Returns the new length, 0 without `reuse`."""
        # the last token is always evaluated, as its logits are wanted
        shared = common_prefix([self._held, tokens[:-1]]) if reuse else 0
        whole = bisect_right(self._ends, shared)
        return self.cut(self._ends[whole - 1] if whole else 0)

    def set_head(self, tokens: Sequence[int], *, reuse: bool = True) -> int:
        """Make `tokens` the contents of sequence 0. Returns how many of these tokens were in the cache before."""
        kept = self.cut(common_prefix([self._held, tokens]) if reuse else 0)
        if len(tokens) > kept:
            self._decode([Feed(0, kept, tokens[kept:])], want_logits=False)
        return kept

    def cut(self, size: int) -> int:
        """Cut sequence 0 to `size` tokens, or to 0 if the memory is recurrent and cannot be cut. Returns the size."""
        if size < len(self._held) and not self._api.llama_memory_seq_rm(self._memory, 0, size, -1):
            size = 0
        if size == 0:
            self._api.llama_memory_clear(self._memory, False)
        del self._held[size:]
        del self._ends[bisect_right(self._ends, size) :]
        return size

    @property
    def held(self) -> list[int]:
        """The tokens of sequence 0, read-only."""
        return self._held

    def fork(self, seq: int) -> None:
        """Start sequence `seq` as a copy of sequence 0."""
        self._api.llama_memory_seq_cp(self._memory, 0, seq, -1, -1)

    def drop(self, seq: int) -> None:
        self._api.llama_memory_seq_rm(self._memory, seq, -1, -1)

    def decode(self, feeds: Sequence[Feed]) -> list[Logits]:
        """Append tokens to sequences in one batch, and return the logits of each feed.

        Args:
            feeds: Tokens to append. Logits are [vocabulary] per feed, or [tokens, vocabulary] with `every`.
        """
        rows = iter(self._decode(feeds, want_logits=True))
        return [np.stack([next(rows) for _ in feed.tokens]) if feed.every else next(rows) for feed in feeds]

    def _decode(self, feeds: Sequence[Feed], *, want_logits: bool) -> list[Logits]:
        tokens = np.array([token for feed in feeds for token in feed.tokens], np.int32)
        positions = np.concatenate([feed.position + np.arange(len(feed.tokens)) for feed in feeds])
        sequences = np.repeat([feed.seq for feed in feeds], [len(feed.tokens) for feed in feeds])
        logits_mask = np.concatenate([_logits_mask(feed, want_logits) for feed in feeds])
        rows: list[Logits] = []
        before = feeds[0].position if len(feeds) == 1 else 0
        for part in self._parts(feeds):
            batch = self._buffers.fill(
                self._api, tokens[part], positions[part], sequences[part], logits_mask[part]
            )
            self._run(batch)
            rows += [self._row(index) for index in np.flatnonzero(logits_mask[part]).tolist()]
            if self._told is not None and len(tokens) >= LONG:
                self._told(before + min(part.stop, len(tokens)), before + len(tokens))
        for feed in feeds:
            if feed.seq == 0:
                self._hold(feed)
        return rows

    def _parts(self, feeds: Sequence[Feed]) -> list[slice]:
        size = sum(len(feed.tokens) for feed in feeds)
        if not self.alone:
            return [slice(start, start + self.batch) for start in range(0, size, self.batch)]
        [feed] = feeds
        edges = [0, *self._pieces(feed.tokens)]
        if edges[-1] < size:
            edges.append(size)
        return [slice(start, end) for start, end in pairwise(edges)]

    def _pieces(self, tokens: Sequence[int]) -> list[int]:
        ends, start = [], 0
        for end, token in enumerate(tokens, 1):
            if (end - start >= self._shortest and token in self._line_ends) or end - start == self.ubatch:
                ends.append(start := end)
        return ends

    def _hold(self, feed: Feed) -> None:
        whole = self._ends[-1] if self._ends else 0
        if self.alone and feed.position == whole:
            self._ends += [whole + end for end in self._pieces(feed.tokens)]
        self._held += feed.tokens

    def _run(self, batch: Any) -> None:
        code = ABORTED if self._stop is not None and self._stop() else None
        if code is None:
            code = self._api.llama_decode(self._context, batch)
        if code == 0:
            return
        self._forget()
        if code == ABORTED and self._stop is not None:
            raise self._stop.error or Stopped
        if code == NO_SLOT:
            raise AdapterError(
                f"the context of {self.context} tokens is full; raise `context` or lower `parallel`"
            )
        raise AdapterError(f"llama_decode failed with code {code}: {last_log()}")

    def _forget(self) -> None:
        self._api.llama_memory_clear(self._memory, False)
        self._held, self._ends = [], []

    def _row(self, index: int) -> Logits:
        pointer = self._api.llama_get_logits_ith(self._context, index)
        return np.ctypeslib.as_array(pointer, (self.vocab_size,)).copy()

    def tell_reading(self, told: Told) -> None:
        """Set a callback that reports progress between the pieces of a long prompt."""
        self._told = told

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Set a callback that llama.cpp calls while computing. Stopped is raised soon after it returns True."""
        self._stop = asked = _StopCheck(should_stop)
        self._callback = self._api.ggml_abort_callback(lambda _data: asked())
        self._api.llama_set_abort_callback(self._context, self._callback, None)


class _StopCheck:
    """Calls `should_stop`, at most once per STOP_INTERVAL_S. After a True it always returns True.

    llama.cpp calls this object from C code, which no exception may pass through. So an exception is stored in `error`,
    and the call returns True.
    """

    def __init__(self, should_stop: ShouldStop) -> None:
        self._ask, self._next, self._answer = should_stop, 0.0, False
        self.error: BaseException | None = None

    def __call__(self) -> bool:
        now = time.monotonic()
        if not self._answer and now >= self._next:
            self._next = now + STOP_INTERVAL_S
            try:
                self._answer = self._ask()
            except BaseException as error:
                self._answer, self.error = True, error
        return self._answer


class Buffers:
    """The arrays behind a `llama_batch`, allocated once and filled by numpy."""

    def __init__(self, size: int) -> None:
        self.token = np.zeros(size, np.int32)
        self.pos = np.zeros(size, np.int32)
        self.count = np.ones(size, np.int32)
        self.seq = np.zeros(size, np.int32)
        self.logits = np.zeros(size, np.int8)
        first, width = self.seq.ctypes.data, self.seq.itemsize
        self.seq_pointers = np.array([first + i * width for i in range(size)], np.uintp)

    def fill(self, api: ModuleType, tokens: Any, positions: Any, sequences: Any, requested: Any) -> Any:
        """Return a `llama_batch`. It points into these arrays, so that the next call overwrites its contents.

        Arguments after `api` are arrays, [tokens], of at most the buffers' size. `requested` is 1 to get logits.
        """
        size = len(tokens)
        self.token[:size], self.pos[:size] = tokens, positions
        self.seq[:size], self.logits[:size] = sequences, requested
        batch = api.llama_batch()
        batch.n_tokens = size
        for name, array in (
            ("token", self.token),
            ("pos", self.pos),
            ("n_seq_id", self.count),
            ("seq_id", self.seq_pointers),
            ("logits", self.logits),
        ):
            kind = dict(api.llama_batch._fields_)[name]
            setattr(batch, name, ctypes.cast(array.ctypes.data, kind))
        return batch


def _logits_mask(feed: Feed, want_logits: bool) -> NDArray[np.int8]:
    mask = np.full(len(feed.tokens), feed.every and want_logits, np.int8)
    mask[-1] = want_logits
    return mask


def common_prefix(sequences: Sequence[Sequence[int]]) -> int:
    lists = [list(sequence) for sequence in sequences]
    first, last = min(lists), max(lists)  # in lexicographic order no other pair parts earlier
    for index, (one, other) in enumerate(zip(first, last, strict=False)):
        if one != other:
            return index
    return min(len(first), len(last))
