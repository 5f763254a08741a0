"""What a refused file seems to be: another format, another benchmark's lines, fields by other names.

Asked only where a file is refused, of its beginning alone. A guess stands beside what is wrong line by line, and no
file is refused by one.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from evaluation.core import jsonl
from evaluation.core.diagnosis import forms, lines
from evaluation.core.diagnosis.findings import Finding
from evaluation.core.files import limits as bounded
from evaluation.core.files.artifacts import is_artifact
from evaluation.core.files.limits import Bounds, RefusedError
from evaluation.core.suite import ExpectedRows, Suite

MOST_LINES = 200  # that are looked at


def guess(path: Path, suite: Suite, expected: ExpectedRows, bounds: Bounds) -> Finding | None:
    """What a refused file seems to be.

    Args:
        path: The file, gzip or plain. One that can be read only once is not looked at.
        suite: Whose lines are expected.
        expected: The rows that have to be answered.
        bounds: What reading it may cost.

    Returns:
        The guess, with what to do; None where nothing comes to mind.
    """
    if not path.is_file():
        return None
    head = _head(path, bounds)
    if form := forms.form_of(head):
        return form
    records = _records(path, bounds)
    return lines.what_they_are(records, suite, expected) if records else None


def _head(path: Path, bounds: Bounds) -> bytes:
    """The beginning of the file, unpacked; of a damaged one what can be read of it."""
    try:
        return next(iter(bounded.chunks(path, bounds)), b"")[: forms.HEAD]
    except RefusedError:
        with path.open("rb") as file:
            head = file.read(forms.HEAD)
        return b"" if head.startswith(jsonl.GZIP_MAGIC) else head


def _records(path: Path, bounds: Bounds) -> list[dict[str, Any]]:
    """Of the first lines those that hold an answer's object."""
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
