"""Check that a public file reveals nothing except its text; run over every sealed version before it is frozen.

Four exact checks, without false alarms:

- ids are keyed hashes, and the lines are sorted by id;
- beside its text a row contains only fields that the suite allows (`Suite.overtold`); fields of the site are constant;
- no line contains a random seed or the key, and no metadata contains the name of a split;
- all lines with the same fields (and text length, if stated) are equally long: shorter ones are padded (`padded`).

If the texts are in documents, the rows of a document are adjacent, and documents are sorted by id, a keyed hash. A
document contains only its text. Documents with the same length in tokens have the same length in bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import cast

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.files.documents import form as documents
from evaluation.core.files.documents.form import Texts
from evaluation.core.records import JsonObject, Row
from evaluation.core.sealing import keyed_ids
from evaluation.core.suite import LARGEST_THOUGHT_OF, SuiteVersion

Form = tuple[str, ...]
SAME_ID = "its id equals that of an earlier line by chance: freeze the preset again, with a new key"


class LeakError(BenchmarkError):
    """Raised if a public file reveals more than its text. The message names the line and the problem."""


def form(row: Mapping[str, object]) -> Form:
    """Field names of a row, and its text length if stated. Lines with the same form must be equally long."""
    meta = row.get("meta")
    length = meta.get("length") if isinstance(meta, Mapping) else None
    return (*sorted(row), f"length={length}") if isinstance(length, str) else tuple(sorted(row))


def padded(line: bytes, length: int) -> bytes:
    """Pad a line of JSON (without newline) to `length` bytes with spaces, which JSON readers ignore."""
    return line.ljust(length)


class LeakCheck:
    """Checks a public file line by line. `extra`: fields that the site adds, with the same values in each row."""

    def __init__(self, version: SuiteVersion, extra: Mapping[str, object]) -> None:
        self._suite, self._extra = version.suite, dict(extra)
        secrets = version.settings.withheld()
        self._hidden = [text.encode() for text in secrets if _is_drawn(text)]
        names = "|".join(
            re.escape(text) for text in secrets if text and not _is_drawn(text) and not text.isdecimal()
        )
        self._name = re.compile(rf"(?<![A-Za-z0-9])(?:{names})(?![A-Za-z0-9])") if names else None
        self._shared = version.shared_texts
        self._last, self._last_document = ("", ""), ""
        self._ids: set[str] = set()
        self._lengths: dict[Form, int] = {}
        self._document_lengths: dict[tuple[Form, int], int] = {}
        self._number = self._documents = 0

    def line(self, line: bytes, texts: Texts | None = None) -> None:
        """Check the next row of the file. `texts`: the texts of the row's document. Raises LeakError."""
        self._number += 1
        row: Row = jsonl.parse(line)
        whole = row if texts is None else documents.joined(row, texts)
        for problem in (*self._in_id(row), *self._in_fields(whole), *self._in_length(line, row)):
            raise LeakError(f"line {self._number:,} of the public rows reveals more than its text: {problem}")
        self._refuse_secrets(line, f"line {self._number:,} of the public rows")

    def document(self, line: bytes, kind: int = 0) -> Texts:
        """Check a document, which must be as long as others of its `kind`. Returns its texts. Raises LeakError."""
        self._documents += 1
        document: JsonObject = jsonl.parse(line)
        texts = documents.texts_of(document, self._shared)
        for problem in self._in_document(document, texts, kind, len(line)):
            raise LeakError(
                f"line {self._documents:,} of the documents reveals more than its text: {problem}"
            )
        self._refuse_secrets(line, f"line {self._documents:,} of the documents")
        return texts

    def _refuse_secrets(self, line: bytes, where: str) -> None:
        if any(secret in line for secret in self._hidden):
            raise LeakError(f"{where} contains a seed or the key")

    def _in_document(
        self, document: Mapping[str, object], texts: Texts, kind: int, length: int
    ) -> Iterable[str]:
        name, beside = document.get("id"), document.keys() - {"id", *texts, *self._extra}
        if not keyed_ids.is_keyed_document(name):
            yield f"its id {str(name)[:40]!r} is not a keyed hash"
        elif str(name) <= self._last_document:
            yield SAME_ID if name == self._last_document else "the lines are not sorted by id"
        self._last_document = str(name)
        yield from (f"the field {field!r}" for field in sorted(beside))
        if {field: document.get(field) for field in self._extra} != self._extra:
            yield f"{', '.join(self._extra)} differs from the version's value"
        if self._document_lengths.setdefault((form(document), kind), length) != length:
            yield "its length differs from that of other documents of its kind"

    def _in_id(self, row: Row) -> Iterable[str]:
        row_id = row.get("id")
        place = (documents.document_named(row) or "", str(row_id))
        if not keyed_ids.is_keyed(row_id):
            yield f"its id {str(row_id)[:40]!r} is not a keyed hash"
        elif row_id in self._ids:
            yield SAME_ID
        elif place <= self._last:
            yield "the lines are not sorted by id"
        self._last = place
        self._ids.add(str(row_id))

    def _in_fields(self, row: Row) -> Iterable[str]:
        own = {name: value for name, value in row.items() if name not in self._extra}
        if {name: row.get(name) for name in self._extra} != self._extra:
            yield f"{', '.join(self._extra)} differs from the version's value"
        yield from self._suite.overtold(cast(Row, own))
        about = jsonl.dumps(
            {name: value for name, value in own.items() if name not in self._suite.fields.texts}
        ).decode()
        if self._name and (match := self._name.search(about)):
            yield f"its metadata contains {match[0]!r}, the name of a split"

    def _in_length(self, line: bytes, row: Row) -> Iterable[str]:
        if self._lengths.setdefault(form(row), len(line)) != len(line):
            yield "its length differs from that of other lines with these fields"


def _is_drawn(text: str) -> bool:
    """True for a random seed or key that is too long to occur in a row by chance."""
    return keyed_ids.is_key(text) or (text.isdecimal() and int(text) >= LARGEST_THOUGHT_OF)
