"""Whether a server read the whole prompt, by the number of prompt tokens that it reports.

Ollama, LM Studio and others cut a prompt that is longer than their context, and answer what is left of it.
What was sent is measured by the rule of `statebench.tokens.pretokens`: pieces of a split pattern that byte-pair
tokenizers refine and hardly ever join. Real tokenizers make 1.0 to 1.5 tokens of a piece of these benchmarks'
texts (SmolLM2's: 1.1 of talk, 1.2 of candidates, 1.3 of books, 1.4 of logs), one of single bytes 3 to 4.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from evaluation.core.tokens import pretokens

#: Fewer tokens than this share of the pieces: no tokenizer is that thrifty.
SURELY = 0.8
#: From so many pieces on the model's own tokens per piece are measured: the smallest usual context is 2,048 tokens.
MEASURED_FROM = 1_500
#: Fewer than this share of what those foretell: chat template and kind of text of the sample make up to a tenth.
NEARLY = 0.85
_CHUNK, _CHUNKS = 200, 12  # characters and number of the places that a sample is taken from: some 900 pieces


class PromptCheck:
    """The check of one run. Safe to ask from several threads at once.

    `measure` asks the server how many tokens it makes of a text, None where it does not say.
    """

    def __init__(self, measure: Callable[[str], int | None]) -> None:
        self._measure = measure
        self._lock = threading.Lock()
        self._measured = False
        self.tokens_per_piece: float | None = (
            None  # as measured; None where that was not needed, or not possible
        )

    def is_cut(self, prompt: str, reported: int) -> bool:
        """Whether the server read less than the prompt.

        Args:
            prompt: What was sent.
            reported: How many prompt tokens the server counted; 0 tells nothing.
        """
        pieces = pretokens(prompt)
        if not reported or not pieces:
            return False
        if reported < SURELY * pieces:
            return True
        rate = self._rate(prompt) if pieces >= MEASURED_FROM else None
        return rate is not None and reported < NEARLY * rate * pieces

    def _rate(self, prompt: str) -> float | None:
        """Tokens per piece, measured once, by the first long prompt."""
        with self._lock:
            if not self._measured:
                sample = spread_sample(prompt)
                tokens = self._measure(sample)
                self.tokens_per_piece = tokens / pretokens(sample) if tokens else None
                self._measured = True
            return self.tokens_per_piece


def spread_sample(text: str) -> str:
    """Pieces of a text from everywhere in it, so that it is of the same kind and fits any context."""
    if len(text) <= _CHUNK * _CHUNKS:
        return text
    step = (len(text) - _CHUNK) / (_CHUNKS - 1)
    return "\n".join(text[int(n * step) : int(n * step) + _CHUNK] for n in range(_CHUNKS))
