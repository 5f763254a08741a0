"""Score texts with a llama.cpp engine: their likelihood after a prompt, without generating."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.adapters.base import Usage
from evaluation.adapters.llama.engine import Engine, Feed, Logits
from evaluation.adapters.llama.writing.beginnings import Beginnings


class Scorer:
    """Computes log probabilities with one engine. If it has several sequences, `parallel` texts share a batch."""

    def __init__(self, engine: Engine, *, parallel: int = 1, reuse: bool = True) -> None:
        self.engine, self.parallel = engine, parallel
        self._beginnings = Beginnings(engine, reuse=reuse)

    def score(self, prompt: list[int], options: Sequence[str], usage: Usage) -> list[float]:
        """log p(option | prompt) of each option in nats. The cost is added to `usage`."""
        tokens = [self.engine.tokenize(option) for option in options]
        if self.engine.alone:
            return self._score_alone(prompt, tokens, usage)
        whole = [prompt + option for option in tokens]
        head = self._beginnings.load([prompt], usage)
        usage.prompt_tokens = len(prompt)
        started = time.perf_counter()
        scores: list[float] = []
        for start in range(0, len(whole), self.parallel):
            scores += self._score_wave(whole[start : start + self.parallel], head, usage)
        usage.decode_s = time.perf_counter() - started
        usage.wall_s = usage.prefill_s + usage.decode_s
        return scores

    def next_token(self, prompt: list[int], usage: Usage) -> NDArray[np.float64]:
        """log p(token | prompt) of every token of the vocabulary, [vocabulary], in nats.

        Args:
            usage: The cost of the computation is added to this usage.
        """
        if self.engine.alone:
            return log_softmax(self._read(prompt, usage))
        started = time.perf_counter()
        head = self._beginnings.load([prompt], usage)
        self.engine.fork(1)
        [logits] = self.engine.decode([Feed(1, head, prompt[head:])])
        self.engine.drop(1)
        usage.prompt_tokens, usage.passes = len(prompt), usage.passes + 1
        usage.evaluated_tokens += len(prompt) - head
        usage.prefill_s = usage.wall_s = time.perf_counter() - started
        return log_softmax(logits)

    def _read(self, prompt: list[int], usage: Usage) -> Logits:
        started = time.perf_counter()
        head = self._beginnings.take_up(prompt, usage)
        [logits] = self.engine.decode([Feed(0, head, prompt[head:])])
        usage.evaluated_tokens += len(prompt) - head
        usage.passes += 1
        usage.prefill_s += time.perf_counter() - started
        usage.wall_s = usage.prefill_s
        return logits

    def _score_alone(self, prompt: list[int], options: Sequence[list[int]], usage: Usage) -> list[float]:
        first, scores = self._read(prompt, usage), []
        started = time.perf_counter()
        for option in options:
            rows = [first]
            if len(option) > 1:
                if self.engine.cut(len(prompt)) == 0:  # a memory that cannot be cut
                    again = Usage()
                    self._read(prompt, again)
                    usage.passes += again.passes
                    usage.evaluated_tokens += again.evaluated_tokens
                rows += list(self.engine.decode([Feed(0, len(prompt), option[:-1], every=True)])[0])
                usage.passes += 1
                usage.evaluated_tokens += len(option) - 1
            scores.append(_log_probability(np.stack(rows), option))
        usage.decode_s = time.perf_counter() - started
        usage.wall_s = usage.prefill_s + usage.decode_s
        return scores

    def _score_wave(self, wave: Sequence[list[int]], head: int, usage: Usage) -> list[float]:
        feeds = [Feed(seq, head, tokens[head:-1], every=True) for seq, tokens in enumerate(wave, 1)]
        for feed in feeds:
            self.engine.fork(feed.seq)
        rows = self.engine.decode(feeds)
        for feed in feeds:
            self.engine.drop(feed.seq)
        usage.passes += 1
        usage.evaluated_tokens += sum(len(feed.tokens) for feed in feeds)
        return [_log_probability(row, tokens[head + 1 :]) for row, tokens in zip(rows, wave, strict=True)]


def log_softmax(logits: Logits) -> NDArray[np.float64]:
    """log softmax over the last axis, in nats.

    Args:
        logits: [..., vocabulary].
    """
    wide = logits.astype(np.float64)
    top = wide.max(axis=-1, keepdims=True)
    normalized: NDArray[np.float64] = wide - top - np.log(np.exp(wide - top).sum(axis=-1, keepdims=True))
    return normalized


def _log_probability(rows: Logits, tokens: Sequence[int]) -> float:
    """Sum of the log probabilities, in nats, of tokens [n] under logits [n, vocabulary]."""
    return float(log_softmax(rows)[np.arange(len(tokens)), list(tokens)].sum())
