"""Explains why a line of a predictions file is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.core.row_states import REASONS
from evaluation.core.suite import ExpectedRows, Problem
from evaluation.goldevidence.data.answers import SELECTED, TEXT_FIELDS, AnswerError, read
from evaluation.goldevidence.data.forms import ids_of
from evaluation.goldevidence.generator.fields import MOST_CITATIONS
from evaluation.goldevidence.line_oddities import apart, rules_of
from evaluation.goldevidence.shown_uids import SHOWN, form_fault, row_fault

NO_ANSWER = (
    "The line has no answer: give 'value' and 'support_ids', or 'output'. For a row that was asked and not answered "
    f"give the reason in 'state': {', '.join(REASONS)}."
)


def problem_in(data: Any, expected: ExpectedRows) -> Problem | None:
    """Return why a line cannot be graded: no answer, or a field of the wrong type. None if it can be graded."""
    if "value" in data and isinstance(data["value"], (bool, list, dict)):
        return _wrong_type("value", "a text, a number or null")
    ids = data.get("support_ids")
    any_form = rules_of(expected).any_form
    if ids is not None and not (isinstance(ids, str) or _all_ids(ids, any_form)):
        return _wrong_type("support_ids", "a list of texts")
    if isinstance(ids, list) and len(ids) > MOST_CITATIONS:
        message = (
            f"{len(ids)} support_ids; at most {MOST_CITATIONS} are allowed. "
            "Cite only lines that establish the answer."
        )
        return Problem("too_many_support_ids", message)
    for field in ("support_id", SELECTED, *TEXT_FIELDS):
        if not isinstance(data.get(field), str | None):
            return _wrong_type(field, "a text")
    if problem := _shown_problem(data, expected):
        return problem
    try:
        answer = read(data, any_form=any_form)
    except AnswerError as error:
        return Problem("unreadable_answer", f"{error}.")
    if answer is None:
        return Problem("no_answer", NO_ANSWER)
    return None


def _shown_problem(data: Mapping[str, Any], expected: ExpectedRows) -> Problem | None:
    uids = data.get(SHOWN)
    fault = form_fault(uids)
    if fault is None and uids and expected.lines is not None:
        fault = row_fault(uids, apart(expected.lines.get(data["id"], "")))
    return Problem(fault.code, f"{fault.message}.") if fault else None


def _all_ids(ids: Any, any_form: bool) -> bool:
    return isinstance(ids, list) and all(
        isinstance(item, str) or (any_form and isinstance(item, dict) and bool(ids_of(str(item))))
        for item in ids
    )


def _wrong_type(field: str, expected: str) -> Problem:
    return Problem("wrong_type", f"'{field}' must be {expected}.")
