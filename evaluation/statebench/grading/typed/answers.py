"""Typed answers of prediction lines: in the field `answer`, or as the same JSON object within `response`.

A program writes `answer`: a field or a type that does not fit is refused with its reason. A model writes `response`:
there an object that does not fit is prose, and fields beside the three are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from evaluation.adapters.replies import objects_in
from evaluation.adapters.thinking import without_thinking
from evaluation.core import jsonl
from evaluation.core.checks import in_message, nearest
from evaluation.statebench.data.typed_gold import DECISIONS, VALUE

ANSWER = "answer"
FIELDS = ("decision", "value", "because")
#: Pieces of evidence of one answer, and characters of a value: an answer, not a copy of the archive.
MOST_EVIDENCE, LONGEST_TEXT = 50, 2_000
_FENCE = re.compile(r"```\w*\s*```")


class TypedAnswer(NamedTuple):
    """An answer by its parts."""

    decision: str  # one of DECISIONS
    value: str | None
    because: tuple[str, ...]  # ids, or quotes

    def as_text(self) -> str:
        """The answer as JSON, for readers."""
        return orjson.dumps(dict(zip(FIELDS, self, strict=True))).decode()


class Given(NamedTuple):
    """What a line answers, typed and in prose."""

    typed: TypedAnswer | None
    prose: str  # the response without thinking and without the object


def given(line: Mapping[str, Any]) -> Given:
    """What a line answers: its `answer`, else the last object of its response that is one.

    Args:
        line: Of a predictions file, without a problem of form.
    """
    inside, prose = _parted(line.get("response") or "")
    own = line.get(ANSWER)
    return Given(inside if own is None else _read(own), prose)


def own_answer(line: Mapping[str, Any]) -> TypedAnswer | None:
    """The field `answer` of a line as an answer; None where it has none, or one that does not fit."""
    own = line.get(ANSWER)
    return None if own is None or answer_problem(own) else _read(own)


def answer_problem(answer: object) -> str | None:
    """What is wrong with the field `answer` of a line, in words that follow the line's number; None if nothing is."""
    if not isinstance(answer, Mapping):
        return f"the field 'answer' must be a JSON object, not {jsonl.kind(answer)}"
    if unknown := [name for name in answer if name not in FIELDS]:
        return f"the answer has an unknown field {unknown[0]!r}.{nearest(unknown[0], FIELDS)}"
    decision, value, because = (answer.get(name) for name in FIELDS)
    if decision is None and value is None:
        return "the answer needs a decision or a value"
    if decision is not None and _decision(decision) is None:
        return (
            f"the decision must be one of {', '.join(DECISIONS)}, not {in_message(decision)}."
            f"{nearest(decision, DECISIONS)}"
        )
    if value is not None and not _is_value(value):
        wanted = f"a text of up to {LONGEST_TEXT:,} characters, a number or null"
        return f"the value must be {wanted}, not {in_message(value)}"
    if decision is not None and _decision(decision) == VALUE and _text(value) is None:
        return "the decision 'value' needs a value"
    return _because_problem(because)


def _because_problem(because: object) -> str | None:
    if because is None:
        return None
    if not isinstance(because, list):
        return f"'because' must be a list of texts, not {jsonl.kind(because)}"
    if len(because) > MOST_EVIDENCE:
        return f"'because' may name up to {MOST_EVIDENCE} ids or quotes, not {len(because)}"
    if wrong := [each for each in because if not isinstance(each, str) or len(each) > LONGEST_TEXT]:
        return f"'because' must hold texts of up to {LONGEST_TEXT:,} characters, not {in_message(wrong[0])}"
    return None


def _read(answer: Mapping[str, Any]) -> TypedAnswer:
    """A typed answer that has no problem."""
    decision, value = answer.get("decision"), _text(answer.get("value"))
    return TypedAnswer(
        VALUE if decision is None else str(_decision(decision)), value, tuple(answer.get("because") or ())
    )


def _parted(response: str) -> Given:
    """The last typed answer of a response, and its prose."""
    if "{" not in response:
        return Given(None, without_thinking(response))
    bare = response.strip()
    is_object = bare[0] == "{" and bare[-1] == "}"
    if is_object and (alone := _alone(bare)) is not None:
        return Given(alone, "")
    text = bare if is_object else without_thinking(bare)
    typed, prose, at = None, list[str](), 0
    for parsed, start, end in objects_in(text):
        if (found := _lenient(parsed)) is not None:
            prose.append(text[at:start])
            typed, at = found, end
    return Given(typed, _FENCE.sub("", "".join([*prose, text[at:]])).strip())


def _alone(text: str) -> TypedAnswer | None:
    """The answer of a text that is one strictly written object: what nearly all files hold."""
    try:
        return _lenient(orjson.loads(text))
    except orjson.JSONDecodeError:
        return None


def _lenient(parsed: Mapping[str, Any]) -> TypedAnswer | None:
    """An object of a model as an answer; None where it is none. It may stand in a field `answer`, as in a line."""
    named = {str(name).strip().casefold(): value for name, value in parsed.items()}
    if isinstance(inner := named.get(ANSWER), Mapping):
        return _lenient(inner)
    because = named.get("because")
    taken = {
        "decision": named.get("decision"),
        "value": named.get("value"),
        "because": [because] if isinstance(because, str) else because,
    }
    return None if answer_problem(taken) else _read(taken)


def _decision(decision: object) -> str | None:
    """One of DECISIONS, in any case; None for anything else."""
    name = decision.strip().casefold() if isinstance(decision, str) else None
    return name if name in DECISIONS else None


def _is_value(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    return len(str(value)) <= LONGEST_TEXT if isinstance(value, str) else abs(value) < 1e18


def _text(value: object) -> str | None:
    """A value as text, None where it says nothing."""
    return (str(value).strip() or None) if isinstance(value, str | int | float) else None
