"""The frozen form of a row: what grading needs of it, and nothing that has to be parsed again.

A *case* is one row without its long texts. What its reader could cite is a `Shown`: the ledger of its
episode, parsed once for all rows of the episode, or the candidates of a condition row. A *record* is one
unit (an episode with its twin) as JSON:

    {"unit": …, "ledgers": [{uid: [step, op, key, value]}], "rows": [[…the fields of a Case…, shown]]}

where the last element of a row is the number of its ledger, or the ledger of its candidates.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from evaluation.errors import RowError
from evaluation.goldevidence.answers import cited_ids, normalize
from evaluation.goldevidence.ledger import Line, book_lines, log_lines
from evaluation.goldevidence.rubrics import Rubric
from evaluation.suites import Row

CLOSED_BOOK = "closed_book"
LOG_HEADING = "## Episode Log"


class Case(NamedTuple):
    """One question and its gold. `instruction` is the value that an instruction in the text asks for."""

    id: str | int
    unit: str  # what the bootstrap resamples: the twin group, else the episode
    condition: str  # "closed_book" where the whole book was shown
    mode: str
    profile: str
    query_type: str
    key: Any
    op: Any
    manager: Any
    gold: str | None
    gold_ids: list[str]
    asks_citation: bool
    instructed: bool
    instruction: str | None
    twin_group: str | None
    q_index: int
    tokens: int | None  # since the key's last update: words, distractors; and how often the key was written
    distractors: int | None
    writes: int | None
    present: bool  # whether the gold line was shown
    spoofed: dict[str, str]  # shown lines with disguised authority, by id


class Shown:
    """The ledger lines that a reader could cite: uid -> (step, op, key, value)."""

    __slots__ = ("_history", "lines")

    def __init__(self, lines: dict[str, Line]) -> None:
        self.lines = lines
        self._history: dict[Any, list[Line]] | None = None

    def history(self, key: Any) -> list[Line]:
        """The lines about one key, in the order shown."""
        if self._history is None:
            self._history = {}
            for line in self.lines.values():
                self._history.setdefault(line[2], []).append(line)
        return self._history.get(key, []) if isinstance(key, str) else []


def case_of(row: Row) -> Case:
    """The case of a row with gold. Raises RowError saying which field is not as it should be."""
    row_id, gold, meta = row.get("id"), row.get("gold"), row.get("meta")
    if not isinstance(row_id, (str, int)):
        raise RowError("the row has no usable 'id': it must be a text")
    if not isinstance(gold, dict):
        raise RowError(f"row {row_id!r} has no usable 'gold': it must be an object")
    if not isinstance(meta, dict):
        raise RowError(f"row {row_id!r} has no usable 'meta': it must be an object")
    group = meta.get("twin_group")
    q_index = _integer(meta.get("q_index"))
    return Case(
        id=row_id,
        unit=_text(group if group is not None else row.get("episode_id", row_id)),
        condition=_text(meta.get("condition")) or CLOSED_BOOK,
        mode=_text(meta.get("state_mode")),
        profile=_text(meta.get("distractor_profile")),
        query_type=_text(meta.get("query_type")),
        key=meta.get("key"),
        op=meta.get("derived_op"),
        manager=meta.get("derived_manager"),
        gold=normalize(gold.get("value")),
        gold_ids=cited_ids(gold),
        asks_citation=bool(meta.get("requires_citation")),
        instructed=bool(meta.get("has_instruction")),
        instruction=normalize(meta.get("instruction_value")),
        twin_group=None if group is None or q_index is None else _text(group),
        q_index=q_index or 0,
        tokens=_integer(meta.get("tokens_since_update")),
        distractors=_integer(meta.get("distractors_since_update")),
        writes=_integer(meta.get("writes_to_key")),
        present=bool(gold.get("present", True)),
        spoofed=gold["spoofed"] if isinstance(gold.get("spoofed"), dict) else {},
    )


def _text(value: Any) -> str:
    """A label; empty where there is none."""
    return "" if value is None else value if isinstance(value, str) else str(value)


def _integer(value: Any) -> int | None:
    """A whole number, also from "1" and 1.0 as the reference reads them."""
    try:
        return max(-(2**31), min(int(value), 2**31 - 1))
    except (TypeError, ValueError, OverflowError):
        return None


class ShownReader:
    """Reads what rows show: their candidates, else their book's ledger, else their log (the reference: the
    log).

    Rows of an episode repeat its texts, so the last few are remembered: two, for an episode and its twin.
    """

    def __init__(self, rubric: Rubric) -> None:
        self._book_first = rubric.shows_book
        self._recent: deque[tuple[str, Shown]] = deque(maxlen=2)

    def __call__(self, row: Row) -> Shown:
        """What one row shows. Raises RowError where it shows nothing that can be read."""
        if row.get("candidates") is not None:
            return Shown(_candidate_lines(row))
        book, document = row.get("book"), row.get("document")
        if self._book_first and isinstance(book, str) and book:
            return self._read(book, book_lines)
        if not isinstance(document, str):
            raise RowError(f"row {row.get('id')!r} has no usable 'document': it must be a text")
        return self._read(document, _under_heading)

    def _read(self, text: str, lines_of: Callable[[str], dict[str, Line]]) -> Shown:
        for seen, shown in self._recent:
            if seen == text:  # at the speed of memory; a dictionary would hash the text first
                return shown
        try:
            shown = Shown(lines_of(text))
        except ValueError as error:  # a step of thousands of digits
            raise RowError("a ledger line has a step that is no number to count with") from error
        self._recent.append((text, shown))
        return shown


def _under_heading(document: str) -> dict[str, Line]:
    """The lines of an episode log; none without the log's heading."""
    start = document.find(LOG_HEADING)
    return {} if start < 0 else log_lines(document[start:])


