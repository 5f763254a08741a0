"""What a language model is sent for StateBench, the same for every model and server: a prompt set around the notes.

Its hash enters the provenance, apart from that of GoldEvidenceBench: a new word here changes no result there.
The query stands at the end, so that queries over the same context share one prefix (and its KV cache).
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

from pydantic import Field

from evaluation.adapters.prompt_sets import PromptChoice, PromptSets, PromptSettings, SetPrompts
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
    prompt: Annotated[str, OneOf(SETS)] = Field(
        DEFAULT, description="The prompt set and its version; typed@1 for versions that grade typed answers."
    )


class Prompts(SetPrompts):
    """The prompts of StateBench."""

    def __init__(self, choice: PromptChoice) -> None:
        super().__init__(choice)
        self._opening = self._examples()

    @property
    def typed(self) -> bool:
        """Whether a typed answer is asked for, as JSON."""
        return self.choice.prompt_set.typed

    def answer(self, context: str, question: str) -> str:
        """What is asked: worked examples, the context that a strategy built, then the query.

        Args:
            context: The text of the context; it may be empty.
            question: The query.
        """
        return self._opening + _asked(context, question)

    def sent(self) -> Collection[str]:
        """All that is sent, with placeholders for context and query."""
        kept = (condensing(instruction, "notes", "turns") for instruction in (SUMMARIZE, EXTRACT))
        return [self.system, self.answer("{context}", "{question}"), NOTHING, CONDENSER, *STOPS, *kept]

    def _examples(self) -> str:
        """The worked examples, and what separates them from the query; empty without any."""
        if not self.choice.examples:
            return ""
        parts = []
        for number, each in enumerate(self.choice.examples, 1):
            heading = self._texts["example"].replace("{number}", str(number))
            answer = self._texts["answer"].replace("{answer}", each["answer"])
            parts.append(f"{heading}\n{_asked(each['notes'], each['question'])}\n{answer}")
        return "\n\n".join([*parts, self._texts["turn"], ""])


def _asked(context: str, question: str) -> str:
    return f"{NOTES}\n{context or NOTHING}\n\nQuestion: {question}"
