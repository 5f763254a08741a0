"""Rows in readable form, as their suites provide it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from django import template

from evaluation.core.records import Row, ShownVerdict
from evaluation.core.suite import Column, RowPreview
from leaderboard.benchmarks.models import Version

register = template.Library()


@register.simple_tag
def row_previews(version: Version, row: Row | None) -> list[RowPreview]:
    return version.previews(row) if row else []


@register.simple_tag
def example_line(version: Version, answer: str) -> str:
    """A line of a predictions file that gives this answer (JSON) to the version's sample row."""
    previews = version.suite.row_previews(version.sample) if version.sample else []
    if not previews:
        return ""
    form = json.loads(previews[0].answer_form)
    asked = {name: value for name, value in form.items() if "\N{HORIZONTAL ELLIPSIS}" not in str(value)}
    return json.dumps(asked | json.loads(answer), ensure_ascii=False)


@register.simple_tag
def reading(version: Version, verdict: ShownVerdict) -> RowPreview | None:
    """The question with a verdict's id. If there is none, the only question of the verdict's row, or None."""
    previews = row_previews(version, verdict.get("row"))
    return next(
        (each for each in previews if each.id == verdict["id"]), previews[0] if len(previews) == 1 else None
    )


@register.simple_tag
def shared_ending(version: Version, verdicts: Sequence[ShownVerdict]) -> str:
    """The last lines that the questions of several verdicts share. Never includes a first line; may be empty."""
    questions = [preview.question for each in verdicts if (preview := reading(version, each))]
    if len(questions) < 2:
        return ""
    tails = [question.split("\n")[:0:-1] for question in questions]  # lines from the last one to the second
    same = takewhile(lambda lines: len(set(lines)) == 1, zip(*tails, strict=False))
    return "\n".join([lines[0] for lines in same][::-1])


@register.filter
def without(text: str, ending: str) -> str:
    return text.removesuffix(f"\n{ending}") if ending else text


@register.filter
def first_line(text: str) -> str:
    """The first line of a question, without the instructions for answering."""
    return text.partition("\n")[0]


@register.filter
def json_text(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


@register.filter
def json_line(value: Any) -> str:
    """A value as one line of JSON; text stays text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@register.filter
def words(code: str) -> str:
    return code.replace("_", " ")


@register.simple_tag
def row_figures(version: Version, verdict: ShownVerdict) -> list[tuple[Column, float]]:
    """The contribution of a row to each metric of a board; empty if the verdict does not list contributions."""
    figures = verdict.get("figures") or {}
    return [(column, figures[column.name]) for column in version.columns if column.name in figures]


@register.simple_tag
def answered(verdict: ShownVerdict) -> Any:
    """The answer in a verdict: a text, or a value with its citations; None without an answer."""
    fields: Mapping[str, object] = verdict  # suites use different names for the answer
    for name in ("prediction", "response"):
        if fields.get(name) is not None:
            return fields[name]
    value, cited = fields.get("value"), fields.get("cited")
    if value is None and not cited:
        return None
    return {"value": value} | ({} if cited is None else {"support_ids": cited})
