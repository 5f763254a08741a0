"""Reads a usable line of a predictions file, and reports forms of answers that the version does not accept."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from evaluation.core.records import Given, JsonObject, Odd
from evaluation.core.row_states import given_state
from evaluation.core.suite import ExpectedRows
from evaluation.goldevidence.data.answers import TEXT_FIELDS, Answer, in_plain_form, read
from evaluation.goldevidence.data.rubrics import DEFAULT_RUBRIC, RUBRICS, Rubric

_CITED = (
    "cite with more than the id (a list written as text, brackets, lower case, a whole line), which this version does "
    'not read. Write ids alone, as in "support_ids": ["U0A1B2C"].'
)
_WRITTEN = (
    "write the value with quotes, a full stop, typographic characters or .0, and this version compares values "
    "exactly. Write it as in the row's text."
)
_REPLIED = (
    "have more text around the JSON object than this version reads (thinking, a remark in braces, a second "
    "object), so no answer is read. Give 'value' and 'support_ids', or the object alone."
)


def rules_of(expected: ExpectedRows) -> Rubric:
    """Return the rubric that reads the answers of a version; the newest rubric if the version does not say."""
    return RUBRICS[expected.rubric or DEFAULT_RUBRIC]


def given(data: JsonObject, expected: ExpectedRows) -> Given | None:
    """Return the answer of a usable line, for checks over the whole file; None if the line gives a state instead."""
    if given_state(data):
        return None
    rules = rules_of(expected)
    answer = read(data, any_form=rules.any_form)
    if answer is None:
        return None
    if not answer.parsed:
        return _unread(data)
    held = None if expected.lines is None else apart(expected.lines.get(data["id"], ""))
    told = in_plain_form(answer, "", held or ())
    odd = () if rules.any_form else tuple(_odd(answer, told))
    counted = (told if rules.any_form else answer).without_null_word
    unknown = counted.cited and held is not None and held.isdisjoint(counted.cited)
    return Given(counted.value, len(counted.cited), cites_none=counted.cited[0] if unknown else "", odd=odd)


def _unread(data: JsonObject) -> Given:
    """Describe a line without an answer, or with an answer that the version's rules cannot read."""
    field = next((name for name in TEXT_FIELDS if isinstance(data.get(name), str) and data[name].strip()), "")
    answer = read(data)
    if field and answer is not None and answer.parsed:
        return Given(None, odd=(Odd("reply_not_read", _REPLIED, data[field].strip()),))
    return Given(None, unread=field)


def _odd(answer: Answer, told: Answer) -> Iterator[Odd]:
    if answer.cited != told.cited:
        yield Odd("citations_as_text", _CITED, next(each for each in answer.cited if each not in told.cited))
    if answer.value is not None and answer.value != told.value:
        yield Odd("value_in_another_form", _WRITTEN, answer.value)


@lru_cache(maxsize=4)  # rows of an episode hold the same lines
def apart(lines: str) -> frozenset[str]:
    return frozenset(lines.split())
