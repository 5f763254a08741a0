"""Read and write flat files, whose adjacent rows repeat the same long texts: each text is parsed or encoded once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from evaluation.core import jsonl
from evaluation.core.files.documents import beside
from evaluation.core.records import Row

BACKSLASH = ord("\\")
LONG = ("document", "book")  # the fields that repeat
#: Placeholder of a text while the rest of its row is encoded: JSON output never contains this byte.
HOLE = b"\0"
_HOLE = orjson.Fragment(HOLE)

#: Rows with shared texts: the encoded texts, and lines whose parts are bytes or the index of a text.
Encoded = tuple[list[bytes], list[list[bytes | int]]]


class RepeatedText:
    """A field whose text repeats from line to line."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.text = ""
        self.stand_in = os.urandom(16).hex()  # no file can hold it
        self.literal = f'"{self.stand_in}"'.encode()
        self._key = f'"{name}":'.encode()
        self._seen = b'""'

    def find(self, line: bytes, start: int) -> tuple[int, int] | None:
        """Store the field's text. Returns (start, end) with the quotes, or None if the whole line must be parsed."""
        at = line.find(self._key, start)
        if at < 0 and (at := line.find(self._key, 0, start)) < 0:
            return None
        at += len(self._key)
        at += line.startswith(b" ", at)
        # adjacent rows share their text: comparing bytes spares parsing it again
        if line.startswith(self._seen, at):
            return at, at + len(self._seen)
        end = _end_of_text(line, at)
        try:
            text = orjson.loads(line[at:end])
        except orjson.JSONDecodeError:
            return None
        if not isinstance(text, str):
            return None
        self.text, self._seen = text, line[at:end]
        return at, end


def _end_of_text(line: bytes, start: int) -> int:
    """Offset after the closing quote: the first quote preceded by an even run of backslashes."""
    at = line.find(b'"', start + 1)
    while at >= 0:
        run = at
        while line[run - 1] == BACKSLASH:
            run -= 1
        if (at - run) % 2 == 0:
            return at + 1
        at = line.find(b'"', at + 1)
    return len(line)


class RowParser:
    """Parses lines that repeat most bytes of the line before. The result is the same as parsing each line alone.

    The long texts of a line are replaced by short stand-ins, so that only the rest of the line is parsed. If the parsed
    row does not have the stand-ins in its top-level fields, the whole line is parsed instead.
    """

    def __init__(self) -> None:
        self._document, self._book = map(RepeatedText, LONG)

    def parse(self, line: bytes, *, path: str, number: int) -> dict[str, object]:
        """Parse one line. Raises RowError with `path` and `number` if it is not a JSON object."""
        return self._spliced(line) or jsonl.parse_row(line, path=path, number=number)

    def _spliced(self, line: bytes) -> dict[str, object] | None:
        """Parse a line without its texts, then insert the texts; None if the whole line must be parsed."""
        # Correct for any line: in valid JSON, `"document":` can only end a key, so a value follows, and another text in
        # its place keeps the line valid. If the key is another one (`"my\"document":`, a key of a nested object, a
        # duplicate key), the top-level field has no stand-in.
        first, second = self._document, self._book
        a = first.find(line, 0)
        b = second.find(line, a[1] if a else 0)
        if a is None or b is None:
            return self._spliced_one(line, first if b is None else second, a or b)
        if b < a:
            first, second, a, b = second, first, b, a
        pieces = (line[: a[0]], first.literal, line[a[1] : b[0]], second.literal, line[b[1] :])
        try:
            row = orjson.loads(b"".join(pieces))
        except orjson.JSONDecodeError:
            return None
        if not isinstance(row, dict):
            return None
        for field in (first, second):
            if row.get(field.name) != field.stand_in:
                return None
            row[field.name] = field.text
        return row

    def _spliced_one(
        self, line: bytes, field: RepeatedText, place: tuple[int, int] | None
    ) -> dict[str, object] | None:
        """Parse a line with one long text, at `place` (start, end); None if the whole line must be parsed."""
        if place is None:
            return None
        try:
            row = orjson.loads(b"".join((line[: place[0]], field.literal, line[place[1] :])))
        except orjson.JSONDecodeError:
            return None
        if not isinstance(row, dict) or row.get(field.name) != field.stand_in:
            return None
        row[field.name] = field.text
        return row


def read(path: str | Path, documents: str | Path = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, row with texts). If `documents` is empty, the file beside `path` is read. Raises RowError."""
    parser = RowParser()
    rows = ((number, parser.parse(line, path=str(path), number=number)) for number, line in jsonl.lines(path))
    yield from beside.joined(rows, path, documents)


def write(path: str | Path, rows: Iterable[Row]) -> int:
    """Write the same bytes as `jsonl.write`, faster if rows with equal texts are adjacent. Returns the row count."""
    return jsonl.write_parts(path, map(_parts, rows))


def encode(rows: Iterable[Row]) -> Encoded:
    """Encode rows that share texts, such as the rows of an episode. Each text is encoded once."""
    place_of: dict[bytes, int] = {}
    lines: list[list[bytes | int]] = []
    for row in rows:
        line: list[bytes | int] = list(_parts(row))
        for place in range(1, len(line), 2):
            line[place] = place_of.setdefault(line[place], len(place_of))  # type: ignore[arg-type]
        lines.append(line)
    return list(place_of), lines


def write_encoded(path: str | Path, groups: Iterable[Encoded]) -> int:
    """Write groups of rows, each encoded by `encode`. Returns the number of rows."""
    return jsonl.write_parts(path, chain.from_iterable(map(_lines, groups)))


def _lines(encoded: Encoded) -> Iterator[Sequence[bytes]]:
    texts, lines = encoded
    return ([texts[part] if isinstance(part, int) else part for part in line] for line in lines)


def _parts(row: Row) -> list[bytes]:
    """Encode a row as a line in parts; the parts at odd positions are its long texts."""
    fields: dict[str, object] = dict(row)
    long = [name for name, text in row.items() if name in LONG and isinstance(text, str)]
    texts = [_literal(fields[name]) for name in long]
    fields |= dict.fromkeys(long, _HOLE)
    rest = orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE).split(HOLE)
    parts = [rest[0]]
    for text, following in zip(texts, rest[1:], strict=True):
        parts += (text, following)
    return parts


# adjacent rows share their texts: a few entries are enough, and each may hold megabytes
@lru_cache(maxsize=4)
def _literal(text: object) -> bytes:
    return orjson.dumps(text)
