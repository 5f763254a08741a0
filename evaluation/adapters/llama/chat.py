"""Convert chat turns to the text of a prompt with the chat template of a model file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from evaluation.adapters.llama.engine import Engine

TEMPLATE_DATE = "01 Jan 2025"  # some templates print today's date, and prompts must not change overnight
Turn: TypeAlias = dict[str, str]


class ChatTemplate:
    """The Jinja chat template of a model file. Compiling and rendering it may raise any exception."""

    def __init__(self, text: str, *, begin: str, end: str) -> None:
        self.text = text
        self._formatter = _formatter(text, begin, end)

    @classmethod
    def from_engine(cls, engine: Engine) -> ChatTemplate | None:
        text = engine.chat_template
        if text is None:
            return None
        return cls(text, begin=engine.special_text("bos"), end=engine.special_text("eos"))

    def prompt(self, system: str, user: str, *, thinks: bool = False) -> str:
        try:
            return self.render(turns_of(system, user), thinks=thinks)
        except Exception:  # a template's author may raise anything
            # a template that refuses a system turn, as Gemma's, takes both in the user's
            return self.render([turn("user", f"{system}\n\n{user}")], thinks=thinks)

    def render(self, turns: Sequence[Turn], *, thinks: bool = False, opens: bool = True) -> str:
        """Render turns as the text of a prompt.

        `thinks`: the model may think before it answers. `opens`: the prompt ends with the start of the model's turn.
        """
        self._formatter.add_generation_prompt = opens
        text: str = self._formatter(
            messages=list(turns), enable_thinking=thinks, date_string=TEMPLATE_DATE
        ).prompt
        return text


def turn(role: str, content: str) -> Turn:
    return {"role": role, "content": content}


def turns_of(system: str, user: str) -> list[Turn]:
    return [turn("system", system), turn("user", user)]


def _formatter(text: str, begin: str, end: str) -> Any:
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    formatter = Jinja2ChatFormatter(template=text, bos_token=begin, eos_token=end)
    setattr(formatter, "strftime_now", lambda _format: TEMPLATE_DATE)  # noqa: B010 - a static method there
    return formatter
