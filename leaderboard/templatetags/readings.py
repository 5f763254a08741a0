"""Rows as a person reads them. The suite says how; templates only ask."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from django import template

from evaluation.core.suite import RowPreview
from leaderboard.benchmarks.models import Version

register = template.Library()


@register.simple_tag
def row_previews(version: Version, row: Mapping[str, Any] | None) -> list[RowPreview]:
    """The questions of a public row; empty where there is no row."""
    return version.suite.row_previews(dict(row)) if row else []


@register.simple_tag
def example_line(version: Version, answer: str) -> str:
    """The line of a predictions file that gives this answer (JSON) to the version's sample row."""
    found = row_previews(version, version.sample)
    if not found:
        return ""
    form: dict[str, Any] = json.loads(found[0].answer_form)
    asked = {name: value for name, value in form.items() if "\N{HORIZONTAL ELLIPSIS}" not in str(value)}
    return json.dumps(asked | json.loads(answer), ensure_ascii=False)


@register.simple_tag
def reading(version: Version, verdict: Mapping[str, Any]) -> RowPreview | None:
    """The one question that a verdict is about."""
    found = row_previews(version, verdict.get("row"))
    return next((each for each in found if each.id == verdict["id"]), found[0] if len(found) == 1 else None)


@register.simple_tag
def shared_ending(version: Version, verdicts: Sequence[Mapping[str, Any]]) -> str:
    """The lines that the questions of all these verdicts end with; empty where they share none.

    The first line of a question is always its own, and one question alone shares nothing.
    """
    questions = [found.question for each in verdicts if (found := reading(version, each))]
    if len(questions) < 2:
        return ""
    tails = [question.split("\n")[:0:-1] for question in questions]  # lines from the last one to the second
    same = takewhile(lambda lines: len(set(lines)) == 1, zip(*tails, strict=False))
    return "\n".join([lines[0] for lines in same][::-1])


@register.filter
def without(text: str, ending: str) -> str:
    """A question without the ending that is told once for all."""
    return text.removesuffix(f"\n{ending}") if ending else text


@register.filter
def json_text(value: Any) -> str:
    """A value as indented JSON, for a reader."""
    return json.dumps(value, indent=2, ensure_ascii=False)


@register.filter
def json_line(value: Any) -> str:
    """A value as one line of JSON; text stays text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@register.filter
def words(code: str) -> str:
    """A code as words: `wrong_value` -> `wrong value`."""
    return code.replace("_", " ")


@register.simple_tag
def answered(verdict: Mapping[str, Any]) -> Any:
    """What a verdict says was answered: a text, or a value with its citations; None for nothing."""
    for name in ("prediction", "response"):
        if verdict.get(name) is not None:
            return verdict[name]
    value, cited = verdict.get("value"), verdict.get("cited")
    if value is None and not cited:
        return None
    return {"value": value} | ({} if cited is None else {"support_ids": cited})
