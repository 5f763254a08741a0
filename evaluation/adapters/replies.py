"""What a model replied, and the answer in it: an answer, or the state that says why there is none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.adapters.base import Usage
from evaluation.adapters.thinking import without_thinking
from evaluation.core.row_states import STATE, RowState

_DECODER = json.JSONDecoder()
_TAIL = 20_000  # characters in which an answer is sought: it is short and stands at the end


@dataclass(frozen=True, slots=True)
class Reply:
    """The text as it was written and what it cost.

    `trouble` is what the server or the engine says of it: `cut_off` where it ended at its token limit, so that
    the end may be missing; any other state means that it holds no answer, whatever stands there.
    """

    text: str
    usage: Usage
    trouble: RowState | None = None


def unanswered_output(state: RowState) -> dict[str, Any]:
    """What an adapter hands back for a row that was not answered."""
    return {STATE: state.value}


def object_in(reply: Reply) -> dict[str, Any] | RowState:
    """The last JSON object of a reply that is an answer, thinking left out; else why there is none.

    One that ended at the token limit counts only where no further object was begun after it: what stands before is a
    draft.
    """
    if reply.trouble not in (None, RowState.CUT_OFF):
        return reply.trouble
    text = reply.text if _is_object(reply.text) else without_thinking(reply.text)
    text = text[-_TAIL:]
    last, rest = None, text
    for candidate, end in _objects(text):
        if (answer := _answer(candidate)) is not None:
            last, rest = answer, text[end:]
    cut = reply.trouble is RowState.CUT_OFF
    if last is not None and not (cut and "{" in rest):
        return last
    if cut:
        return RowState.CUT_OFF
    return RowState.UNREADABLE if text else RowState.EMPTY


def prose_in(reply: Reply) -> str | RowState:
    """The words of a reply, thinking left out; else why there are none. What was cut off is no answer."""
    if reply.trouble is not None:
        return reply.trouble
    return _encodable(without_thinking(reply.text)) or RowState.EMPTY


def response_output(reply: Reply) -> dict[str, Any]:
    """What an adapter hands back for a question that is answered in words."""
    response = prose_in(reply)
    return unanswered_output(response) if isinstance(response, RowState) else {"response": response}


def _is_object(text: str) -> bool:
    """Whether a text is one JSON object and nothing else: then nothing in it is thinking."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _objects(text: str) -> Iterator[tuple[Any, int]]:
    """(object, where it ends) of every outermost JSON object of a text, in order."""
    at = text.find("{")
    while at >= 0:
        try:
            parsed, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield parsed, end
        at = text.find("{", end)


def _encodable(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair, which JSON can hold and no file of ours can."""
    return text.encode("utf-8", "replace").decode()


def _answer(parsed: Mapping[str, Any]) -> dict[str, Any] | None:
    """The object as an answer: one with a `value`, or one that holds nothing but such an object; None for others."""
    if "value" in parsed:
        value = parsed["value"]
        if isinstance(value, (list, dict)):
            return None
        return {**parsed, "value": _encodable(value) if isinstance(value, str) else value}
    inner = list(parsed.values())
    return _answer(inner[0]) if len(inner) == 1 and isinstance(inner[0], dict) else None
