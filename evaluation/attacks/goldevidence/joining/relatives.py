"""Attackers that compare related rows: a value that differs, a line that is missing, the answer in a shorter text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from evaluation.attacks.goldevidence.joining.notes import FileNotes, NotedRow
from evaluation.attacks.goldevidence.view import nothing, taken
from evaluation.core.records import GradingRecord, Prediction
from evaluation.goldevidence.generator.ladder.rungs import rung_tokens

#: Least share of a question's rows that show its gold line: most must be answerable.
MOSTLY = 0.5


def difference_joiner(notes: FileNotes, told: Sequence[GradingRecord]) -> Iterator[Prediction]:
    """Choose the line about the question's key whose value differs in a related row, else guess.

    Twin rows differ only in the lines that answer.
    """
    differs = differing(notes)
    for number, row in enumerate(notes.rows):
        yield row.takes(differs[number]) if number in differs else row.guess()


def differing(notes: FileNotes) -> Mapping[int, int]:
    """Map a row to the last line about its key that has a different value in a related row (both as indices).

    Lines with the same id are compared. Rows with overlapping words and equally many lines are also compared position
    by position, in order of steps. A difference between them is used only if they differ at a single position.
    """
    values: dict[str, set[str | None]] = defaultdict(set)
    for row in notes.rows:
        for line in row.mine:
            values[row.lines[line].uid].add(row.lines[line].value)
    found: dict[int, int] = {}
    for members in notes.by_overlap:
        odd = _odd_places([notes.rows[number] for number in members])
        for number in members:
            row = notes.rows[number]
            for place, line in enumerate(_ordered(row)):
                if len(values[row.lines[line].uid]) > 1 or odd.get(len(row.mine)) == place:
                    found[number] = line
    return found


def _odd_places(rows: Sequence[NotedRow]) -> Mapping[int, int]:
    values: dict[int, list[set[str | None]]] = {}
    for row in rows:
        places = values.setdefault(len(row.mine), [set() for _ in row.mine])
        for place, line in zip(places, _ordered(row), strict=True):
            place.add(row.lines[line].value)
    differ = {
        size: [n for n, place in enumerate(places) if len(place) > 1] for size, places in values.items()
    }
    return {size: at[0] for size, at in differ.items() if len(at) == 1 and len(values[size][at[0]]) == 2}


def _ordered(row: NotedRow) -> Sequence[int]:
    return sorted(row.mine, key=lambda line: row.lines[line].step)


def missing_joiner(notes: FileNotes, told: Sequence[GradingRecord]) -> Iterator[Prediction]:
    """Choose the line about the question's key that some related rows lack. Answer null where it is missing."""
    for members in notes.by_ids:
        rows = [notes.rows[number] for number in members]
        gone = missing(rows)
        for row in rows:
            here = [line for line in row.mine if row.lines[line].uid in gone]
            if here:
                yield row.takes(here[-1])
            else:
                yield nothing(row.id) if gone and row.has_candidates else row.guess()


def missing(rows: Sequence[NotedRow]) -> set[str]:
    """Ids of lines about the question's key that most, but not all, rows with equally many candidates show."""
    gone: set[str] = set()
    sizes: dict[int, list[NotedRow]] = defaultdict(list)
    for row in rows:
        if row.has_candidates:
            sizes[len(row.lines)].append(row)
    for alike in sizes.values():
        shown = Counter(row.lines[line].uid for row in alike for line in row.mine)
        gone.update(uid for uid, count in shown.items() if MOSTLY <= count / len(alike) < 1)
    return gone


def carried_joiner(notes: FileNotes, told: Sequence[GradingRecord]) -> Iterator[Prediction]:
    """For each long text, give the answer that a related row has in a short text. Related rows share ids or words."""
    known: dict[int, NotedRow] = {}
    shortest = _shortest(notes)
    for groups in (notes.by_overlap, notes.by_ids):  # ids are more reliable: they override
        for members in groups:
            rows = [notes.rows[number] for number in members]
            short = {row.derived_op: row for row in rows if row.length == shortest and row.mine}
            for number, row in zip(members, rows, strict=True):
                if row.derived_op in short:
                    known[number] = short[row.derived_op]
    for number, row in enumerate(notes.rows):
        model = known.get(number)
        if model is None or row.length == shortest:
            yield row.guess()
        else:
            yield taken(row.id, model.lines[_holding(model)], row.derived_op)


def form_joiner(notes: FileNotes, told: Sequence[GradingRecord]) -> Iterator[Prediction]:
    """Choose, in a longer text, the line at the position where a short text of the same structure has the answer."""
    shortest = _shortest(notes)
    for members in notes.by_form:
        rows = [notes.rows[number] for number in members]
        short = {row.derived_op: row for row in rows if row.length == shortest and row.mine}
        for row in rows:
            model = short.get(row.derived_op)
            if model is None or len(model.mine) != len(row.mine):
                yield row.guess()
            else:
                yield row.takes(row.mine[model.mine.index(_holding(model))])


def _shortest(notes: FileNotes) -> str:
    return min({row.length for row in notes.rows}, key=lambda length: rung_tokens(length) or 0, default="")


def _holding(row: NotedRow) -> int:
    """Index of the latest line about the question's key, among its authoritative lines if there are any."""
    lines = [line for line in row.mine if row.lines[line].authoritative] or row.mine
    return max(lines, key=lambda line: row.lines[line].step)
