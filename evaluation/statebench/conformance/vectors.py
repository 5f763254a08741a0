"""Vectors of the package and of other files, validated before the first request.

`vectors.jsonl` has the specification's three tests and its anti-patterns, and further timelines for other questions.
A vector is {"name", "rule", "token_budget", "timeline", "expect"} and optionally "fact_share" or "constraint_share".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.statebench.conformance.checks import check_expectations
from evaluation.statebench.conformance.checks.reading import Vector
from evaluation.statebench.conformance.protocol import SHARES
from evaluation.statebench.data.timeline import check_timeline

#: JSON lines in the format of `--vectors`; published for other implementations.
BUILTIN = Path(__file__).parent / "vectors.jsonl"
_FIELDS = ("name", "token_budget", "timeline", "expect")
_LONGEST_NAME = 100  # characters


def builtin() -> Sequence[Vector]:
    return tuple(cast(Iterator[Vector], jsonl.read(BUILTIN)))


def read_vectors(path: str | Path) -> list[Vector]:
    """Read a file of vectors. Raises RowError with file and line."""
    vectors: list[Vector] = []
    lines: dict[str, int] = {}
    for number, row in jsonl.read_numbered(path):
        try:
            check_vector(row)
            if (first := lines.setdefault(row["name"], number)) != number:
                raise RowError(f"vector {row['name']!r} is already in line {first}")
        except RowError as error:
            raise RowError(error.reason, path=str(path), line=number) from error
        vectors.append(cast(Vector, row))
    if not vectors:
        raise RowError("the file contains no vectors", path=str(path))
    return vectors


def check_vector(row: Mapping[str, object]) -> None:
    """Raise RowError if a row is not a valid vector."""
    if missing := [name for name in _FIELDS if name not in row]:
        raise RowError(f"a vector lacks {', '.join(missing)}")
    name = row["name"]
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
        raise RowError(f"the name of a vector must be a text of 1 to {_LONGEST_NAME} characters")
    if not _is_whole(row["token_budget"]):
        raise RowError(f"vector {name!r}: token_budget must be an integer ≥ 1")
    for share in SHARES:
        if not _is_share(row.get(share)):
            raise RowError(f"vector {name!r}: {share} must be a number above 0 and up to 1")
    if not isinstance(row["expect"], Mapping):
        raise RowError(f"vector {name!r}: expect must be an object, not {jsonl.kind(row['expect'])}")
    check_expectations(row["expect"], name)
    try:
        check_timeline(row["timeline"], graded=False)
    except RowError as error:
        raise RowError(f"vector {name!r}: {error.reason}") from error


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_share(value: Any) -> bool:
    if value is None:
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1
