"""Writes the public rows of a version: ordered by id, padded to one length, checked for leaks.

Every row contains a canary, a text that reveals leaked rows, and predictions for other versions. The canary is
derived from the settings, so that freezing them again gives the same rows.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Callable, Collection, Sequence
from typing import cast

from evaluation.attacks.leaks import Form, LeakCheck, form, padded
from evaluation.core import jsonl
from evaluation.core.files.documents.form import Texts, cut, texts_of
from evaluation.core.files.documents.writer import DocumentSpool
from evaluation.core.files.spool import LineSpool, Reordered
from evaluation.core.records import Row, Verdict
from evaluation.core.sealing import keyed_ids
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.storage import Writer

#: Rows between two calls of the heartbeat.
EVERY = 500
#: Maximum characters of the sample's own text; no preset has rows so long.
LONGEST_SAMPLE = 400_000
FIELD = "canary"
PREFIX = "GEB-CANARY-"
PATTERN = re.compile(rb"GEB-CANARY-[0-9a-f]{16}")


def is_shuffled(version: Version) -> bool:
    """True if the rows are ordered by keyed ids, which hide the order in which the rows were generated."""
    with_gold = version.settings.get("public_gold", False)
    old = version.sample and not keyed_ids.is_keyed(version.sample.get("id"))  # frozen before
    return not (version.is_import or with_gold or old)


def in_file_order(version: Version, verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """Reorder verdicts from the order of the gold to the order of the rows, which reveals neither unit nor split."""
    if not is_shuffled(version):
        return verdicts
    lines = [
        verdict["id"].partition("#")[0] for verdict in verdicts
    ]  # queries of a timeline keep their order
    return Reordered(verdicts, sorted(range(len(lines)), key=lines.__getitem__))


class PublicRows:
    """Collects rows, then writes the public files.

    Generated rows without gold are ordered by document and id, which are keyed hashes, so they are collected in
    temporary files. Rows with gold keep their order; imported rows also keep their ids and labels.
    """

    def __init__(self, version: Version) -> None:
        self._suite, self._imported = version.suite, version.is_import
        self._with_gold = bool(version.settings.get("public_gold", False))
        self._mark = {FIELD: canary_text(version)}
        self._shared = _shared(version)
        self._key = str(version.settings.get("key") or keyed_ids.OPEN_KEY)
        self._lengths = _lengths(version)
        self.documents = DocumentSpool(self._shared, self._key, self._mark)
        self._lines, self._ids, self._document_of = LineSpool(), list[str](), list[str]()
        self._forms: dict[Form, int] = {}
        self._form_of = array("H")
        self._longest: list[int] = []
        self._check = LeakCheck(version.bound, self._mark) if is_shuffled(version) else None
        self.sample: Row | None = None

    @property
    def has_documents(self) -> bool:
        return bool(self.documents)

    def add(self, row: Row, split: str) -> None:
        """Add a row with its gold. Documents of the same text length are padded to the same size in bytes."""
        whole = dict(row if self._with_gold else self._public(row)) | self._mark
        shown, document = self.documents.part(whole, split if split in self._lengths else "")
        line = jsonl.dumps(shown)
        number = self._forms.setdefault(form(shown), len(self._forms))
        if number == len(self._longest):
            self._longest.append(0)
        self._longest[number] = max(self._longest[number], len(line))
        self._form_of.append(number)
        self._ids.append(str(row["id"]))
        self._document_of.append(document)
        self._lines.add(line)

    def write(self, out: Writer, documents: Writer | None, beat: Callable[[], None]) -> None:
        """Write the rows and keep one as `sample`. Calls `beat` often. Raises LeakError if rows reveal too much."""
        numbers = range(len(self._lines))
        order = sorted(numbers, key=self._place) if self._check else numbers
        written, texts = set[str](), dict[str, Texts]()
        for count, number in enumerate(order):
            name = self._document_of[number]
            if name and name not in texts:
                texts = {name: self._write_document(name, None if name in written else documents)}
                written.add(name)
                beat()
            line = self._line(number, texts.get(name))
            if self.sample is None and self._form_of[number] == self._form_of[0]:
                self.sample = self._sample(line, texts.get(name))
            out.write_line(line)
            if count % EVERY == 0:
                beat()

    def _place(self, number: int) -> tuple[str, str]:
        return self._document_of[number], self._ids[number]

    def _write_document(self, name: str, out: Writer | None) -> Texts:
        line, kind = self.documents.line(name)
        if out is not None:
            out.write_line(line)
            if self._check is not None:
                return self._check.document(line, kind)
        return texts_of(jsonl.parse(line), self._shared)

    def _line(self, number: int, texts: Texts | None) -> bytes:
        line = self._lines.line(number)
        if self._check is None:
            return line
        line = padded(line, self._longest[self._form_of[number]])
        self._check.line(line, texts)
        return line

    def _sample(self, line: bytes, texts: Texts | None) -> Row:
        row: Row = jsonl.parse(line)
        if texts is None:
            return cut(self._public(row), self._suite.fields.texts, most=LONGEST_SAMPLE)
        return self._public(cut(cast(Row, {**row, **texts}), self._shared))

    def _public(self, row: Row) -> Row:
        return self._suite.public_row(row, labels=self._imported)


def _shared(version: Version) -> Collection[str]:
    """Fields whose texts are in the documents file instead of the rows; none if the version was frozen without one."""
    if version.is_final and not version.documents_sha256:
        return ()
    return version.bound.shared_texts


def _lengths(version: Version) -> frozenset[str]:
    """Splits that are text lengths. They need not be hidden, because readers can measure the texts."""
    return frozenset(rung.split for rung in version.bound.rungs)


def canary_text(version: Version) -> str:
    """The mark of the version's rows by which leaks are found: `GEB-CANARY-` and 16 hex digits."""
    settings = dict(version.settings)
    if isinstance(rubric := settings.get("rubric"), str):  # revisions of a rubric grade the same rows
        settings["rubric"] = rubric.partition("@")[0]
    contents = [version.benchmark.suite, settings, version.source_sha256]
    return PREFIX + hashlib.sha256(jsonl.canonical(contents)).hexdigest()[:16]
