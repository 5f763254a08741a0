"""Read rows and documents in parallel, with a few texts in memory. Files in the same order are read once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.files.documents import form
from evaluation.core.files.documents.form import Fields, Texts
from evaluation.core.files.spool import LineSpool

#: Texts kept in memory: one unit has texts of several lengths, and its questions alternate between them.
RECENT = 4
#: Start of a line that we wrote: its id can be read without parsing the megabytes after it.
BEGINNING = b'{"id":"'
#: Fields of a document that are not texts.
NO_TEXTS = frozenset({"id", "canary"})
Lines = Callable[[], Iterable[tuple[int, bytes]]]  # opens the file at its beginning: (number from 1, line)


class Documents:
    """The texts of a file of documents, by id.

    The file is read as far as the requested text. If rows need documents in another order, the file is read again and
    copied into a temporary file.
    """

    def __init__(self, lines: Lines, *, source: str, keep: int | None = RECENT) -> None:
        """`lines` opens the file; `source` names it in errors; the last `keep` texts (all if None) stay in memory."""
        self._lines, self._source, self._keep = lines, source, keep
        self._walk: Iterator[tuple[int, bytes]] | None = None
        self._passed: set[str] = set()
        self._recent: OrderedDict[str, Texts] = OrderedDict()
        self._spread: tuple[LineSpool, dict[str, int]] | None = None

    def texts(self, document_id: str) -> Texts:
        """The texts of a document. Raises RowError if the document is missing, duplicate or damaged."""
        if document_id in self._recent:
            self._recent.move_to_end(document_id)
            return self._recent[document_id]
        passed = document_id in self._passed
        found = self._again(document_id) if passed else self._ahead(document_id)
        if found is None:
            raise RowError(f"there is no document {document_id!r}, but a row names it", path=self._source)
        self._recent[document_id] = found
        if self._keep is not None and len(self._recent) > self._keep:
            self._recent.popitem(last=False)
        return found

    def finish(self) -> None:
        """Read the rest of the file, to check it. Raises RowError for a duplicate id or an unreadable line."""
        self._ahead("")

    def _ahead(self, document_id: str) -> Texts | None:
        if self._walk is None:
            self._walk = iter(self._lines())
        for number, line in self._walk:
            name = self._name(line, number)
            if name in self._passed:
                reason = f"the document {name!r} occurs twice"
                raise RowError(reason, path=self._source, line=number)
            self._passed.add(name)
            if name == document_id:
                return self._parse(line, number)
        return None

    def _again(self, document_id: str) -> Texts:
        if self._spread is None:
            spool, numbers = LineSpool(), dict[str, int]()
            for number, line in self._lines():
                numbers[self._name(line, number)] = len(spool)
                spool.add(line.strip())
            self._spread = spool, numbers
        spool, numbers = self._spread
        if document_id not in numbers:
            reason = f"the document {document_id!r} disappeared: the file was changed while it was read"
            raise RowError(reason, path=self._source)
        return self._parse(spool.line(numbers[document_id]), numbers[document_id] + 1)

    def _name(self, line: bytes, number: int) -> str:
        """Read a document's id from the start of a line. A line in an unusual format is parsed completely."""
        end = line.find(b'"', len(BEGINNING), 200)
        if line.startswith(BEGINNING) and end > 0 and b"\\" not in line[:end]:
            return line[len(BEGINNING) : end].decode(errors="replace")
        return self._id(jsonl.parse_row(line, path=self._source, number=number), number)

    def _id(self, document: Mapping[str, object], number: int) -> str:
        if not isinstance(name := document.get("id"), str):
            raise RowError(
                "the document has no usable 'id': it must be a text", path=self._source, line=number
            )
        return name

    def _parse(self, line: bytes, number: int) -> Texts:
        document = jsonl.parse_row(line, path=self._source, number=number)
        self._id(document, number)
        texts = {name: text for name, text in document.items() if name not in NO_TEXTS}
        if not texts or not all(isinstance(text, str) for text in texts.values()):
            reason = f"the document {document['id']!r} has no text: it needs a text field besides 'id'"
            raise RowError(reason, path=self._source, line=number)
        return texts


def join(rows: Iterable[Fields], documents: Documents) -> Iterator[Fields]:
    """Yield the rows with their texts, then check the remaining documents. Raises RowError for an unusable document."""
    for row in rows:
        name = form.document_named(row)
        yield row if name is None else form.joined(row, documents.texts(name))
    documents.finish()
