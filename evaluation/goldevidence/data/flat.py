"""Rows as flat JSON lines: long texts that rows of an episode share are encoded once, and not copied for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path

import orjson

from evaluation.core import jsonl
from evaluation.core.records import Row

#: Stands for a text while the rest of its row is encoded: JSON has no such byte.
HOLE = b"\0"
_HOLE = orjson.Fragment(HOLE)


#: Rows in few bytes: their long texts, encoded, and lines whose parts are bytes or the number of a text.
Encoded = tuple[list[bytes], list[list[bytes | int]]]


def write(path: str | Path, rows: Iterable[Row]) -> int:
    """`jsonl.write`, same bytes, faster where rows that share a text follow each other.

    Args:
        path: The file to write.
        rows: The rows, one a line.

    Returns:
        The number of rows.
    """
    return jsonl.write_parts(path, map(_parts, rows))


def encode(rows: Iterable[Row]) -> Encoded:
    """Rows that share their texts, such as those of one episode, each text once.

    Args:
        rows: The rows.
    """
    place_of: dict[bytes, int] = {}
    lines: list[list[bytes | int]] = []
    for row in rows:
        line: list[bytes | int] = list(_parts(row))
        for place in range(1, len(line), 2):
            line[place] = place_of.setdefault(line[place], len(place_of))  # type: ignore[arg-type]
        lines.append(line)
    return list(place_of), lines


def write_encoded(path: str | Path, groups: Iterable[Encoded]) -> int:
    """`write` for rows that are encoded already.

    Args:
        path: The file to write.
        groups: What `encode` made, group by group.

    Returns:
        The number of rows.
    """
    return jsonl.write_parts(path, chain.from_iterable(map(_lines, groups)))


def _lines(encoded: Encoded) -> Iterator[Sequence[bytes]]:
    texts, lines = encoded
    return ([texts[part] if isinstance(part, int) else part for part in line] for line in lines)


def _parts(row: Row) -> list[bytes]:
    """A line in parts, its long texts among them as they were encoded for the first row that had them."""
    fields: dict[str, object] = dict(row)
    long = [name for name, text in row.items() if name in ("document", "book") and isinstance(text, str)]
    texts = [_literal(fields[name]) for name in long]
    fields |= dict.fromkeys(long, _HOLE)
    rest = orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE).split(HOLE)
    parts = [rest[0]]
    for text, following in zip(texts, rest[1:], strict=True):
        parts += (text, following)
    return parts


@lru_cache(maxsize=4)
def _literal(text: object) -> bytes:
    return orjson.dumps(text)
