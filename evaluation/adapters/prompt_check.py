"""Check from the reported number of prompt tokens that a server read the whole prompt.

Ollama, LM Studio and others cut a prompt that exceeds their context, and answer the rest of it. We measure the length
of a prompt in *pieces*, the matches of a regular expression (`pretokens`). Byte-pair tokenizers split pieces further,
and hardly ever join them. The texts of these benchmarks have 1.0 to 1.5 tokens per piece (SmolLM2: 1.1 in
conversations, 1.2 in candidates, 1.3 in books, 1.4 in logs), or 3 to 4 if every byte is a token.

A low count alone proves nothing: some servers estimate (characters / 4), or leave out cached tokens. So at the first
low count we measure the server's tokens per piece with samples of the prompt. If the prompt's count is low even at this
rate, the server counts the prompt once more. New words are put before it, so that no cached tokens can be left out.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import pairwise

from evaluation.core.tokens import pretokens

#: No tokenizer makes fewer tokens than this share of the pieces: below it the server is measured.
SURELY = 0.8
#: From this many pieces on it is measured in any case: the smallest usual context is 2,048 tokens.
MEASURED_FROM = 1_500
#: Fewer pieces fit any context.
NEVER_CUT = 150
#: Tolerated share of the tokens predicted by the server's rate: the kind of text of a sample changes it by up to 10%.
NEARLY = 0.85
#: A rate below this means that the server reports the same number for any prompt.
COUNTS_NOTHING = 0.1
_CHUNK, _CHUNKS = 200, 12  # characters and number of excerpts in a sample: some 900 pieces
#: Excerpts in the samples to count: the difference of two lengths cancels the chat template and its system prompt. The
#: short ones fit any context, which reveals a long one that was itself cut.
_SAMPLES = (1, 4, _CHUNKS)
_BENT = 0.7  # a long sample with less than this share of the short ones' rate was cut
_OTHER_WORDS = "A prompt, once more:\n\n"


class PromptCheck:
    """Checks the prompts of one run. Thread-safe. `measure` returns a server's token count of a text, or None."""

    def __init__(self, measure: Callable[[str], int | None]) -> None:
        self._measure = measure
        self._lock = threading.Lock()
        self._measured = self._counted_again = self._doubted = False
        self.leaves_out_cache = False
        self.tokens_per_piece: float | None = None  # measured; None if not needed or not possible

    def doubt(self, prompt: str, reported: int, *, cached: int = 0) -> str:
        """Reason to think that the server read less than the prompt; empty if there is none.

        `reported` is the server's count of prompt tokens (0: unknown). `cached` is its count of cached tokens, which
        `reported` normally includes.
        """
        pieces = pretokens(prompt) if reported else 0
        if pieces < NEVER_CUT or (reported >= SURELY * pieces and pieces < MEASURED_FROM):
            return ""
        expected = self._expected(prompt, pieces)
        settled = self._doubted or self.leaves_out_cache
        if expected is not None and reported < expected and not settled:
            expected = self._expected(prompt, pieces, anew=True)
        if expected is None or reported >= expected:
            return ""
        if self._leaves_out(prompt, expected) and (not cached or reported + cached >= expected):
            return ""
        self._doubted = True
        return f"the server counted {reported:,} tokens of a prompt of {expected:,.0f} or more"

    def _expected(self, prompt: str, pieces: int, *, anew: bool = False) -> float | None:
        """Least number of tokens that the server should report. None if its counts carry no information."""
        with self._lock:
            # again by a prompt with a low count: it may be another kind of text
            if anew or not self._measured:
                self.tokens_per_piece = self._measured_on(prompt)
                self._measured = True
            rate = self.tokens_per_piece
        if rate is None:
            return SURELY * pieces
        return NEARLY * rate * pieces if rate >= COUNTS_NOTHING else None

    def _measured_on(self, prompt: str) -> float | None:
        points: list[tuple[int, int]] = []
        for places in _SAMPLES:
            sample = spread_sample(prompt, places)
            pieces = pretokens(sample)
            if points and pieces < 1.5 * points[-1][0]:
                break
            if not (tokens := self._measure(sample)):
                return None
            points.append((pieces, tokens))
        return rate_of(points)

    def _leaves_out(self, prompt: str, expected: float) -> bool:
        """True if the server's counts leave out cached tokens. Tested once, with a prompt that no cache contains."""
        with self._lock:
            if not self._counted_again:
                self._counted_again = True
                self.leaves_out_cache = (self._measure(_OTHER_WORDS + prompt) or 0) >= expected
            return self.leaves_out_cache


def rate_of(points: Sequence[tuple[int, int]]) -> float:
    """Tokens per piece, estimated from samples of increasing length. `points`: (pieces, tokens) of each sample."""
    slopes = [max(0.0, (more[1] - less[1]) / (more[0] - less[0])) for less, more in pairwise(points)]
    if not slopes:
        pieces, tokens = points[0]
        return tokens / max(pieces, 1)
    return slopes[-1] if slopes[-1] >= _BENT * slopes[0] else slopes[0]


def spread_sample(text: str, places: int = _CHUNKS) -> str:
    """Join short excerpts from `places` positions of a text. The result fits any context."""
    if len(text) <= _CHUNK * places:
        return text
    step = (len(text) - _CHUNK) / (places - 1) if places > 1 else 0.0
    return "\n".join(text[int(n * step) : int(n * step) + _CHUNK] for n in range(places))
