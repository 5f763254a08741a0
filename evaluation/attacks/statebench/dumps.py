"""Attackers that give a constant answer or repeat earlier texts. Some begin their answer with "No." or "Yes."."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial

from evaluation.attacks.plan import Attacker, Example, PublicLine
from evaluation.attacks.statebench.view import Asked, TimelineView, mentioned, response, values_of
from evaluation.statebench.records import Response, writes_of
from evaluation.statebench.strategies import build_context

VIEW = TimelineView()
#: Constant responses.
CONSTANTS = {"no": "No.", "yes": "Yes.", "dont_know": "I don't know."}
OPENINGS = {"": "", "no": "No. ", "yes": "Yes. "}


class Says:
    """Responds with a fixed opening and a text that is computed from the query."""

    def __init__(self, text: Callable[[Asked], str], opening: str, examples: Sequence[Example]) -> None:
        """Ignore the examples."""
        self._text, self._opening = text, opening

    def __call__(self, line: PublicLine) -> Iterator[Response]:
        for question in VIEW.questions(line):
            yield response(question, self._opening + self._text(question))


def _values(question: Asked) -> str:
    return ", ".join(values_of(question.texts))


def _transcript(question: Asked) -> str:
    return "\n".join(text for text, said in zip(question.texts, question.said, strict=True) if said)


def _facts(question: Asked) -> str:
    timeline = question.timeline
    written = [write for event in question.before for write in writes_of(event)]
    facts = (*timeline["initial_state"]["persistent_facts"], *written)
    return "\n".join(f"{fact['key']}: {fact['value']}" for fact in facts)


@lru_cache(maxsize=4)  # every opening needs the context of the same line
def _built(line: PublicLine, query_idx: int) -> str:
    timeline = next(iter(VIEW.questions(line))).timeline
    return build_context(timeline, query_idx).text


def _context(question: Asked) -> str:
    return _built(question.line, question.query_idx)


#: Name -> label, description, and the text.
DUMPS: dict[str, tuple[str, str, Callable[[Asked], str]]] = {
    "all_values": ("All values", "Names every value that occurs before the question", _values),
    "last_mention": (
        "Last mention",
        "Repeats the last text that shares the most words with the question",
        mentioned,
    ),
    "transcript": ("Transcript", "Repeats all turns", _transcript),
    "facts": ("Facts", "Repeats all facts and writes", _facts),
    "context": ("Context", "Repeats the context that our own strategy builds", _context),
    "echo": ("Echo", "Repeats the question", lambda question: question.prompt),
}


def constants() -> Iterator[Attacker]:
    for name, text in CONSTANTS.items():
        label = f"Always {name.replace('dont', 'do not').replace('_', ' ')}"
        yield Attacker(name, label, f"Says “{text}”.", "floor", partial(Says, lambda question: "", text))


def dumps() -> Iterator[Attacker]:
    for name, (label, about, text) in DUMPS.items():
        for word, opening in OPENINGS.items():
            yield Attacker(
                f"{name}_behind_{word}" if word else name,
                f"{label} behind {word}" if word else label,
                f"{about}, after “{opening.strip()}”." if word else f"{about}.",
                "shortcut",
                partial(Says, text, opening),
            )
