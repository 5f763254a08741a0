"""The public rows of a version on their way into its file: in the order of their ids, of one length, and looked at.

Every row carries a mark by which leaked rows and answers are recognised. It is derived from what the rows are made of,
so freezing the same settings again gives the same rows; a predictions file that holds another version's mark was made
of other rows.
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

#: Rows between two calls of what says that the work goes on.
EVERY = 500
#: Characters of a text of its own that the sample of a version holds at most; no preset has rows so long.
LONGEST_SAMPLE = 400_000
FIELD = "canary"
PREFIX = "GEB-CANARY-"
PATTERN = re.compile(rb"GEB-CANARY-[0-9a-f]{16}")


def is_shuffled(version: Version) -> bool:
    """Whether the rows stand in the order of keyed ids, which is none: those whose gold is not in the file."""
    with_gold = version.settings.get("public_gold", False)
    old = version.sample and not keyed_ids.is_keyed(version.sample.get("id"))  # frozen before
    return not (version.is_import or with_gold or old)


def in_file_order(version: Version, verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """The verdicts in the order of the ids of their rows: a place among those of their unit would tell unit and split.

    Args:
        version: Whose rows were graded.
        verdicts: In the order of the gold, each with the `id` of its row (`id#n` for a query of a timeline).

    Returns:
        The same verdicts; by the ids of their rows where those are shuffled.
    """
    if not is_shuffled(version):
        return verdicts
    lines = [verdict["id"].partition("#")[0] for verdict in verdicts]  # a timeline's queries stay as they are
    return Reordered(verdicts, sorted(range(len(lines)), key=lines.__getitem__))


class PublicRows:
    """Takes the rows as they are made, then writes what others download.

    Rows without gold that we generate stand in the order of their documents and ids, which are keyed hashes, so all
    have to be there before the first is written: they wait in temporary files. Rows with gold have no order to hide,
    and the units stay together; those of an imported file keep ids, labels and order.
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
        """Whether a row named one so far."""
        return bool(self.documents)

    def add(self, row: Row, split: str) -> None:
        """Take a row.

        Args:
            row: With its gold.
            split: Of the row. Documents of a length have one size in bytes; other splits are no length.
        """
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
        """Write the lines, and choose one as the version's `sample`.

        Args:
            out: The file of rows, which is written to line by line.
            documents: The file of documents; None where no row names one.
            beat: Called once in `EVERY` rows, and at each document.

        Raises:
            LeakError: The lines tell too much.
        """
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
        """Write a document that is not written yet; its texts."""
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
        """A public row for a page: what is long in it is cut, and says so."""
        row: Row = jsonl.parse(line)
        if texts is None:
            return cut(self._public(row), self._suite.fields.texts, most=LONGEST_SAMPLE)
        return self._public(cut(cast(Row, {**row, **texts}), self._shared))

    def _public(self, row: Row) -> Row:
        return self._suite.public_row(row, labels=self._imported)


def _shared(version: Version) -> Collection[str]:
    """The fields whose texts stand apart. A version that was frozen without documents keeps its one flat file."""
    if version.is_final and not version.documents_sha256:
        return ()
    return version.bound.shared_texts


def _lengths(version: Version) -> frozenset[str]:
    """The splits that are lengths of a text, which anybody sees of it; empty for a suite without them."""
    return frozenset(rung.split for rung in version.bound.rungs)


def canary_text(version: Version) -> str:
    """The version's canary, `GEB-CANARY-` and 16 hex digits."""
    settings = dict(version.settings)
    if isinstance(rubric := settings.get("rubric"), str):  # a later revision grades the same rows
        settings["rubric"] = rubric.partition("@")[0]
    contents = [version.benchmark.suite, settings, version.source_sha256]
    return PREFIX + hashlib.sha256(jsonl.canonical(contents)).hexdigest()[:16]
