"""A stand-in for the engine that loads no model. It is used to show the prompts of earlier runs."""

from __future__ import annotations

from evaluation.adapters.base import ShouldStop, Told

ENDLESS = 1 << 40  # tokens


class NoEngine:
    """An `Engine` with only the methods that `LanguageModel` calls before it asks the model."""

    context = ENDLESS
    chat_template = None
    wants_begin = False

    def tokenize(self, text: str, *, special: bool = False, begin: bool = False) -> list[int]:
        """No tokens, so that every text fits; one token for a single character, as letters are labels of options."""
        return [ord(text)] if len(text) == 1 else []

    def tell_reading(self, told: Told) -> None:
        """Does nothing."""

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""
