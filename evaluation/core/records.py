"""Records that travel: a row of a benchmark, a line of a predictions file, the verdict on a row.

They are JSON objects and are read by the hundred thousand. A `TypedDict` is a plain dictionary at run time, so these
types cost nothing; `mypy` checks every key. A suite adds its own fields (`evaluation.goldevidence.records`,
`evaluation.statebench.records`); the site, the tables and the command line read those that stand here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, NotRequired, Required, TypedDict

#: A figure; None where it does not apply.
Number = float | int | None
Interval = tuple[float, float]  # (low, high)

#: A record of somebody else that is still to be checked.
JsonObject = Mapping[str, Any]


class Row(TypedDict):
    """A row of a benchmark; each suite adds what its rows show, and with gold what is right."""

    id: str


class GradingRecord(TypedDict):
    """The gold of one unit as a version freezes it: the suite that made it knows its fields."""


class PlainRecord(GradingRecord):
    """The gold of a unit of a `PlainVersion`."""

    unit: str
    rows: list[list[Any]]  # (id, split, gold)


class RowGold(TypedDict):
    """What a grading record says of one of its rows, in the fields of the suite."""


class Prediction(TypedDict, total=False):
    """A usable line of a predictions file; each suite adds which row it answers, and how."""

    state: str  # why there is no answer: a `RowState`, where the line says so


class Odd(NamedTuple):
    """Something in a usable line that counts for less than it says: warned of, never refused."""

    code: str  # for programs
    about: str  # what is the matter and what to do, with a verb in front: "of 40 lines {about}"
    example: str  # as the line has it


class Given(NamedTuple):
    """What one usable line answers, as far as a look at the whole file needs it."""

    text: str | None  # None: an abstention, or nothing that can be read
    citations: int = 0  # lines that it cites
    unread: str = ""  # the field of a text that holds no answer in the form asked for; empty: it was read
    cites_none: str = (
        ""  # a citation, where no citation is a line of the row; empty: one is, or nothing is cited
    )
    odd: tuple[Odd, ...] = ()


class Verdict(TypedDict):
    """What a grader says of one row: a line of `Report.rows`, and of a file of verdicts."""

    id: str
    unit: str  # what is drawn independently
    condition: str  # the split of the row
    correct: int | None  # the headline, 0 or 1; None where it does not apply
    failure: str | None  # a short code
    reason: str | None  # the same in a sentence
    in_headline: NotRequired[bool]  # False where the headline leaves the row out, whoever answers it
    gold_shown: NotRequired[bool]  # whether the row shows what establishes its answer
    figures: NotRequired[dict[str, float]]  # as a site keeps it: metric -> the figure of this row


class Figures(TypedDict):
    """The figures of some rows, by the name of their metric, with their 95% intervals."""

    metrics: dict[str, Number]
    intervals: dict[str, Interval | None]


class ShownVerdict(TypedDict, total=False):
    """As much of a verdict as somebody may see, with what a page says of it.

    Which fields stay is the suite's to say: the answer of the system, for instance, under the suite's own name for it.
    """

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
    concealed: bool  # whether the answer is withheld
    row: Row  # the public row that asks the question
