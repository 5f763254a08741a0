"""What a language model is sent for StateBench, the same for every model and server: a prompt set around the notes.

Its hash enters the provenance, apart from that of GoldEvidenceBench: a new word here changes no result there.
The query stands at the end, so that queries over the same context share one prefix (and its KV cache).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from evaluation.adapters.prompt_sets import (
    PromptChoice,
    PromptIdentity,
    PromptSets,
    PromptSettings,
    identity,
)
from evaluation.core.settings import OneOf
from evaluation.statebench.strategies.condensed import EXTRACT, SUMMARIZE, condensing

SETS = PromptSets(Path(__file__).parent, ("system", "example", "turn", "answer"))
DEFAULT = "standard@1"
CONDENSER = "You take notes of a conversation. Reply with the notes alone."
NOTES, NOTHING = "Notes:", "(none)"
#: A model without a chat template does not know where its turn ends: it goes on with a question of its own.
STOPS = ("\nQuestion:", "\nNotes:", "\nNew turns:")


class StatePromptSettings(PromptSettings):
    """The prompt of StateBench."""

    prompt_sets = SETS
    prompt: Annotated[str, OneOf(SETS)] = Field(DEFAULT, description="The prompt set and its version.")


class Prompts:
    """The prompts of one set, wording and number of worked examples."""

    def __init__(self, choice: PromptChoice) -> None:
        self._choice, self._texts = choice, choice.texts
        self._opening = self._examples()

    @property
    def system(self) -> str:
        """The system prompt, the same for all queries."""
        return self._texts["system"]

    def answer(self, context: str, question: str) -> str:
        """What is asked: worked examples, the context that a strategy built, then the query.

        Args:
            context: The text of the context; it may be empty.
            question: The query.
        """
        return self._opening + _asked(context, question)

    def identity(self) -> PromptIdentity:
        """The set, the wording, and the SHA-256 of all that is sent, with placeholders for context and query."""
        kept = (condensing(instruction, "notes", "turns") for instruction in (SUMMARIZE, EXTRACT))
        sent = [self.system, self.answer("{context}", "{question}"), NOTHING, CONDENSER, *STOPS, *kept]
        return identity(self._choice, sent)

    def provenance(self) -> dict[str, Any]:
        """The same for a run's provenance; the hash also where earlier releases had that of their one prompt."""
        told = self.identity()
        return {"prompt": told, "prompt_template_sha256": told["sha256"]}

    def _examples(self) -> str:
        """The worked examples, and what separates them from the query; empty without any."""
        if not self._choice.examples:
            return ""
        parts = []
        for number, each in enumerate(self._choice.examples, 1):
            heading = self._texts["example"].replace("{number}", str(number))
            answer = self._texts["answer"].replace("{answer}", each["answer"])
            parts.append(f"{heading}\n{_asked(each['notes'], each['question'])}\n{answer}")
        return "\n\n".join([*parts, self._texts["turn"], ""])


def _asked(context: str, question: str) -> str:
    return f"{NOTES}\n{context or NOTHING}\n\nQuestion: {question}"
