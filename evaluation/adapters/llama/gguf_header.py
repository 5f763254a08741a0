"""The header of a GGUF file: fields and the list of tensors, read within bounds.

Format: ggml's docs/gguf.md, versions 2 and 3, little-endian. Arrays are skipped: a few bytes can declare more items
than memory holds.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
#: Size of a value of each type; 8 is a text, 9 an array.
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_FORMATS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_TEXT, _ARRAY = 8, 9
#: Limits: the largest files have a few thousand fields and tensors, and a million items of vocabulary.
MOST_FIELDS, MOST_TENSORS, MOST_ITEMS = 20_000, 200_000, 4_000_000
MOST_TEXT = 32 << 20  # bytes of all texts outside of lists; a chat template has 20 kB
MOST_HEADER = 256 << 20  # bytes of a file that are mapped
_MOST_DIMENSIONS, _DEEPEST = 8, 3
_CUT = "is cut off or damaged: its header declares more than the file holds"


class HeaderError(ValueError):
    """Raised if the header cannot be read. The message, such as "is cut off", does not name the file."""


class Tensor(NamedTuple):
    name: str
    elements: int
    kind: int  # ggml's number of its type
    offset: int  # from the start of the data


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a file. `fields` leaves out arrays. `data_start` is the offset of the tensor data in bytes."""

    fields: dict[str, object]
    tensors: list[Tensor]
    data_start: int


def read_header(path: Path) -> Header:
    """Read the header of a file. Raises HeaderError if the header is damaged, too large, or of an unknown version."""
    with path.open("rb") as file:
        size = min(path.stat().st_size, MOST_HEADER)
        with mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) as data:
            return _Reading(data).header()


class _Reading:
    def __init__(self, data: mmap.mmap) -> None:
        self._data, self._size = data, len(data)
        self._at, self._items, self._texts = len(MAGIC), 0, 0

    def header(self) -> Header:
        version = self._number("<I")
        if version not in _VERSIONS:
            swapped = int.from_bytes(version.to_bytes(4, "little"), "big")
            why = "is big-endian" if swapped in _VERSIONS else f"is of GGUF version {version}"
            raise HeaderError(f"{why}; only little-endian versions 2 and 3 can be read")
        tensor_count = self._count("tensors", MOST_TENSORS)
        field_count = self._count("fields", MOST_FIELDS)
        fields: dict[str, object] = {}
        for _ in range(field_count):
            name, kind = self._text(), self._number("<I")
            if kind == _ARRAY:
                self._skip_array(0)
            else:
                fields[name] = self._value(kind)
        tensors = [self._tensor() for _ in range(tensor_count)]
        alignment = fields.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20:
            raise HeaderError("declares an invalid alignment of its data")
        return Header(fields, tensors, -(-self._at // alignment) * alignment)

    def _take(self, size: int) -> int:
        start, self._at = self._at, self._at + size
        if self._at > self._size:
            raise HeaderError(_CUT)
        return start

    def _number(self, form: str) -> Any:
        return struct.unpack_from(form, self._data, self._take(struct.calcsize(form)))[0]

    def _count(self, what: str, most: int) -> int:
        count: int = self._number("<Q")
        if count > most:
            raise HeaderError(f"declares {count:,} {what}; no model has more than {most:,}")
        return count

    def _text(self) -> str:
        size: int = self._number("<Q")
        self._texts += size
        if self._texts > MOST_TEXT:
            raise HeaderError(
                f"declares texts of {self._texts:,} bytes; no model has more than {MOST_TEXT:,}"
            )
        start = self._take(size)
        return self._data[start : start + size].decode("utf-8", "replace")

    def _value(self, kind: int) -> Any:
        if kind == _TEXT:
            return self._text()
        if kind not in _FORMATS:
            raise HeaderError(f"contains a value of the unknown type {kind}")
        return self._number(_FORMATS[kind])

    def _skip_array(self, depth: int) -> None:
        kind, count = self._number("<I"), self._number("<Q")
        self._items += count
        if self._items > MOST_ITEMS:
            raise HeaderError(
                f"declares lists of {self._items:,} items; no model has more than {MOST_ITEMS:,}"
            )
        if kind in _SIZES:
            self._take(count * _SIZES[kind])
            return
        if kind == _TEXT:
            self._skip_texts(count)
        elif kind == _ARRAY and depth < _DEEPEST:
            for _ in range(count):
                self._skip_array(depth + 1)
        else:
            raise HeaderError(f"contains a list of the unknown type {kind}")

    def _skip_texts(self, count: int) -> None:
        read, data, at, last = struct.Struct("<Q").unpack_from, self._data, self._at, self._size - 8
        for _ in range(count):  # a vocabulary has a million
            if at > last:
                raise HeaderError(_CUT)
            at += 8 + read(data, at)[0]
        self._at = at
        self._take(0)

    def _tensor(self) -> Tensor:
        name, dimensions = self._text(), self._number("<I")
        if dimensions > _MOST_DIMENSIONS:
            raise HeaderError(f"declares a tensor of {dimensions:,} dimensions")
        sizes = [self._number("<Q") for _ in range(dimensions)]
        return Tensor(name, prod(sizes), self._number("<I"), self._number("<Q"))
