"""The chat template of a model's file: turns in, the text of a prompt out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from evaluation.adapters.llama.engine import Engine

TEMPLATE_DATE = "01 Jan 2025"  # some chat templates print today's date: a prompt must not change overnight
Turn: TypeAlias = dict[str, str]


class ChatTemplate:
    """A template as its author wrote it. Made and rendered, it raises whatever that author's code raises."""

    def __init__(self, text: str, *, begin: str, end: str) -> None:
        self.text = text
        self._formatter = _formatter(text, begin, end)

    @classmethod
    def from_engine(cls, engine: Engine) -> ChatTemplate | None:
        """The template of a loaded model; None where its file has none."""
        text = engine.chat_template
        if text is None:
            return None
        return cls(text, begin=engine.special_text("bos"), end=engine.special_text("eos"))

    def prompt(self, system: str, user: str, *, thinks: bool = False) -> str:
        """A system turn and the user's, up to where the model answers; where the template refuses a system turn, both
        as the user's.

        Args:
            system: The system turn.
            user: The user's turn.
            thinks: Whether the template is told that the model may think.
        """
        try:
            return self.render(turns_of(system, user), thinks=thinks)
        except Exception:  # a template raises whatever its author wrote
            return self.render([turn("user", f"{system}\n\n{user}")], thinks=thinks)

    def render(self, turns: Sequence[Turn], *, thinks: bool = False, opens: bool = True) -> str:
        """Turns as text.

        Args:
            turns: What was said so far.
            thinks: Whether the template is told that the model may think.
            opens: Whether the model's turn is to be opened behind them.
        """
        self._formatter.add_generation_prompt = opens
        text: str = self._formatter(
            messages=list(turns), enable_thinking=thinks, date_string=TEMPLATE_DATE
        ).prompt
        return text


def turn(role: str, content: str) -> Turn:
    """One turn of a chat.

    Args:
        role: `system`, `user` or `assistant`.
        content: What is said.
    """
    return {"role": role, "content": content}


def turns_of(system: str, user: str) -> list[Turn]:
    """The turns of a chat that asks one question.

    Args:
        system: The system turn.
        user: The user's turn.
    """
    return [turn("system", system), turn("user", user)]


def _formatter(text: str, begin: str, end: str) -> Any:
    from llama_cpp.llama_chat_format import Jinja2ChatFormatter

    formatter = Jinja2ChatFormatter(template=text, bos_token=begin, eos_token=end)
    setattr(formatter, "strftime_now", lambda _format: TEMPLATE_DATE)  # noqa: B010 - a static method there
    return formatter
