"""Choices: what an answer chose among the candidates that its row shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from evaluation.goldevidence.conditions.conditions import Row, shown_entries
from evaluation.goldevidence.conditions.perturb import UPDATE_AS_NOTE
from evaluation.goldevidence.data.answers import SELECTED
from evaluation.goldevidence.data.ledger import AUTHORITATIVE, Line

OP, VALUE = 1, 3  # places in a Line


class Selected(IntEnum):
    """What the first citation of an answer is."""

    NOTHING = 0
    GOLD = 1
    UPDATE = 2  # another line with authority
    NOTE = 3
    UNMARKED = 4  # a line whose marker is missing
    UNKNOWN = 5  # an id that was not shown


class Choice(NamedTuple):
    """One answer to one condition row. -1 means that the question does not arise."""

    present: bool  # the gold line is shown
    value_ok: bool
    picks_gold: bool  # the selected line is the gold line
    cites_gold: bool  # some citation is the gold line
    selected: int  # a Selected
    abstained: bool  # an answer without value and citation
    value_in_line: int  # the value is part of the selected line's value
    agrees: int  # the selected line is the one that the system's selector chose; -1 where it does not say
    forged_shown: bool  # a line with false authority is shown: a NOTE that quotes an UPDATE, or no marker
    forged_selected: bool


def observe(
    lines: Mapping[str, Line],
    cited: Sequence[str],
    value: str | None,
    *,
    gold: str,
    present: bool,
    value_ok: bool,
    direct: bool = True,
    spoofed: Mapping[str, str] = {},
    selected_uid: str | None = None,
    parsed: bool = True,
) -> Choice:
    """What an answer (`cited` ids in its order, `value` or None) chose among the lines shown, by id.

    The answer of a derived question (not `direct`) is no part of its line. `selected_uid` is the line that the system's
    selector chose, as far as the prediction tells; one that was not shown agrees with no citation. What is missing
    or could not be read (not `parsed`) is no abstention.
    """
    first = cited[0] if cited else None
    line = lines.get(first) if first is not None else None
    held = None if line is None else line[VALUE]
    forged = [uid for uid, kind in spoofed.items() if kind != UPDATE_AS_NOTE]
    return Choice(
        present=present,
        value_ok=value_ok,
        picks_gold=first == gold,
        cites_gold=gold in cited,
        selected=_selected(first, line, gold),
        abstained=parsed and first is None and value is None,
        value_in_line=int(value in held) if direct and held is not None and value is not None else -1,
        agrees=-1 if selected_uid is None else int(first == selected_uid and line is not None),
        forged_shown=bool(forged),
        forged_selected=first in forged,
    )


def observe_row(row: Row, prediction: Row) -> Choice:
    """What a prediction in canonical form (`value`, `support_ids`) chose in a condition row with gold."""
    gold, value = row["gold"], prediction["value"]
    return observe(
        {entry.uid: entry[1:] for entry in shown_entries(row)},
        prediction["support_ids"],
        value,
        gold=gold["support_ids"][0],
        present=gold["present"],
        value_ok=value == gold["value"],
        direct=row["meta"].get("derived_op") is None,
        spoofed=gold["spoofed"],
        selected_uid=prediction.get(SELECTED),
    )


def _selected(first: str | None, line: Line | None, gold: str) -> Selected:
    if first is None:
        return Selected.NOTHING
    if line is None:
        return Selected.UNKNOWN
    if line[OP] == "NOTE":
        return Selected.NOTE
    if line[OP] not in AUTHORITATIVE:
        return Selected.UNMARKED
    return Selected.GOLD if first == gold else Selected.UPDATE
