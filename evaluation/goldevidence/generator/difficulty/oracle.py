"""Questions that do not call their tag by name: the oracle looks up in the text which one is meant."""

from __future__ import annotations

from evaluation.goldevidence.generator.difficulty.naming import resolve
from evaluation.goldevidence.generator.queries import read


def asked_key(question: str, text: str) -> str | None:
    """The tag that a question describes; None where it names its tag, asks of a manager, or describes none.

    Args:
        question: The question.
        text: The log or the book of its row.
    """
    asked = read(question)
    if asked is None or not asked.phrase:
        return None
    from evaluation.goldevidence.generator.difficulty.reading import read_text  # pydantic is behind it

    return resolve(asked.phrase, read_text(text))
