r"""Reads the value and the citations of a prediction, or the reason why there is no answer.

    {"id": …, "value": …, "support_ids": […]}      or a single "support_id"
    {"id": …, "output": "… {\"value\": …} …"}      or "text", or "completion"
    {"id": …, "state": "cut_off"}                  no answer was obtained: see `evaluation.core.row_states`

In the first two forms "selected_uid" may name the line that a selector chose before the answer. It is not part of the
answer; grading only checks whether the answer cites it. In all three, "shown_uids" may list the lines that the answerer
saw (see `shown_uids`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import Any, NamedTuple

from evaluation.adapters.replies import answer_in
from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.files.version_files import AnswerForm
from evaluation.core.records import JsonObject
from evaluation.core.row_states import RowState, given_state
from evaluation.goldevidence.data.forms import ids_of, is_id, plain
from evaluation.goldevidence.shown_uids import SHOWN, form_fault

VALUE_FIELDS = ("value", "support_ids", "support_id")
TEXT_FIELDS = ("output", "text", "completion")
#: Fields that may hold the answer, the usual one first.
ANSWER_FIELDS = ("value", *TEXT_FIELDS)
NULL_WORD = "null"  # small models put it into quotes, and no value of the benchmark is that word
SELECTED = "selected_uid"
_SAYS_A_VALUE = frozenset(VALUE_FIELDS)
_new = tuple.__new__  # makes an Answer in half the time, once per row


class AnswerError(BenchmarkError):
    """The prediction contains something that cannot be an answer: deep nesting or an extremely long number."""


class Answer(NamedTuple):
    value: str | None
    cited: list[str]  # in the order given, repetitions kept
    parsed: bool = True  # False if the text holds no JSON object with an answer
    selected: str | None = None  # the line that a selector chose; None if not stated
    state: RowState | None = None  # why there is no answer, if the line states it
    shown: tuple[str, ...] | None = None  # the lines that the answerer saw; None if not stated

    @property
    def without_null_word(self) -> Answer:
        return self._replace(value=None) if self.value == NULL_WORD else self


UNPARSED = Answer(None, [], parsed=False)


def read(data: Mapping[str, object], *, any_form: bool = True) -> Answer | None:
    """Return the answer of a prediction; None if it has neither an answer field nor a state.

    Answer fields take precedence over a text; of several text fields the first non-empty one is read. With `any_form`
    thinking and remarks in a text are skipped; otherwise the text is read as the reference implementation does
    (`parse_text`). Raises AnswerError.
    """
    if state := given_state(data):
        return Answer(None, [], parsed=False, selected=_selected(data), state=state, shown=_shown(data))
    try:
        if not _SAYS_A_VALUE.isdisjoint(data):
            value = normalize(data.get("value"))
            return _new(Answer, (value, cited_ids(data), True, _selected(data), None, _shown(data)))
        text = data.get("output") or data.get("text") or data.get("completion")
        if text is None and not any(field in data for field in TEXT_FIELDS):
            return None
        payload = _payload(text, any_form) if isinstance(text, str) else {}
        parsed = any(field in payload for field in VALUE_FIELDS)
        value = normalize(payload.get("value"))
        return Answer(value, cited_ids(payload), parsed, _selected(data), shown=_shown(data))
    except RecursionError:
        raise AnswerError("the answer is nested too deeply") from None
    except ValueError:  # CPython refuses to convert integers of more than 4,300 digits
        raise AnswerError("the answer contains a number with thousands of digits") from None


def answer_form(*, any_form: bool) -> AnswerForm:
    """Return the function that reads the answers of a predictions file; see `read`."""
    return AnswerForm(_row_id, partial(read, any_form=any_form))


def _row_id(data: Mapping[str, object]) -> Any:
    """Return the id of the answered row, or None. In imported data sets it may be a number."""
    row_id = data.get("id")
    if not isinstance(row_id, str) and isinstance(row_id, (list, dict)):
        raise AnswerError(f"an 'id' must be a text, not {jsonl.kind(row_id)}")
    return row_id


def row_state(data: Mapping[str, object], *, any_form: bool = True) -> RowState:
    """Return the row state (the outcome) of a row with this prediction. Raises AnswerError; see `read`."""
    if state := given_state(data):
        return state
    answer = read(data, any_form=any_form)
    if answer is None or not answer.parsed:
        has_text = any(isinstance(text := data.get(field), str) and text.strip() for field in TEXT_FIELDS)
        return RowState.UNREADABLE if has_text else RowState.EMPTY
    silent = answer.without_null_word.value is None and not answer.cited
    return RowState.ABSTAINED if silent else RowState.ANSWERED


def in_plain_form(
    answer: Answer, key: str, holds: Container[str], values: Callable[[], Container[str | None]] = tuple
) -> Answer:
    """Rewrite the value and the citations of an answer in the benchmark's notation, if they differ only in form.

    Ids in `holds` and values in `values()` occur in the row, so they are not rewritten.
    """
    value, cited, selected = answer.value, answer.cited, answer.selected
    if value is not None and (bare := plain(value, key)) != value and value not in values():
        answer = answer._replace(value=bare)
    if not all(map(is_id, cited)):
        answer = answer._replace(cited=[uid for each in cited for uid in named(each, holds)])
    if selected is not None and not is_id(selected) and len(chosen := named(selected, holds)) == 1:
        answer = answer._replace(selected=chosen[0])
    return answer


def named(cited: str, holds: Container[str]) -> list[str]:
    """Return the ids that a citation mentions; the citation itself if it is in `holds` or mentions no id."""
    return [cited] if is_id(cited) or cited in holds else ids_of(cited) or [cited]


def normalize(value: Any) -> str | None:
    """Return a value as a text to compare: without white space at its ends, None if empty. 12 becomes "12"."""
    if value is None:
        return None
    return (value if isinstance(value, str) else str(value)).strip() or None


def cited_ids(data: Mapping[str, object]) -> list[str]:
    """Return the ids in `support_ids`, or else in `support_id`. Nulls and blanks are left out."""
    for field in ("support_ids", "support_id"):
        support = data.get(field)
        if support is None:
            continue
        if isinstance(support, list) and len(support) == 1 and isinstance(only := support[0], str):
            ids = [text] if (text := only.strip()) else []  # nearly all answers, in a third of the time
        else:
            ids = [
                text
                for item in (support if isinstance(support, list) else (support,))
                if item is not None and (text := (item if isinstance(item, str) else str(item)).strip())
            ]
        if ids:
            return ids
    return []


def _selected(data: Mapping[str, object]) -> str | None:
    selected = data.get(SELECTED)
    if selected is None:
        return None
    if not isinstance(selected, str):
        raise AnswerError(f"'{SELECTED}' must be a text or null")
    return selected.strip() or None


def _shown(data: JsonObject) -> tuple[str, ...] | None:
    uids = data.get(SHOWN)
    if uids is None:
        return None
    if fault := form_fault(uids):
        raise AnswerError(fault.message)
    return tuple(uids)


def _payload(text: str, any_form: bool) -> dict[str, object]:
    if not any_form:
        return parse_text(text)
    return answer_in(text) or {}


def parse_text(text: str) -> dict[str, object]:
    """Return the JSON object that a text is, or else has between its outermost braces, or else {}.

    Raises RecursionError (too deep) or ValueError (huge integer).
    """
    if (payload := _object(text)) is None:
        payload = _object(text[text.find("{") : text.rfind("}") + 1])
    return payload or {}


def _object(text: str) -> dict[str, object] | None:
    try:
        payload = jsonl.loads(text)
    except json.JSONDecodeError:
        return None
    return payload if isinstance(payload, dict) else None
