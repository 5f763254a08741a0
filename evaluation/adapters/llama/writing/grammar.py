"""Filter logits with the GBNF grammars of llama.cpp."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from evaluation.adapters.llama.engine import Engine, Logits
from evaluation.adapters.llama.library import llama_api
from evaluation.core.errors import AdapterError

_ITEM = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class Grammar:
    """The state of one answer under a grammar. It says which tokens may come next."""

    def __init__(self, engine: Engine, text: str) -> None:
        self._api = llama_api()
        self._sampler: Any = self._api.llama_sampler_init_grammar(engine.vocab, text.encode(), b"root")
        if not self._sampler:
            raise AdapterError(f"llama.cpp refuses the grammar: {text}")
        self._end = engine.end_token

    def close(self) -> None:
        if self._sampler:
            self._api.llama_sampler_free(self._sampler)
            self._sampler = None

    def allows(self, token: int) -> bool:
        """True if this token may come next. This is far cheaper than `masked` on a large vocabulary."""
        return bool(self._apply(np.array([(token, 0.0, 0.0)], _ITEM))["logit"][0] > -np.inf)

    def may_end(self) -> bool:
        """True if the text so far is complete."""
        return self.allows(self._end)

    def masked(self, logits: Logits) -> Logits:
        """A copy of the logits with the logits of forbidden tokens set to -inf.

        Args:
            logits: [vocabulary].
        """
        items = np.zeros(len(logits), _ITEM)
        items["id"], items["logit"] = np.arange(len(logits)), logits
        allowed: Logits = self._apply(items)["logit"]
        return allowed

    def accept(self, token: int) -> None:
        self._api.llama_sampler_accept(self._sampler, token)

    def _apply(self, items: Any) -> Any:
        array = self._api.llama_token_data_array()
        array.data = ctypes.cast(items.ctypes.data, self._api.llama_token_data_p)
        array.size, array.selected, array.sorted = len(items), -1, False
        self._api.llama_sampler_apply(self._sampler, ctypes.byref(array))
        return items
