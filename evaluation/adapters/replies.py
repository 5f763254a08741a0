"""The answer in a model's reply, or the row state that says why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.adapters.base import Usage
from evaluation.adapters.loose_json import loose_object
from evaluation.adapters.thinking import without_thinking
from evaluation.core.row_states import STATE, RowState

_DECODER = json.JSONDecoder()
_TAIL = 20_000  # characters searched: an answer is short and at the end
_VALUE = ("value", "answer")  # names of the value's field, case ignored, the usual one first
_CITATIONS = ("support_ids", "support_id")
_CALLS = ("arguments", "parameters")  # wrappers of an answer in a tool call
#: A placeholder for a value: the requested form, repeated by the model.
_PLACEHOLDER = re.compile(r"\s*(?:\.{2,}|…+|<[^<>]*>)\s*")


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply and its cost.

    `trouble` is a problem that the server or engine reported, or None. `cut_off` means that the reply ended at the
    token limit, and may still contain an answer. With any other problem the text never counts as an answer.
    """

    text: str
    usage: Usage
    trouble: RowState | None = None


def unanswered_output(state: RowState) -> dict[str, object]:
    return {STATE: state.value}


def object_in(reply: Reply) -> dict[str, object] | RowState:
    """The last JSON object with an answer in a reply, outside of thinking. Without one, returns the row's state."""
    if reply.trouble not in (None, RowState.CUT_OFF):
        return reply.trouble
    said = _said(reply.text)
    last, rest = _last_answer(said)
    cut = reply.trouble is RowState.CUT_OFF
    # cut off within a further object: the answer before it was a draft
    if last is not None and not (cut and "{" in rest):
        return last
    if cut:
        return RowState.CUT_OFF
    return RowState.UNREADABLE if said else RowState.EMPTY


def answer_in(text: str) -> dict[str, object] | None:
    return _last_answer(_said(text))[0]


def _said(text: str) -> str:
    # if the text is exactly one JSON object, nothing in it is thinking
    return (text if _is_object(text) else without_thinking(text))[-_TAIL:]


def _last_answer(text: str) -> tuple[dict[str, object] | None, str]:
    """Returns the last answer in a text, or None, and the text after it. Prefers answers other than `...`."""
    last: dict[str, object] | None = None
    rest = text
    for candidate, _, end in objects_in(text):
        answer = _answer(candidate)
        if answer is not None and (last is None or _is_form(last["value"]) or not _is_form(answer["value"])):
            last, rest = answer, text[end:]
    return last, rest


def prose_in(reply: Reply) -> str | RowState:
    """The text of a reply without thinking. Returns the row's state if the reply is empty or has `trouble`."""
    if reply.trouble is not None:
        return reply.trouble
    return _encodable(without_thinking(reply.text)) or RowState.EMPTY


def response_output(reply: Reply) -> dict[str, object]:
    response = prose_in(reply)
    return unanswered_output(response) if isinstance(response, RowState) else {"response": response}


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def objects_in(text: str) -> Iterator[tuple[Any, int, int]]:
    """Yield (object, start, end) of every outermost JSON object of a text, strictly or loosely written."""
    at = text.find("{")
    while at >= 0:
        try:
            found: tuple[Any, int] | None = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            found = loose_object(text, at)
        if found:
            yield found[0], at, found[1]
        at = text.find("{", found[1] if found else at + 1)


def _encodable(text: str) -> str:
    """Replace lone surrogates, which JSON allows and our files do not, by question marks."""
    return text.encode("utf-8", "replace").decode()


def _answer(parsed: Mapping[str, object]) -> dict[str, object] | None:
    """The answer in a JSON object, which may be in a tool call or in the object's only field. None if absent."""
    names = {name.strip().casefold(): name for name in reversed([*parsed])}
    if field := next((names[name] for name in _VALUE if name in names), None):
        value = parsed[field]
        if isinstance(value, (list, dict)):
            return (
                _answer(value) if len(parsed) == 1 and isinstance(value, dict) and field != "value" else None
            )
        taken = [names[each] for each in _CITATIONS if each in names]
        others = {each: parsed[names[each]] for each in _CITATIONS if each in names}
        value = _encodable(value) if isinstance(value, str) else value
        beside = {name: item for name, item in parsed.items() if name not in (field, *taken)}
        return beside | others | {"value": value}
    inner = next((parsed[names[name]] for name in _CALLS if name in names), None)
    if inner is None and len(parsed) == 1:
        inner = next(iter(parsed.values()))
    if isinstance(inner, str) and inner.lstrip().startswith("{"):
        return answer_in(inner)
    return _answer(inner) if isinstance(inner, dict) else None


def _is_form(value: object) -> bool:
    return isinstance(value, str) and _PLACEHOLDER.fullmatch(value) is not None
