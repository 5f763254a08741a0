"""Reuse the prompt prefixes that the engine's cache contains."""

from __future__ import annotations

import time
from collections.abc import Sequence

from evaluation.adapters.base import Usage
from evaluation.adapters.llama.engine import Engine, common_prefix
from evaluation.core.errors import AdapterError


class Beginnings:
    def __init__(self, engine: Engine, *, reuse: bool) -> None:
        self._engine, self._reuse = engine, reuse

    def take_up(self, prompt: list[int], usage: Usage) -> int:
        """Cut the cache to the part that `prompt` can reuse, and return the number of tokens kept.

        The engine must have only one sequence.
        """
        self._check_room(len(prompt))
        head = self._engine.take_up(prompt, reuse=self._reuse)
        usage.prompt_tokens, usage.reused_tokens = len(prompt), head
        return head

    def load(self, prompts: Sequence[list[int]], usage: Usage) -> int:
        """Put the common prefix of prompts into sequence 0, and return its length in tokens.

        The cost is added to `usage`. Raises AdapterError if a prompt does not fit the context.
        """
        self._check_room(max(map(len, prompts)))
        shared = common_prefix(prompts) if self._reuse else 0
        # at least one token of each prompt is left to evaluate: without it there are no logits
        head = min(shared, min(map(len, prompts)) - 1)
        started = time.perf_counter()
        usage.reused_tokens = self._engine.set_head(prompts[0][:head], reuse=self._reuse)
        usage.evaluated_tokens += head - usage.reused_tokens
        usage.passes += -(-(head - usage.reused_tokens) // self._engine.batch)
        usage.prefill_s += time.perf_counter() - started
        return head

    def _check_room(self, size: int) -> None:
        if size >= self._engine.context:
            raise AdapterError(
                f"a prompt of {size} tokens does not fit the context of {self._engine.context} tokens"
            )
