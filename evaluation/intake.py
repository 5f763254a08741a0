"""The one check of a predictions file, behind the browser, the API and the command line.

Reads line by line from disk, so that a file of any size and any damage is answered with line numbers and never with
a full memory. Nothing is graded here and nothing is stored.
"""

from __future__ import annotations

import difflib
import gzip
import json
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import orjson

from evaluation import jsonl
from evaluation.suites import Expected, Problem, Suite

BOM = b"\xef\xbb\xbf"
MB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may cost. `max_ratio` is expanded to packed bytes, judged once 16 MB have come out."""

    max_bytes: int = 256 * MB
    max_expanded_bytes: int = 1024 * MB
    max_line_bytes: int = MB
    max_rows: int = 2_000_000
    max_ratio: int = 300
    max_problems: int = 20
    allow_missing: bool = False


@dataclass(slots=True)
class Intake:
    """What a file holds. It is usable if and only if `problems` is empty.

    `problems` are the first ones, `counts` tells how many there are of each code; `rows` is the number of usable
    predictions, `conditions` how many each covered condition has.
    """

    problems: list[Problem] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    conditions: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the file is usable."""
        return not self.counts

    @property
    def total(self) -> int:
        """The number of problems, shown or not."""
        return sum(self.counts.values())


def check(path: str | Path, suite: Suite, expected: Expected, *, limits: Limits | None = None) -> Intake:
    """Check a predictions file (`.gz` too) against what the suite expects."""
    return _Reading(Path(path), suite, expected, limits or Limits()).finish()


class _Refused(Exception):
    """The rest of the file is not worth reading."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


class _Reading:
    """One pass over a file."""

    def __init__(self, path: Path, suite: Suite, expected: Expected, limits: Limits) -> None:
        self._path, self._suite, self._expected, self._limits = path, suite, expected, limits
        self._found = Intake()
        self._lines_of: dict[str, int] = {}  # id -> first line
        self._covered: Counter[str] = Counter()
        self._sorted_ids: Sequence[str] = ()

    def finish(self) -> Intake:
        """Read to the end, or to the point where reading on is pointless."""
        try:
            self._read()
            self._look_for_missing()
        except _Refused as refused:
            self._add(refused.problem)
        self._found.conditions = {
            name: self._covered[name]
            for name in dict.fromkeys(self._expected.conditions.values())
            if self._covered[name]
        }
        return self._found

    def _add(self, problem: Problem, count: int = 1) -> None:
        counts = self._found.counts
        counts[problem.code] = counts.get(problem.code, 0) + count
        if len(self._found.problems) < self._limits.max_problems:
            self._found.problems.append(problem)

    def _read(self) -> None:
        size, most = self._path.stat().st_size, self._limits.max_bytes
        if size > most:
            raise _Refused(
                Problem(
                    "file_too_large",
                    f"The file has {_mb(size)}; at most {_mb(most)} are taken. Pack it with gzip.",
                )
            )
        number = 0
        for number, line in _lines(self._path, size, self._limits):
            if number > self._limits.max_rows:
                raise _Refused(
                    Problem(
                        "too_many_rows",
                        f"More than {self._limits.max_rows:,} lines. Send one file per version.",
                        number,
                    )
                )
            problem = self._problem_of(number, line)
            if problem is not None:
                self._add(replace(problem, line=number))
        if not number:
            raise _Refused(
                Problem("empty_file", "The file holds no predictions: one JSON object per line is expected.")
            )

    def _problem_of(self, number: int, line: bytes | Problem) -> Problem | None:
        if isinstance(line, Problem):
            return line
        data = parse_line(line)
        if isinstance(data, Problem):
            return data
        if not isinstance(data, dict):
            return Problem("not_an_object", f"A line must hold a JSON object, not {_kind(data)}.", column=1)
        row_id = self._suite.row_id(data)
        if row_id is None:
            return Problem(
                "no_id", "The line names no row: it needs an 'id', a text as in the version's rows."
            )
        condition = self._expected.conditions.get(row_id)
        if condition is None:
            return Problem(
                "unknown_id", f"The version has no row {_short(row_id)!r}.{self._hint(row_id)}", id=row_id
            )
        first = self._lines_of.setdefault(row_id, number)
        if first != number:
            message = (
                f"Row {row_id!r} is answered in line {first} and again in line {number}. Keep one of them."
            )
            return Problem("duplicate_id", message, id=row_id)
        self._covered[condition] += 1
        problem = self._suite.validate(data, self._expected)
        if problem is None:
            self._found.rows += 1
        return problem and replace(problem, id=row_id)

    def _hint(self, row_id: str) -> str:
        """The nearest known id: among those beside it in order, since ids share their beginnings."""
        if len(self._found.problems) >= self._limits.max_problems:
            return ""
        self._sorted_ids = self._sorted_ids or sorted(self._expected.conditions)
        at = bisect_left(self._sorted_ids, row_id)
        near = difflib.get_close_matches(row_id[:200], self._sorted_ids[max(0, at - 20) : at + 20], n=1)
        return f" Did you mean {near[0]!r}?" if near else ""

    def _look_for_missing(self) -> None:
        """A covered condition has to be answered in full."""
        if self._limits.allow_missing:
            return
        missing: dict[str, list[str]] = {}
        for row_id, condition in self._expected.conditions.items():
            if self._covered[condition] and row_id not in self._lines_of:
                missing.setdefault(condition, []).append(row_id)
        totals = Counter(self._expected.conditions.values())
        for condition, ids in missing.items():
            few = ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
            message = (
                f"{len(ids):,} of {totals[condition]:,} rows of {condition!r} have no prediction: {few}. "
                "Answer every row of a condition, or leave the condition out."
            )
            self._add(Problem("missing_id", message, id=ids[0]), len(ids))


def parse_line(line: bytes) -> Any:
    """A line as strict JSON, or the Problem with it."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return _json_problem(line, error)


