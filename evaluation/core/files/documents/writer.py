"""Collect the distinct texts of rows in a temporary file, to write a file of documents."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping

from evaluation.core.files.documents import form
from evaluation.core.files.documents.form import Fields, Texts
from evaluation.core.files.spool import LineSpool

#: Recent texts compared before hashing: the rows of a unit alternate between the texts of its lengths.
COMPARED = 4
Form = tuple[str, ...]


class DocumentSpool:
    """Takes the texts out of rows (`part`) and then returns each document as a line (`line`).

    Documents with the same fields and group are padded with spaces to the same number of bytes: the size reveals only
    the group. The group must be a property that the text itself reveals, such as its length in tokens.
    """

    def __init__(self, shared: Collection[str], key: str, extra: Mapping[str, object]) -> None:
        """`shared`: fields that contain the texts; `key`: key of document ids; `extra`: fields added to every line."""
        self._shared, self._key, self._extra = shared, key, extra
        self._spool = LineSpool()
        self._numbers: dict[str, int] = {}
        self._kinds: dict[tuple[Form, str], int] = {}
        self._kind_of, self._longest = array("L"), array("q")
        self._recent: list[tuple[Texts, str]] = []

    def part(self, row: Fields, group: str = "") -> tuple[Fields, str]:
        """Return (row without its texts, document id), or (unchanged row, "") for a row without texts."""
        texts = form.texts_of(row, self._shared)
        if not texts:
            return row, ""
        name = self._name(texts, group)
        return form.parted(row, texts, name), name

    def _name(self, texts: Texts, group: str) -> str:
        for known, name in self._recent:
            if known == texts:
                return name
        name = form.name_of(texts, self._key)
        if name not in self._numbers:
            self._add(name, texts, group)
        self._recent = [*self._recent[-COMPARED + 1 :], (texts, name)]
        return name

    def _add(self, name: str, texts: Texts, group: str) -> None:
        line = form.document_line(name, texts, self._extra)
        kind = self._kinds.setdefault((tuple(sorted(texts)), group), len(self._kinds))
        if kind == len(self._longest):
            self._longest.append(0)
        self._longest[kind] = max(self._longest[kind], len(line))
        self._kind_of.append(kind)
        self._numbers[name] = len(self._spool)
        self._spool.add(line)

    def __len__(self) -> int:
        return len(self._spool)

    def line(self, name: str) -> tuple[bytes, int]:
        """Return a document's padded line, and an index of its group (documents that are padded to the same length)."""
        number = self._numbers[name]
        kind = self._kind_of[number]
        return self._spool.line(number).ljust(self._longest[kind]), kind
