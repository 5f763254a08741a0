"""Reads typed answers from prediction lines: the field `answer`, or the same JSON object within `response`.

Programs write `answer`, where a wrong field or type is an error. Models write `response`, where a malformed object
counts as prose and unknown fields are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import orjson

from evaluation.adapters.replies import objects_in
from evaluation.adapters.thinking import without_thinking
from evaluation.core import jsonl
from evaluation.core.checks import in_message, nearest
from evaluation.statebench.data.typed_gold import DECISIONS, VALUE

ANSWER = "answer"
FIELDS = ("decision", "value", "because")
#: Limits of evidence per answer and characters of a value, which keep answers from being copies of the archive.
MOST_EVIDENCE, LONGEST_TEXT = 50, 2_000
_FENCE = re.compile(r"```\w*\s*```")


class TypedAnswer(NamedTuple):
    decision: str  # one of DECISIONS
    value: str | None
    because: tuple[str, ...]  # ids, or quotes

    def as_text(self) -> str:
        return orjson.dumps(dict(zip(FIELDS, self, strict=True))).decode()


class Given(NamedTuple):
    typed: TypedAnswer | None
    prose: str  # the response without thinking and without the JSON object


def given(line: Mapping[str, Any]) -> Given:
    """Return the `answer` of a valid line, else the last typed answer in its response, with the prose around it."""
    inside, prose = _parted(line.get("response") or "")
    own = line.get(ANSWER)
    return Given(inside if own is None else _read(own), prose)


def own_answer(line: Mapping[str, Any]) -> TypedAnswer | None:
    own = line.get(ANSWER)
    return None if own is None or answer_problem(own) else _read(own)


def answer_problem(answer: object) -> str | None:
    """Return an error message, without a line number, for the field `answer` of a line. None if the field is valid."""
    if not isinstance(answer, Mapping):
        return f"the field 'answer' must be a JSON object, not {jsonl.kind(answer)}"
    if unknown := [name for name in answer if name not in FIELDS]:
        return f"the answer has an unknown field {unknown[0]!r}{_hint(unknown[0], FIELDS)}"
    decision, value, because = (answer.get(name) for name in FIELDS)
    if decision is None and value is None:
        return "the answer needs a decision or a value"
    if decision is not None and _decision(decision) is None:
        return (
            f"the decision must be one of {', '.join(DECISIONS)}, not {in_message(decision)}"
            f"{_hint(decision, DECISIONS)}"
        )
    if value is not None and not _is_value(value):
        wanted = f"a text of up to {LONGEST_TEXT:,} characters, a number or null"
        return f"the value must be {wanted}, not {in_message(value)}"
    if decision is not None and _decision(decision) == VALUE and _text(value) is None:
        return "the decision 'value' needs a value"
    return _because_problem(because)


def _hint(name: object, known: Collection[str]) -> str:
    hint = nearest(name, known).strip()
    return f" (d{hint[1:]})" if hint else ""


def _because_problem(because: object) -> str | None:
    if because is None:
        return None
    if not isinstance(because, list):
        return f"'because' must be a list of texts, not {jsonl.kind(because)}"
    if len(because) > MOST_EVIDENCE:
        return f"'because' may name up to {MOST_EVIDENCE} ids or quotes, not {len(because)}"
    if wrong := [each for each in because if not isinstance(each, str) or len(each) > LONGEST_TEXT]:
        return f"'because' must be texts of up to {LONGEST_TEXT:,} characters, not {in_message(wrong[0])}"
    return None


def _read(answer: Mapping[str, Any]) -> TypedAnswer:
    decision, value = answer.get("decision"), _text(answer.get("value"))
    return TypedAnswer(
        VALUE if decision is None else str(_decision(decision)), value, tuple(answer.get("because") or ())
    )


def _parted(response: str) -> Given:
    if "{" not in response:
        return Given(None, without_thinking(response))
    bare = response.strip()
    is_object = bare[0] == "{" and bare[-1] == "}"
    # Nearly all files have just the object, and strict parsing is faster than searching.
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
    try:
        return _lenient(orjson.loads(text))
    except orjson.JSONDecodeError:
        return None


def _lenient(parsed: Mapping[str, Any]) -> TypedAnswer | None:
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
    name = decision.strip().casefold() if isinstance(decision, str) else None
    return name if name in DECISIONS else None


def _is_value(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    return len(str(value)) <= LONGEST_TEXT if isinstance(value, str) else abs(value) < 1e18


def _text(value: object) -> str | None:
    return (str(value).strip() or None) if isinstance(value, str | int | float) else None