def _candidate_lines(row: Row) -> dict[str, Line]:
    """The candidates of a condition row, in the order shown."""
    lines: dict[str, Line] = {}
    candidates = row["candidates"]
    for line in candidates if isinstance(candidates, list) else [candidates]:
        match line:
            case {
                "uid": str(uid),
                "step": int(step),
                "op": str(op),
                "key": str(key),
                "value": str() | None as value,
            }:
                lines[uid] = (step, op, key, value)
            case _:
                raise RowError(f"row {row.get('id')!r} has a candidate without uid, step, op, key or value")
    return lines


def check(case: Case, shown: Shown) -> None:
    """Refuse a question that its ledger cannot answer. Raises RowError."""
    if case.op == "parity" and case.mode != "counter":
        for _, op, _, value in shown.history(case.key):
            if op != "NOTE" and value is not None and not is_integer(value):
                raise RowError(f"row {case.id!r} asks for the parity of {value!r}, which is not a number")


def is_integer(text: str) -> bool:
    """Whether a value is a whole number that can be computed with."""
    try:
        int(text)
    except ValueError:
        return False
    return True


def freeze(unit: str, rows: Iterable[Row], rubric: Rubric) -> dict[str, Any]:
    """The record of a unit. Raises RowError."""
    read = ShownReader(rubric)
    ledgers: list[Shown] = []
    frozen: list[list[Any]] = []
    for row in rows:
        case, shown = case_of(row), read(row)
        check(case, shown)
        if row.get("candidates") is not None:
            place: Any = shown.lines
        else:
            if shown not in ledgers:
                ledgers.append(shown)
            place = ledgers.index(shown)
        frozen.append([*case._replace(unit=unit), place])
    return {"unit": unit, "ledgers": [shown.lines for shown in ledgers], "rows": frozen}


def thaw(record: Mapping[str, Any]) -> Iterator[tuple[Case, Shown]]:
    """The cases of a record, each with what it shows."""
    ledgers = [Shown(lines) for lines in record["ledgers"]]
    for *fields, place in record["rows"]:
        yield Case._make(fields), ledgers[place] if isinstance(place, int) else Shown(place)
