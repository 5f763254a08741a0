"""Guesses about a refused file from its beginning: another format, another benchmark's lines, other field names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from evaluation.core import jsonl
from evaluation.core.checks import Finding
from evaluation.core.diagnosis import forms, tools
from evaluation.core.files import limits as bounded
from evaluation.core.files.artifacts import is_artifact
from evaluation.core.files.limits import Bounds, RefusedError
from evaluation.core.suite import ExpectedRows, Suite, usable

MOST_LINES = 200  # lines examined
#: Share of the examined lines that must agree for a guess about the file.
MOST_OF_THEM = 0.9
#: Field names of other tools for an answer, and for the id of a row.
ANSWERS = ("answer", "prediction", "pred", "predicted", "output", "response", "value", "completion", "text", "result",
           "final_answer", "model_output", "generated_text", "label")  # fmt: skip
IDS = (
    "row_id",
    "question_id",
    "query_id",
    "example_id",
    "qid",
    "_id",
    "uid",
    "key",
    "task_id",
    "instance_id",
)


def guess(path: Path, suite: Suite, expected: ExpectedRows, bounds: Bounds) -> Finding | None:
    """Guess the format of a refused file, with advice. Returns None if no format fits, or `path` is a pipe."""
    if not path.is_file():
        return None
    head = _head(path, bounds)
    if form := forms.form_of(head):
        return form
    records = _records(path, bounds)
    return guess_from_records(records, suite, expected) if records else None


def _head(path: Path, bounds: Bounds) -> bytes:
    try:
        return next(iter(bounded.chunks(path, bounds)), b"")[: forms.HEAD]
    except RefusedError:
        with path.open("rb") as file:
            head = file.read(forms.HEAD)
        return b"" if head.startswith(jsonl.GZIP_MAGIC) else head


def _records(path: Path, bounds: Bounds) -> list[dict[str, object]]:
    found = []
    try:
        for _, line in islice(bounded.lines(path, bounds), MOST_LINES):
            try:
                data = orjson.loads(line) if isinstance(line, bytes) else None
            except orjson.JSONDecodeError:
                continue
            if isinstance(data, dict) and not is_artifact(data):
                found.append(data)
    except RefusedError:
        pass
    return found


def guess_from_records(
    records: Sequence[Mapping[str, object]], suite: Suite, expected: ExpectedRows
) -> Finding | None:
    """Guess the format of a refused file from its first records (at least one). Returns None if no format fits."""
    return (
        _another_tool(records, suite)
        or _another_suite(records, suite)
        or _rows_themselves(records, suite)
        or _by_another_name(records, suite, suite.fields.ids, IDS, "id")
        or _by_another_name(records, suite, suite.fields.answers, ANSWERS, "answer")
    )


def _most(records: Sequence[Mapping[str, object]], holds: Any) -> bool:
    return sum(map(bool, map(holds, records))) >= MOST_OF_THEM * len(records)


def _another_tool(records: Sequence[Mapping[str, object]], suite: Suite) -> Finding | None:
    if any(_is_answer(data, suite) for data in records):
        return None
    return tools.recognise_lines(records, MOST_OF_THEM)


def _is_answer(data: Mapping[str, object], suite: Suite) -> bool:
    answers = [data[name] for name in suite.fields.answers if name in data]
    return suite.row_id(data) is not None and any(each is None or isinstance(each, str) for each in answers)


def _another_suite(records: Sequence[Mapping[str, object]], suite: Suite) -> Finding | None:
    if not _most(records, lambda data: suite.row_id(data) is None):
        return None
    for other in usable().values():
        fields = (*other.fields.ids, *other.fields.answers)
        if other.name == suite.name or not other.fields.ids:
            continue
        if _most(records, lambda data, other=other: other.row_id(data) is not None):
            there = ", ".join(repr(name) for name in fields if name in records[0])
            return Finding(
                "another_benchmark",
                f"These lines seem to be answers to {other.title} ({there}); this version is one of {suite.title}. "
                f"Choose a version of {other.title}.",
            )
    return None


def _rows_themselves(records: Sequence[Mapping[str, object]], suite: Suite) -> Finding | None:
    answers = suite.fields.answers
    if not answers or not suite.fields.texts:
        return None
    if _most(records, lambda data: not any(name in data for name in answers) and _shows(data, suite)):
        return Finding(
            "rows_not_answers",
            f"These lines seem to be rows of a version: questions without answers. Send a file with an id and "
            f"{answers[0]!r} on each line.",
        )
    return None


def _shows(data: Mapping[str, object], suite: Suite) -> bool:
    return any(name in data for name in suite.fields.texts)


def _by_another_name(
    records: Sequence[Mapping[str, object]],
    suite: Suite,
    fields: Sequence[str],
    others: Sequence[str],
    what: str,
) -> Finding | None:
    if not fields or not _most(records, lambda data: not any(name in data for name in fields)):
        return None
    for name in others:
        if name not in fields and _most(records, lambda data, name=name: _is_plain(data, name)):
            return Finding(
                f"{what}_by_another_name",
                f"The lines seem to have the {what} in {name!r}, but it is read from {fields[0]!r}: rename the field.",
            )
    return None


def _is_plain(data: Mapping[str, object], name: str) -> bool:
    """True if the field exists and its value is not an object."""
    return name in data and not isinstance(data[name], Mapping)
