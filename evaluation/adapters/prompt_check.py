"""Whether a server read the whole prompt, by the number of prompt tokens that it reports.

Ollama, LM Studio and others cut a prompt that is longer than their context, and answer what is left of it.
What was sent is measured by the rule of `statebench.tokens.pretokens`: pieces of a split pattern that byte-pair
tokenizers refine and hardly ever join. Real tokenizers make 1.0 to 1.5 tokens of a piece of these benchmarks'
texts (SmolLM2's: 1.1 of talk, 1.2 of candidates, 1.3 of books, 1.4 of logs), one of single bytes 3 to 4.

A low count alone says nothing: servers estimate (characters / 4), or leave out what their cache holds. So at the first
low count the server counts samples of the prompt, which gives its own rate, and where the count is low by that as well,
the whole prompt once more behind other first words, so that no cache holds it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import pairwise

from evaluation.core.tokens import pretokens

#: Fewer tokens than this share of the pieces: no tokenizer is that thrifty, so the server is measured.
SURELY = 0.8
#: From so many pieces on it is measured in any case: the smallest usual context is 2,048 tokens.
MEASURED_FROM = 1_500
#: Fewer pieces fit any context.
NEVER_CUT = 150
#: Fewer than this share of what the server's rate foretells: the kind of text of a sample makes up to a tenth.
NEARLY = 0.85
#: A rate below this is that of a server which says the same number of any prompt.
COUNTS_NOTHING = 0.1
_CHUNK, _CHUNKS = 200, 12  # characters and number of the places that a sample is taken from: some 900 pieces
#: Places of the samples that are counted: of two lengths, the chat template and its system prompt fall out of the
#: difference. The short ones fit any context, so that a long one that was cut itself is told.
_SAMPLES = (1, 4, _CHUNKS)
_BENT = 0.7  # of the rate of the short samples: where the long one has less, it was cut
_OTHER_WORDS = "A prompt, once more:\n\n"


class PromptCheck:
    """The check of one run. Safe to ask from several threads at once.

    `measure` asks the server how many tokens it makes of a text, None where it does not say. `leaves_out_cache` is
    known once a prompt was counted twice.
    """

    def __init__(self, measure: Callable[[str], int | None]) -> None:
        self._measure = measure
        self._lock = threading.Lock()
        self._measured = self._counted_again = self._doubted = False
        self.leaves_out_cache = False
        self.tokens_per_piece: float | None = (
            None  # as measured; None where that was not needed, or not possible
        )

    def doubt(self, prompt: str, reported: int, *, cached: int = 0) -> str:
        """Why it seems that the server read less than the prompt; empty where it does not.

        Args:
            prompt: What was sent.
            reported: How many prompt tokens the server counted; 0 tells nothing.
            cached: How many tokens its cache held, as it says; they are part of `reported` where they are known to be
                left out otherwise.
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
        """How many tokens the server has to count at least, by its rate; None where it counts nothing.

        The rate is measured by the first prompt that asks for it, and anew by one whose count is low: it may be of
        another kind of text.
        """
        with self._lock:
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
        """Whether the server counts a prompt whole that no cache holds, where it counted less of it before."""
        with self._lock:
            if not self._counted_again:
                self._counted_again = True
                self.leaves_out_cache = (self._measure(_OTHER_WORDS + prompt) or 0) >= expected
            return self.leaves_out_cache


def rate_of(points: Sequence[tuple[int, int]]) -> float:
    """Tokens per piece by samples of rising length.

    Args:
        points: (pieces, tokens) of each.
    """
    slopes = [max(0.0, (more[1] - less[1]) / (more[0] - less[0])) for less, more in pairwise(points)]
    if not slopes:
        pieces, tokens = points[0]
        return tokens / max(pieces, 1)
    return slopes[-1] if slopes[-1] >= _BENT * slopes[0] else slopes[0]


def spread_sample(text: str, places: int = _CHUNKS) -> str:
    """Pieces of a text from everywhere in it, so that it is of the same kind and fits any context.

    Args:
        text: The whole.
        places: From how many places.
    """
    if len(text) <= _CHUNK * places:
        return text
    step = (len(text) - _CHUNK) / (places - 1) if places > 1 else 0.0
    return "\n".join(text[int(n * step) : int(n * step) + _CHUNK] for n in range(places))
