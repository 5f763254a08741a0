"""Packs the sums of each metric over each unit (an episode or timeline) for the database. Paired tests use the sums.

Format before zlib compression, little-endian:

    4 bytes     b"sums"
    1 byte      version of this format, 2
    4 bytes     length of the header
    the header  JSON: {"units": n, "kinds": [kind of each array], "metrics": {name: [[part, value, weight], …]},
                "strata": [n numbers] or null}
    the arrays  one after another, n numbers each

`strata` has the number of each unit's stratum; null, or a missing key in format 1, means one stratum.
`value` and `weight` are indexes of arrays, from 0. Equal arrays are stored once. A kind is the first dtype in `KINDS`
that represents the array exactly.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from evaluation.core import jsonl
from evaluation.core.statistics import FloatArray, UnitSums

MAGIC, FORM = b"sums", 2
READABLE = (1, FORM)
_START = struct.Struct("<4sBI")
#: numpy dtypes, narrowest first: most sums are counts of a few rows.
KINDS = ("|u1", "<u2", "<f4", "<f8")


class UnreadableSumsError(ValueError):
    """Raised if packed sums have a format that this release cannot read."""


class Header(TypedDict):
    units: int
    kinds: list[str]  # of each array
    #: Per part: label, index of the values, index of the weights.
    metrics: dict[str, list[tuple[str, int, int]]]
    strata: NotRequired[list[int] | None]


def packed(sums: Mapping[str, UnitSums]) -> bytes:
    """Pack sums by unit, all over the same units in the version's order. Never empty: empty bytes mean no sums."""
    numbers: dict[bytes, int] = {}
    metrics = {name: list(_parts(of_metric, numbers)) for name, of_metric in sums.items()}
    units = next((len(of_metric.sums) for of_metric in sums.values()), 0)
    arrays = [_narrowest(np.frombuffer(column)) for column in numbers]
    codes = next((of_metric.strata for of_metric in sums.values() if of_metric.strata is not None), None)
    header = jsonl.dumps(
        {
            "units": units,
            "kinds": [each.dtype.str for each in arrays],
            "metrics": metrics,
            "strata": None if codes is None else codes.tolist(),
        }
    )
    start = _START.pack(MAGIC, FORM, len(header))
    return zlib.compress(b"".join([start, header, *(each.tobytes() for each in arrays)]), level=9)


def read(data: bytes) -> dict[str, UnitSums]:
    """Return the sums by unit of each metric. Empty for scores of earlier releases. Raises UnreadableSumsError."""
    if not data:
        return {}
    raw = zlib.decompress(data)
    header, start = _header(raw)
    arrays, codes = list(_arrays(raw, start, header["units"], header["kinds"])), _codes(header)
    return {name: _of_parts(parts, arrays, codes) for name, parts in header["metrics"].items()}


def denominators(data: bytes) -> dict[str, float]:
    """Return the denominator of each metric that does not combine several rates. Raises UnreadableSumsError."""
    if not data:
        return {}
    raw = zlib.decompress(data)
    header, start = _header(raw)
    weights = {name: parts[0][2] for name, parts in header["metrics"].items() if len(parts) == 1}
    arrays, needed = _arrays(raw, start, header["units"], header["kinds"]), set(weights.values())
    totals = {number: float(each.sum()) for number, each in enumerate(arrays) if number in needed}
    return {name: totals[number] for name, number in weights.items()}


def least_weights(data: bytes) -> dict[str, float]:
    """Map each metric to its smallest denominator above 0. Empty for old scores. Raises UnreadableSumsError."""
    return {name: sums.least_weight for name, sums in read(data).items()}


def strata(data: bytes) -> NDArray[np.int64] | None:
    """Return each unit's stratum, in the version's order, or None for one stratum. Raises UnreadableSumsError."""
    return _codes(_header(zlib.decompress(data))[0]) if data else None


def _header(raw: bytes) -> tuple[Header, int]:
    magic, form, length = _START.unpack_from(raw)
    if magic != MAGIC or form not in READABLE:
        raise UnreadableSumsError(
            f"the packed sums have format {form}, but this release reads only formats 1 and {FORM}"
        )
    header: Header = jsonl.parse(raw[_START.size : _START.size + length])
    return header, _START.size + length


def _codes(header: Header) -> NDArray[np.int64] | None:
    codes = header.get("strata")
    return None if codes is None else np.array(codes, dtype=np.int64)


def _parts(sums: UnitSums, numbers: dict[bytes, int]) -> Iterator[tuple[str, int, int]]:
    """Yield (label, index of values, index of weights) of each part, and add new arrays to `numbers`."""
    for place, label in enumerate(sums.parts):
        columns = (np.ascontiguousarray(sums.sums[:, place, side], dtype=np.float64) for side in (0, 1))
        value, weight = (numbers.setdefault(column.tobytes(), len(numbers)) for column in columns)
        yield label, value, weight


def _narrowest(column: FloatArray) -> NDArray[np.generic]:
    with np.errstate(invalid="ignore", over="ignore"):
        narrow = (column.astype(kind) for kind in KINDS[:-1])
        return next((each for each in narrow if np.array_equal(each, column)), column)


def _arrays(raw: bytes, start: int, units: int, kinds: Iterable[str]) -> Iterator[FloatArray]:
    for kind in kinds:
        narrow = np.frombuffer(raw, np.dtype(kind), units, start)
        start += narrow.nbytes
        yield narrow.astype(np.float64)


def _of_parts(
    parts: Sequence[tuple[str, int, int]], arrays: Sequence[FloatArray], codes: NDArray[np.int64] | None
) -> UnitSums:
    sides = [np.stack([arrays[value], arrays[weight]], axis=-1) for _, value, weight in parts]
    return UnitSums(tuple(label for label, *_ in parts), np.stack(sides, axis=1), codes)


def packed_cells(
    cells: Mapping[tuple[str, ...], Mapping[str, tuple[float, int]]],
) -> tuple[list[list[str]], bytes]:
    """Return the names and packed sums of cells, which are groups of rows; see `Report.cells`."""
    units = [list(cell.values()) for cell in cells.values()]
    return [list(name) for name in cells], zlib.compress(np.array(units, dtype=np.float32).tobytes())
