"""A public row as attackers see it: a list of lines, one of which may be the answer, and a question about a key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from heapq import nlargest, nsmallest
from operator import attrgetter
from typing import NamedTuple, cast

from evaluation.attacks.plan import Example, PublicLine
from evaluation.attacks.table_reader import Move
from evaluation.core.files.remembered import remembered
from evaluation.goldevidence.conditions.rows import shown_entries
from evaluation.goldevidence.data.ledger import Entry, parse_book, parse_log
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.records import EpisodePrediction, EpisodeRow
from evaluation.goldevidence.selectors.rules import answer as value_of_line

#: Positions tried from either end of a list: more than candidates have lines.
PLACES = 20
#: Parts of a long text that count as positions, too.
PARTS = 8


class Asked(NamedTuple):
    line: PublicLine
    row: EpisodeRow
    lines: Sequence[Entry]
    question: queries.Asked


class RowView:
    """Lets a `TableReader` read rows of GoldEvidenceBench. A move chooses one of the lines that a row shows."""

    def questions(self, line: PublicLine) -> Iterator[Asked]:
        yield asked(line)

    def right_moves(self, example: Example) -> Iterator[tuple[Asked, Collection[Move]]]:
        """Yield the question of a row, and the moves that choose the line with the right answer."""
        question = asked(example.line)
        support = cast(EpisodeRow, example.row)["gold"]["support_ids"]
        yield question, [*moves_to(question.lines, support[0])] if len(support) == 1 else ()

    def answer(self, question: Asked, move: Move) -> EpisodePrediction | None:
        entry = line_at(question.lines, move)
        return None if entry is None else cites(question, entry)

    def nothing(self, question: Asked) -> EpisodePrediction:
        return nothing(question.row["id"])


@lru_cache(maxsize=1)  # every attacker looks at a line before the next is read
def asked(line: PublicLine) -> Asked:
    """Parse a public line. The key of its question is None if the question has an unknown form."""
    row = cast(EpisodeRow, line.row)
    return Asked(
        line, row, shown_lines(row), queries.read(row["question"]) or queries.Asked(None, None, None, None)
    )


def text_of(row: EpisodeRow) -> str:
    """The book or log of a row. Empty for a row that shows candidates."""
    return row.get("book") or row.get("document") or ""


def shown_lines(row: EpisodeRow) -> Sequence[Entry]:
    """The lines that a row shows, in order: its candidates, or the lines of its book or log."""
    if row.get("candidates") is not None:
        return shown_entries(row)
    if row.get("book"):
        return _lines_of(row["book"])
    return _lines_of_log(row.get("document", ""))


def cites(question: Asked, entry: Entry) -> EpisodePrediction:
    return taken(question.row["id"], entry, question.question.derived_op)


def taken(row_id: str, entry: Entry, derived_op: str | None) -> EpisodePrediction:
    """The prediction that cites a line.

    `derived_op` names how the answer is derived from the line's value. If it is None, the answer is the value.
    """
    value = value_of_line(entry, derived_op)
    return {"id": row_id, "value": value, "support_ids": [entry.uid], "selected_uid": entry.uid}


def nothing(row_id: str) -> EpisodePrediction:
    return {"id": row_id, "value": None, "support_ids": []}


def moves_to(lines: Sequence[Entry], uid: str) -> Iterator[Move]:
    """Yield the moves that choose the line with id `uid`. A move names a position, or a rank in the order of ids."""
    place = next((place for place, entry in enumerate(lines) if entry.uid == uid), None)
    if place is None:
        return
    after = len(lines) - 1 - place
    yield from ((name, n) for name, n in (("first", place), ("last", after)) if n < PLACES)
    yield "part", place * PARTS // len(lines)
    rank = sum(entry.uid < uid for entry in lines)
    yield from ((name, n) for name, n in (("low", rank), ("high", len(lines) - 1 - rank)) if n < PLACES)


def line_at(lines: Sequence[Entry], move: Move) -> Entry | None:
    kind, number = move[0], cast(int, move[1])
    if kind == "part":
        return lines[number * len(lines) // PARTS] if lines else None
    if number >= len(lines):
        return None
    match kind:
        case "first":
            return lines[number]
        case "last":
            return lines[-1 - number]
        case "low":
            return nsmallest(number + 1, lines, key=attrgetter("uid"))[-1]
        case _:
            return nlargest(number + 1, lines, key=attrgetter("uid"))[-1]


# Rows of an episode show one text, but are not adjacent in a sealed file.
@remembered(512)
def _lines_of(book: str) -> Sequence[Entry]:
    return parse_book(book)


@remembered(512)
def _lines_of_log(document: str) -> Sequence[Entry]:
    return parse_log(document)
