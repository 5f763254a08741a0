"""Prompts of StateBench, the same for every model and server.

The query comes last, so that queries over the same context share one prefix (and its KV cache).
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
#: A model without a chat template does not know where its turn ends and would continue with another question.
STOPS = ("\nQuestion:", "\nNotes:", "\nNew turns:")


class StatePromptSettings(PromptSettings):
    prompt_sets = SETS
    prompt: Annotated[str, OneOf(SETS)] = Field(
        DEFAULT, description="The prompt set and its version; typed@1 for versions that grade typed answers."
    )


class Prompts(SetPrompts):
    def __init__(self, choice: PromptChoice) -> None:
        super().__init__(choice)
        self._opening = self._examples()

    @property
    def typed(self) -> bool:
        return self.choice.prompt_set.typed

    def answer(self, context: str, question: str) -> str:
        """The user message: worked examples, the context, then the query."""
        return self._opening + _asked(context, question)

    def sent(self) -> Collection[str]:
        kept = (condensing(instruction, "notes", "turns") for instruction in (SUMMARIZE, EXTRACT))
        return [self.system, self.answer("{context}", "{question}"), NOTHING, CONDENSER, *STOPS, *kept]

    def _examples(self) -> str:
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
