"""Compares published figures with ours, rounded to the published number of digits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from evaluation.goldevidence.experiments.anchors.commands import HowToRun, how_to_run
from evaluation.goldevidence.experiments.anchors.records import PublishedTable, Source, published, sources
from evaluation.goldevidence.experiments.anchors.storing import Measured, stored

#: Rates are compared to three digits at least: "1" and "0.55" are published without trailing zeros.
RATE_DIGITS = 3


class Status(StrEnum):
    """The result of comparing a published row with our measurement."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    NEEDS_MODEL = "needs_model"
    NOT_TRIED = "not_tried"

    @property
    def words(self) -> str:
        """Label for one row, such as `differs`."""
        return _WORDS[self][0]

    def words_of(self, count: int) -> str:
        """Return the label for several rows, such as `3 differ`."""
        return f"{count} {_WORDS[self][count != 1]}"

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]


_WORDS = {  # of one row, of several
    Status.REPRODUCED: ("reproduced", "reproduced"),
    Status.DIFFERS: ("differs", "differ"),
    Status.NEEDS_MODEL: ("needs the model", "need the model"),
    Status.NOT_TRIED: ("not tried", "not tried"),
}
_MEANINGS = {
    Status.REPRODUCED: (
        "Measured again here, every figure that needs no language model equals the published one to the last digit."
    ),
    Status.DIFFERS: (
        "Measured again here, at least one figure differs; the table gives the reason if it is known."
    ),
    Status.NEEDS_MODEL: "The row needs a language model, which is not run here.",
    Status.NOT_TRIED: "The publication does not describe the measurement well enough to repeat it.",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A published figure with ours on the reference's data (`reference`) and on our data (`own`), None if unknown."""

    name: str
    published: str
    reference: float | None  # on the reference's data
    own: float | None  # on our generator's data
    of_model: bool  # of a language model

    @property
    def ours(self) -> float | None:
        """Our figure on the reference's data, or else our figure on our own data."""
        return self.own if self.reference is None else self.reference

    @property
    def difference(self) -> float | None:
        return None if self.ours is None else self.ours - float(self.published.replace(",", ""))

    @property
    def is_same(self) -> bool | None:
        """True if our figure rounds to the published digits; None if it was not measured."""
        if self.difference is None:
            return None
        return abs(self.difference) <= 0.5 * 0.1**self.digits + 1e-9

    @property
    def digits(self) -> int:
        if "," in self.published:
            return 0
        return max(RATE_DIGITS, len(self.published.partition(".")[2]))

    def text(self, value: float | None) -> str:
        """Format a figure with as many digits as the published one; None becomes a dash."""
        if value is None:
            return "–"
        return f"{value:,.0f}" if self.digits == 0 else f"{value:.{self.digits}f}"

    @property
    def ours_text(self) -> str:
        return self.text(self.ours)

    @property
    def difference_text(self) -> str:
        if self.difference is None or self.is_same:
            return "" if self.difference is None else "same"
        digits = ",.0f" if self.digits == 0 else f".{self.digits}f"
        return format(self.difference, f"+{digits}").replace("-", "−")

    @property
    def own_text(self) -> str:
        """Our figure on our own data if it differs from our figure on the reference's data, else empty."""
        beside = self.reference is not None and self.own is not None
        return self.text(self.own) if beside and self.text(self.own) != self.ours_text else ""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row of a published table with our figures."""

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    expected: Status

    @property
    def status(self) -> Status:
        if self.expected is Status.NOT_TRIED:
            return Status.NOT_TRIED
        same = [cell.is_same for cell in self.cells if cell.is_same is not None]
        if not same:
            return Status.NEEDS_MODEL
        return Status.REPRODUCED if all(same) else Status.DIFFERS

    @property
    def is_in_part(self) -> bool:
        """True if some figures of the row were measured and others need a language model."""
        return len({cell.ours is None for cell in self.cells}) == 2

    @property
    def fails(self) -> bool:
        """True if the row should be reproduced but is not."""
        return self.expected is Status.REPRODUCED and self.status is not Status.REPRODUCED


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """A published table with our figures."""

    table: PublishedTable
    rows: tuple[ComparedRow, ...]

    @property
    def source(self) -> Source:
        return sources()[self.table.source]

    @property
    def caption(self) -> str:
        """The caption as published, without the final colon."""
        return self.table.caption.rstrip(":")

    @property
    def statuses(self) -> dict[Status, int]:
        return counted([self])

    @property
    def statuses_in_words(self) -> list[tuple[Status, str]]:
        return [(status, status.words_of(count)) for status, count in self.statuses.items()]

    @property
    def how_to_run(self) -> HowToRun | None:
        return how_to_run(self.table.id)

    @property
    def has_reference(self) -> bool:
        return any(cell.reference is not None for row in self.rows for cell in row.cells)

    @property
    def is_measured(self) -> bool:
        return any(cell.ours is not None for row in self.rows for cell in row.cells)


def compare(measured: Iterable[Measured] | None = None) -> tuple[ComparedTable, ...]:
    found = {(each.table, each.row): each for each in (stored() if measured is None else measured)}
    return tuple(
        ComparedTable(
            table,
            tuple(_row(table, number, found.get((table.id, number))) for number in range(len(table.rows))),
        )
        for table in published()
    )


def counted(tables: Iterable[ComparedTable]) -> dict[Status, int]:
    """Count rows per status, in the order of Status; statuses without rows are left out."""
    count = Counter(row.status for table in tables for row in table.rows)
    return {status: count[status] for status in Status if count[status]}


def _row(table: PublishedTable, number: int, measured: Measured | None) -> ComparedRow:
    row = table.rows[number]
    theirs: Mapping[str, float] = (measured and measured.reference) or {}
    own: Mapping[str, float] = (measured and measured.own) or {}
    of_model = table.of_model(row)
    cells = tuple(
        Cell(name, text, theirs.get(name), own.get(name), name in of_model)
        for name, text in zip(table.figures, row[table.labels :], strict=True)
    )
    return ComparedRow(row[: table.labels], cells, Status(table.expected(number)))
