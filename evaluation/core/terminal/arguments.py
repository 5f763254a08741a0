"""Argument types for numbers, and options shared by commands."""

from __future__ import annotations

import math
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from typing import Any, Self, TypeVar

LAST_PORT = 65_535
Number = TypeVar("Number", int, float)


def add_graded_files(parser: ArgumentParser) -> None:
    from evaluation.core.files.documents import beside

    parser.add_argument("--data", required=True, metavar="D", help="rows with gold (JSON lines, may be gzip)")
    beside.add_option(parser)
    parser.add_argument("--pred", required=True, metavar="P", help="predictions (JSON lines, may be gzip)")


def add_table_options(parser: ArgumentParser) -> None:
    """Add options to write the DataFrames of a report. An option with an empty file name writes nothing."""
    kinds = "as .parquet, .csv, .json or .jsonl, with types (docs/frames.md; needs the extra frames)"
    parser.add_argument(
        "--verdicts-out", default="", metavar="FILE", help=f"the verdict on every row, {kinds}"
    )
    parser.add_argument(
        "--metrics-out", default="", metavar="FILE", help=f"every metric of every group, {kinds}"
    )


class LateHelp(str):
    """Help text that is computed only when printed, because it is slow to compute."""

    _make: Callable[[], str]

    def __new__(cls, make: Callable[[], str]) -> Self:
        late = super().__new__(cls, "…")
        late._make = make
        return late

    def __mod__(self, values: Any) -> str:
        return str(self._make() % values)


def positive(text: str) -> int:
    return _whole(text, 1, "a whole number from 1")


def not_negative(text: str) -> int:
    return _whole(text, 0, "a whole number from 0")


def port(text: str) -> int:
    """Argument type: the number of a port. With 0 the system chooses a port."""
    number = _whole(text, 0, f"a port, 0 to {LAST_PORT}")
    if number > LAST_PORT:
        raise ArgumentTypeError(f"{text!r} is not a port, 0 to {LAST_PORT}")
    return number


def rate(text: str) -> float:
    """Argument type: a number in [0, 1]."""
    number = finite(text)
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def finite(text: str) -> float:
    """Argument type: a number other than infinity and NaN."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ArgumentTypeError(f"{text!r} is not a number")
    return number


def above_zero(text: str) -> float:
    number = finite(text)
    if number <= 0:
        raise ArgumentTypeError(f"{text!r} is not above 0")
    return number


def several(kind: Callable[[str], Number]) -> Callable[[str], list[Number]]:
    """Argument type for a comma-separated list of numbers of type `kind`, not empty and without duplicates."""

    def read(text: str) -> list[Number]:
        numbers = [kind(item.strip()) for item in text.split(",") if item.strip()]
        if not numbers:
            raise ArgumentTypeError("the list is empty")
        if len(set(numbers)) < len(numbers):
            raise ArgumentTypeError(f"{text!r} has a number twice")
        return numbers

    return read


def _whole(text: str, least: int, what: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise ArgumentTypeError(f"{text!r} is not {what}")
    return number