def _json_problem(line: bytes, error: orjson.JSONDecodeError) -> Problem:
    """Tell bad encoding, NaN, nesting and plain syntax errors apart."""
    try:
        json.loads(line.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError as fault:
        message = f"Byte 0x{line[fault.start]:02x} is not UTF-8. Save the file as UTF-8."
        return Problem("not_utf8", message, column=fault.start + 1)
    except _ConstantError as fault:
        message = f"{fault} is not JSON. Write null or a number."
        return Problem("not_a_number", message, column=line.find(str(fault).encode()) + 1)
    except RecursionError:
        return Problem("nested_too_deeply", "The line is nested too deeply to be an answer.")
    except json.JSONDecodeError as fault:
        return Problem("not_json", f"Not JSON: {fault.msg}.", column=fault.colno)
    except ValueError:
        return Problem("number_too_long", "A number has thousands of digits.")
    return Problem("not_json", f"Not JSON: {error.msg}.", column=error.colno)


class _ConstantError(Exception):
    """NaN, Infinity or -Infinity, which JSON does not have."""


def _refuse_constant(name: str) -> Any:
    raise _ConstantError(name)


def _lines(path: Path, size: int, limits: Limits) -> Iterator[tuple[int, bytes | Problem]]:
    """(number, line or the problem with it), blank lines left out. Raises _Refused."""
    with jsonl.open_binary(path) as handle:
        packed = isinstance(handle, gzip.GzipFile) or not hasattr(handle, "raw") or _is_gzip(path)
        number = expanded = 0
        while line := _next_line(handle, number + 1, limits.max_line_bytes + 1):
            number, expanded = number + 1, expanded + len(line)
            _bound(expanded, size if packed else 0, number, limits)
            if number == 1 and line.startswith(BOM):
                yield (
                    1,
                    Problem(
                        "bom",
                        "The file begins with a byte order mark. Save it as UTF-8 without BOM.",
                        column=1,
                    ),
                )
                line = line[len(BOM) :]
            if len(line) > limits.max_line_bytes:
                expanded += _skip_line(handle, number, size if packed else 0, expanded, limits)
                message = (
                    f"The line has more than {_mb(limits.max_line_bytes)}. An answer is a value and some ids."
                )
                yield number, Problem("line_too_long", message)
            elif text := line.strip():
                yield number, text


def _skip_line(handle: IO[bytes], number: int, size: int, expanded: int, limits: Limits) -> int:
    """Read on to the end of an overlong line. Returns the bytes skipped."""
    skipped = 0
    while part := _next_line(handle, number, limits.max_line_bytes):
        skipped += len(part)
        _bound(expanded + skipped, size, number, limits)
        if part.endswith(b"\n"):
            break
    return skipped


def _next_line(handle: IO[bytes], number: int, most: int) -> bytes:
    try:
        return handle.readline(most)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _Refused(
            Problem("damaged_gzip", f"The gzip data is damaged: {error}. Pack the file again.", number)
        ) from error


def _bound(expanded: int, packed: int, number: int, limits: Limits) -> None:
    if expanded > limits.max_expanded_bytes:
        message = (
            f"The file unpacks to more than {_mb(limits.max_expanded_bytes)}. Leave out what is no answer."
        )
        raise _Refused(Problem("expands_too_far", message, number))
    if packed and expanded > 16 * MB and expanded > limits.max_ratio * packed:
        message = (
            f"The file unpacks to more than {limits.max_ratio} times its size. No predictions pack that well."
        )
        raise _Refused(Problem("expands_too_far", message, number))


def _is_gzip(path: Path) -> bool:
    with open(path, "rb") as handle:
        return handle.read(2) == jsonl.GZIP_MAGIC


def _mb(size: int) -> str:
    return f"{size / MB:,.0f} MB" if size >= 10 * MB else f"{size:,} bytes"


def _kind(value: Any) -> str:
    names: Mapping[type, str] = {
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return "null" if value is None else names.get(type(value), type(value).__name__)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
