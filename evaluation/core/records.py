"""Types of shared records: a row of a benchmark, a line of a predictions file, the verdict on a row.

Files have hundreds of thousands of records, and a `TypedDict` costs nothing at run time. A suite adds its own fields
(`evaluation.goldevidence.records`, `evaluation.statebench.records`); the site, the tables and the command line read
only the fields listed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, NotRequired, Required, TypedDict

#: A figure; None if not applicable.
Number = float | int | None
Interval = tuple[float, float]  # (low, high)

#: A record from outside, not yet checked.
JsonObject = Mapping[str, Any]


class Row(TypedDict):
    """A row of a benchmark; each suite adds its fields."""

    id: str


class GradingRecord(TypedDict):
    """The gold of one unit as a version stores it; each suite defines the fields."""


class PlainRecord(GradingRecord):
    unit: str
    rows: list[list[Any]]  # (id, split, gold)


class RowGold(TypedDict):
    """The part of a grading record about one row; each suite defines the fields."""


class Prediction(TypedDict, total=False):
    """A valid line of a predictions file; each suite adds the row id and the answer."""

    state: str  # a `RowState`, if the line says why there is no answer


class Odd(NamedTuple):
    """A detail of a valid line that is probably a mistake: a warning, not a reason to refuse the file."""

    code: str  # for programs
    about: str  # problem and advice, starting with a verb: "of 40 lines {about}"
    example: str  # quoted from the line


class Given(NamedTuple):
    """Properties of the answer in one valid line, for checks of the whole file."""

    text: str | None  # None: an abstention, or unreadable
    citations: int = 0  # lines that it cites
    unread: str = ""  # the field whose text holds no readable answer; empty: it was read
    cites_none: str = ""  # an example citation if all citations miss the row; else empty
    odd: tuple[Odd, ...] = ()


class Verdict(TypedDict):
    """The grader's verdict on one row: an item of `Report.rows` and a line of a file of verdicts."""

    id: str
    unit: str  # the independently drawn unit
    condition: str  # the split of the row
    correct: int | None  # the headline, 0 or 1; None if not applicable
    failure: str | None  # a short code
    reason: str | None  # the failure in a sentence
    in_headline: NotRequired[bool]  # False if the headline excludes the row for every system
    gold_shown: NotRequired[bool]  # the row shows what establishes its answer
    figures: NotRequired[dict[str, float]]  # added by a site: metric -> figure of this row


class Figures(TypedDict):
    metrics: dict[str, Number]
    intervals: dict[str, Interval | None]


class ShownVerdict(TypedDict, total=False):
    """The fields of a verdict that the suite lets a reader see, with words for a page."""

    id: Required[str]
    unit: str
    condition: str
    correct: int | None
    failure: str | None
    reason: str | None
    in_headline: bool
    gold_shown: bool
    figures: dict[str, float]
    label: str  # the failure in words
    concealed: bool  # the answer is withheld
    row: Row  # the public row that asks the question
