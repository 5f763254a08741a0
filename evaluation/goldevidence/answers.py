"""What a prediction says: its value and its citations, in either of the two forms.

{"id": …, "value": …, "support_ids": […]}      or a single "support_id"
{"id": …, "output": "… {\"value\": …} …"}      or "text", or "completion"

Beside either, "selected_uid" may name the line that a selector chose before the answer was made. It is no part of the
answer: grading only asks whether the answer cites that line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from evaluation.errors import BenchmarkError

TEXT_FIELDS = ("output", "text", "completion")
SELECTED = "selected_uid"
_LARGEST = 2.0**63  # orjson reads longer integers as floats


class AnswerError(BenchmarkError):
    """A prediction holds something that no answer can be: nesting or a number without end."""


class Answer(NamedTuple):
    """A prediction, read."""

    value: str | None
    cited: list[str]  # in the order given, repetitions kept
    parsed: bool = True  # False where the text holds no JSON object
    selected: str | None = None  # the line that a selector chose; None where the prediction does not say


UNPARSED = Answer(None, [], parsed=False)


def read(data: Mapping[str, Any]) -> Answer | None:
    """The answer of one prediction; None where it holds none of the fields of an answer.

    Fields of an answer win over a text. Of the texts the first that is not empty counts. Raises AnswerError.
    """
    try:
        if "value" in data or "support_ids" in data or "support_id" in data:
            return Answer(normalize(data.get("value")), cited_ids(data), True, _selected(data))
        text = data.get("output") or data.get("text") or data.get("completion")
        if text is None and not any(field in data for field in TEXT_FIELDS):
            return None
        found = parse_text(text) if isinstance(text, str) else {}
        return Answer(normalize(found.get("value")), cited_ids(found), bool(found), _selected(data))
    except RecursionError:
        raise AnswerError("the answer is nested too deeply") from None
    except ValueError:  # CPython refuses to convert integers of more than 4,300 digits
        raise AnswerError("the answer holds a number of thousands of digits") from None


def normalize(value: Any) -> str | None:
    """A value as it is compared: its text without outer white space, None where nothing is left.

    So `12` equals "12" and `12.0` does not.
    """
    if value is None:
        return None
    return (value if isinstance(value, str) else str(value)).strip() or None


def cited_ids(data: Mapping[str, Any]) -> list[str]:
    """The ids of `support_ids`, else of `support_id`; nulls and blanks are left out."""
    for field in ("support_ids", "support_id"):
        given = data.get(field)
        if given is None:
            continue
        found = [
            text
            for item in (given if isinstance(given, list) else (given,))
            if item is not None and (text := (item if isinstance(item, str) else str(item)).strip())
        ]
        if found:
            return found
    return []


def _selected(data: Mapping[str, Any]) -> str | None:
    """The line that a selector chose; None where that is not said. Raises AnswerError."""
    given = data.get(SELECTED)
    if given is None:
        return None
    if not isinstance(given, str):
        raise AnswerError(f"'{SELECTED}' must be a text or null")
    return given.strip() or None


def parse_text(text: str) -> dict[str, Any]:
    """The JSON object in a text: the whole of it, else from the first `{` to the last `}`; else {}.

    Raises RecursionError, and ValueError for integers of thousands of digits.
    """
    if (found := _object(text)) is None:
        found = _object(text[text.find("{") : text.rfind("}") + 1])
    return found or {}


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = loads(text)
    except json.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def loads(text: str | bytes) -> Any:
    """JSON as Python's own reader has it (NaN, lone surrogates, integers of any length), at orjson's speed.

    Raises ValueError (json.JSONDecodeError, UnicodeDecodeError, or its own for integers of thousands of
    digits) and RecursionError.
    """
    try:
        found = orjson.loads(text)
        value = found.get("value") if isinstance(found, dict) else None
        if not isinstance(value, float) or abs(value) < _LARGEST:
            return found
    except orjson.JSONDecodeError:
        pass
    return json.loads(text if isinstance(text, str) else text.decode())
