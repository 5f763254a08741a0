"""In place of an engine where a prompt is only made anew, and nobody is asked: every text fits.

So the prompt of a row whose text was cut for the model comes out longer than it was; its hash tells.
"""

from __future__ import annotations

from evaluation.adapters.base import ShouldStop

ENDLESS = 1 << 40  # tokens


class NoEngine:
    """What a `LanguageModel` asks of its engine before it asks the model."""

    context = ENDLESS
    chat_template = None
    wants_begin = False

    def tokenize(self, text: str, *, special: bool = False, begin: bool = False) -> list[int]:
        """No tokens, so that whatever counts them has room; a letter is one, as it is to any model that has labels.

        Args:
            text: Read where it is one letter.
            special: Not read.
            begin: Not read.
        """
        return [ord(text)] if len(text) == 1 else []

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Nothing: it computes nothing.

        Args:
            should_stop: Not asked.
        """

    def close(self) -> None:
        """Nothing: it holds nothing."""
