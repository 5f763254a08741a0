"""Published figures beside ours: which are the same to the digits that are published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from evaluation.goldevidence.experiments.anchors.commands import HowToRun, how_to_run
from evaluation.goldevidence.experiments.anchors.records import PublishedTable, Source, published, sources
from evaluation.goldevidence.experiments.anchors.storing import Measured, stored

#: Rates are compared in three digits at least: "1" and "0.55" are published without the zeros at their end.
RATE_DIGITS = 3


class Status(StrEnum):
    """What came of a published row."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    NEEDS_MODEL = "needs_model"
    NOT_TRIED = "not_tried"

    @property
    def words(self) -> str:
        """Of one row: `differs`."""
        return _WORDS[self][0]

    def words_of(self, count: int) -> str:
        """Of so many rows: `3 differ`.

        Args:
            count: How many.
        """
        return f"{count} {_WORDS[self][count != 1]}"

    @property
    def meaning(self) -> str:
        """What it says of a row, in a sentence."""
        return _MEANINGS[self]


_WORDS = {  # of one row, of several
    Status.REPRODUCED: ("reproduced", "reproduced"),
    Status.DIFFERS: ("differs", "differ"),
    Status.NEEDS_MODEL: ("needs the model", "need the model"),
    Status.NOT_TRIED: ("not tried", "not tried"),
}
_MEANINGS = {
    Status.REPRODUCED: (
        "Measured here anew, every figure that needs no language model is the published one to the last digit."
    ),
    Status.DIFFERS: (
        "Measured here anew, at least one figure is another; the reason stands with the table as far as it is known."
    ),
    Status.NEEDS_MODEL: "The row is about a language model, which is not asked here.",
    Status.NOT_TRIED: "What is published does not say enough to measure it.",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A published figure and ours; None where it was not measured."""

    name: str
    published: str
    reference: float | None  # on the reference's data
    own: float | None  # on our generator's data
    of_model: bool  # of a language model

    @property
    def ours(self) -> float | None:
        """What stands against the published figure: on the reference's data where there are any."""
        return self.own if self.reference is None else self.reference

    @property
    def difference(self) -> float | None:
        """Ours less the published one."""
        return None if self.ours is None else self.ours - _number(self.published)

    @property
    def is_same(self) -> bool | None:
        """Whether they are the same in the digits that are published; None where it was not measured."""
        if self.difference is None:
            return None
        return abs(self.difference) <= 0.5 * 0.1**self.digits + 1e-9

    @property
    def digits(self) -> int:
        """How many digits behind the point count."""
        if "," in self.published:
            return 0
        return max(RATE_DIGITS, len(self.published.partition(".")[2]))

    def text(self, value: float | None) -> str:
        """A figure in the form of the published one.

        Args:
            value: The figure; None is a dash.
        """
        if value is None:
            return "–"
        return f"{value:,.0f}" if self.digits == 0 else f"{value:.{self.digits}f}"

    @property
    def ours_text(self) -> str:
        """Ours in the form of the published figure; a dash where it was not measured."""
        return self.text(self.ours)

    @property
    def difference_text(self) -> str:
        """The difference with its sign; `same` where there is none."""
        if self.difference is None or self.is_same:
            return "" if self.difference is None else "same"
        digits = ",.0f" if self.digits == 0 else f".{self.digits}f"
        return format(self.difference, f"+{digits}").replace("-", "−")

    @property
    def own_text(self) -> str:
        """The figure on our generator's episodes, where it stands beside another on the reference's; else empty."""
        beside = self.reference is not None and self.own is not None
        return self.text(self.own) if beside and self.text(self.own) != self.ours_text else ""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row of a published table beside ours."""

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    expected: Status

    @property
    def status(self) -> Status:
        """What came of it, by the figures that were measured."""
        if self.expected is Status.NOT_TRIED:
            return Status.NOT_TRIED
        same = [cell.is_same for cell in self.cells if cell.is_same is not None]
        if not same:
            return Status.NEEDS_MODEL
        return Status.REPRODUCED if all(same) else Status.DIFFERS

    @property
    def is_in_part(self) -> bool:
        """Whether some of its figures were measured and others are a language model's."""
        return len({cell.ours is None for cell in self.cells}) == 2

    @property
    def fails(self) -> bool:
        """Whether it should be reproduced and is not."""
        return self.expected is Status.REPRODUCED and self.status is not Status.REPRODUCED


@dataclass(frozen=True, slots=True)
class ComparedTable:
    """A published table beside ours."""

    table: PublishedTable
    rows: tuple[ComparedRow, ...]

    @property
    def source(self) -> Source:
        """Where it is published."""
        return sources()[self.table.source]

    @property
    def caption(self) -> str:
        """Its caption as published, without the colon at its end."""
        return self.table.caption.rstrip(":")

    @property
    def statuses(self) -> dict[Status, int]:
        """How many rows have which status."""
        return counted([self])

    @property
    def statuses_in_words(self) -> list[tuple[Status, str]]:
        """The same in words: `3 differ`."""
        return [(status, status.words_of(count)) for status, count in self.statuses.items()]

    @property
    def how_to_run(self) -> HowToRun | None:
        """How its figures of a language model are measured here; None where it has none."""
        return how_to_run(self.table.id)

    @property
    def has_reference(self) -> bool:
        """Whether any figure is of the reference's own data."""
        return any(cell.reference is not None for row in self.rows for cell in row.cells)

    @property
    def is_measured(self) -> bool:
        """Whether any figure was measured."""
        return any(cell.ours is not None for row in self.rows for cell in row.cells)


def compare(measured: Iterable[Measured] | None = None) -> tuple[ComparedTable, ...]:
    """The published tables beside ours.

    Args:
        measured: What was measured; by default what is stored.
    """
    found = {(each.table, each.row): each for each in (stored() if measured is None else measured)}
    return tuple(
        ComparedTable(
            table,
            tuple(_row(table, number, found.get((table.id, number))) for number in range(len(table.rows))),
        )
        for table in published()
    )


def counted(tables: Iterable[ComparedTable]) -> dict[Status, int]:
    """How many rows have which status, in the order of Status; without those that none has.

    Args:
        tables: Which tables.
    """
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


def _number(text: str) -> float:
    return float(text.replace(",", ""))
