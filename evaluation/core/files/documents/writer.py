"""Texts on their way into a file of documents: each once, in a temporary file until all of them are there."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping

from evaluation.core.files.documents import form
from evaluation.core.files.documents.form import Fields, Texts
from evaluation.core.files.spool import LineSpool

#: Texts that are compared before they are hashed: the rows of a unit go back and forth between those of its lengths.
COMPARED = 4
Form = tuple[str, ...]


class DocumentSpool:
    """Takes rows with their texts and gives them back without; then gives the lines of the documents.

    Documents of one form and group have one length: shorter ones are filled with spaces. What a group is, is for the
    caller to say: it must be plain from the text itself, as its length in tokens is.
    """

    def __init__(self, shared: Collection[str], key: str, extra: Mapping[str, object]) -> None:
        """Nothing is there yet.

        Args:
            shared: The names of the fields that rows share.
            key: Of the documents' ids.
            extra: Further fields of every line.
        """
        self._shared, self._key, self._extra = shared, key, extra
        self._spool = LineSpool()
        self._numbers: dict[str, int] = {}
        self._kinds: dict[tuple[Form, str], int] = {}
        self._kind_of, self._longest = array("L"), array("q")
        self._recent: list[tuple[Texts, str]] = []

    def part(self, row: Fields, group: str = "") -> tuple[Fields, str]:
        """Take the texts of a row.

        Args:
            row: A row with its texts.
            group: Which documents its own has the length of.

        Returns:
            The row without them, and the name of its document; the row itself and "" where it has none.
        """
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
        """The line of a document as it is written.

        Args:
            name: Of the document.

        Returns:
            The line, as long as all of its kind; and the number of that kind.
        """
        number = self._numbers[name]
        kind = self._kind_of[number]
        return self._spool.line(number).ljust(self._longest[kind]), kind
