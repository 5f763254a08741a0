"""What a model replied, and the answer in it: an answer, or the state that says why there is none."""

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
_TAIL = 20_000  # characters in which an answer is sought: it is short and stands at the end
_VALUE = ("value", "answer")  # fields of the value, in any case, the usual one first
_CITATIONS = ("support_ids", "support_id")
_CALLS = ("arguments", "parameters")  # in which a model that calls a tool wraps its answer
#: A value that is only the place of one: a form that was asked for, said again.
_PLACEHOLDER = re.compile(r"\s*(?:\.{2,}|…+|<[^<>]*>)\s*")


@dataclass(frozen=True, slots=True)
class Reply:
    """The text as it was written and what it cost.

    `trouble` is what the server or the engine says of it: `cut_off` where it ended at its token limit, so that
    the end may be missing; any other state means that it holds no answer, whatever stands there.
    """

    text: str
    usage: Usage
    trouble: RowState | None = None


def unanswered_output(state: RowState) -> dict[str, object]:
    """What an adapter hands back for a row that was not answered."""
    return {STATE: state.value}


def object_in(reply: Reply) -> dict[str, object] | RowState:
    """The last JSON object of a reply that is an answer, thinking left out; else why there is none.

    One that ended at the token limit counts only where no further object was begun after it: what stands before is a
    draft.
    """
    if reply.trouble not in (None, RowState.CUT_OFF):
        return reply.trouble
    said = _said(reply.text)
    last, rest = _last_answer(said)
    cut = reply.trouble is RowState.CUT_OFF
    if last is not None and not (cut and "{" in rest):
        return last
    if cut:
        return RowState.CUT_OFF
    return RowState.UNREADABLE if said else RowState.EMPTY


def answer_in(text: str) -> dict[str, object] | None:
    """The answer in the text of a whole reply, read as `object_in` reads it; None where there is none."""
    return _last_answer(_said(text))[0]


def _said(text: str) -> str:
    return (text if _is_object(text) else without_thinking(text))[-_TAIL:]


def _last_answer(text: str) -> tuple[dict[str, object] | None, str]:
    """The last answer of a text and what stands behind it; of several none that is but the form said again."""
    last: dict[str, object] | None = None
    rest = text
    for candidate, _, end in objects_in(text):
        answer = _answer(candidate)
        if answer is not None and (last is None or _is_form(last["value"]) or not _is_form(answer["value"])):
            last, rest = answer, text[end:]
    return last, rest


def prose_in(reply: Reply) -> str | RowState:
    """The words of a reply, thinking left out; else why there are none. What was cut off is no answer."""
    if reply.trouble is not None:
        return reply.trouble
    return _encodable(without_thinking(reply.text)) or RowState.EMPTY


def response_output(reply: Reply) -> dict[str, object]:
    """What an adapter hands back for a question that is answered in words."""
    response = prose_in(reply)
    return unanswered_output(response) if isinstance(response, RowState) else {"response": response}


def _is_object(text: str) -> bool:
    """Whether a text is one JSON object and nothing else: then nothing in it is thinking."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def objects_in(text: str) -> Iterator[tuple[Any, int, int]]:
    """(object, its start, its end) of every outermost JSON object of a text, in order, strictly or loosely written."""
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
    """The text with a question mark for each half of a surrogate pair, which JSON can hold and no file of ours can."""
    return text.encode("utf-8", "replace").decode()


def _answer(parsed: Mapping[str, object]) -> dict[str, object] | None:
    """The object as an answer; None for others.

    One with a `value` (or `answer`), the call of a tool with such arguments, or one that holds nothing but such an
    object.
    """
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
    """Whether a value is the place of one, in the form that was asked for: dots, or a name in brackets."""
    return isinstance(value, str) and _PLACEHOLDER.fullmatch(value) is not None
