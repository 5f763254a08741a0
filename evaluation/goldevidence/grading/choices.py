"""Choices: the line that an answer cites first, among the candidates or among the lines that its system retrieved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from evaluation.goldevidence.conditions.perturb import UPDATE_AS_NOTE
from evaluation.goldevidence.conditions.rows import shown_entries
from evaluation.goldevidence.data.answers import Answer
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.ledger import AUTHORITATIVE, Line
from evaluation.goldevidence.records import CanonicalPrediction, EpisodeRow

OP, VALUE = 1, 3  # indices in a Line


class Selected(IntEnum):
    """Kind of an answer's first citation."""

    NOTHING = 0
    GOLD = 1
    UPDATE = 2  # another line with authority
    NOTE = 3
    UNMARKED = 4  # a line whose marker is missing
    UNKNOWN = 5  # an id that was not shown


class Choice(NamedTuple):
    """How one answer chose among the candidates of a condition row. A field that does not apply is -1."""

    present: bool  # the gold line is shown
    value_ok: bool
    picks_gold: bool  # the selected line is the gold line
    cites_gold: bool  # some citation is the gold line
    selected: int  # a Selected
    abstained: bool  # an answer without value and citation
    value_in_line: int  # the value is part of the selected line's value
    agrees: int  # the selected line is the one that the system's selector chose; -1 if not stated
    forged_shown: bool  # a line with false authority is shown: a NOTE that quotes an UPDATE, or no marker
    forged_selected: bool
    shown: int  # number of lines shown
    selector_picks: int = -1  # the selector chose the gold line; -1 if not stated


class OwnChoice(NamedTuple):
    """How an answer chose among the lines that its prediction lists (`shown_uids`).

    A field is -1 if it is unknown. If the row has candidates, or not exactly one gold line, only `cites_unshown` can be
    known.
    """

    own_rank: int  # rank of the gold line among the lines listed, from 1; 0: not listed
    own_lines: int  # number of lines listed
    own_picks: int  # the first citation is the gold line
    cites_unshown: int  # a citation is not among the lines listed; -1: no citation, or no list
    own_selector_picks: int = -1  # the selector chose the gold line; -1 if not stated


NOT_SAID = OwnChoice(-1, -1, -1, -1)


def picks(selected_uid: str | None, gold: str) -> int:
    """Compare a selector's choice with the gold line: 1 if equal, 0 if not, -1 if `selected_uid` is None."""
    return -1 if selected_uid is None else int(selected_uid == gold)


def own_choice(case: Case, answer: Answer | None, *, whole_book: bool) -> OwnChoice:
    """Describe how an answer chose among its listed lines. `whole_book` is True for a row without candidates."""
    if answer is None or answer.shown is None:
        return NOT_SAID
    shown, cited = answer.shown, answer.cited
    outside = int(not set(cited) <= set(shown)) if cited else -1
    if not whole_book or case.op == "reports" or len(case.gold_ids) != 1:
        return NOT_SAID._replace(cites_unshown=outside)
    gold = case.gold_ids[0]
    rank = shown.index(gold) + 1 if gold in shown else 0
    return OwnChoice(rank, len(shown), int(cited[:1] == [gold]), outside, picks(answer.selected, gold))


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
    citing: bool = True,
) -> Choice:
    """Describe how an answer chose among the candidates `lines`. Its first citation is the selected line.

    `present` is True if the gold line is shown, `direct` if the question asks for the value of a line, `citing` if the
    answer must cite lines, and `parsed` if the answer could be read. `spoofed` maps the ids of disguised lines shown
    to the kind of disguise. If not `parsed`, the answer does not abstain. `agrees` is -1 if not `citing`, and 0 if the
    line cited first was not shown.
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
        agrees=int(first == selected_uid and line is not None) if citing and selected_uid is not None else -1,
        forged_shown=bool(forged),
        forged_selected=first in forged,
        shown=len(lines),
        selector_picks=picks(selected_uid, gold),
    )


def observe_row(row: EpisodeRow, prediction: CanonicalPrediction) -> Choice:
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
        selected_uid=prediction.get("selected_uid"),
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
