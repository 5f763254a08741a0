"""The frozen form of rows: what grading needs of them, and no text that has to be read again.

A *record* is one unit (an episode with its twin) as JSON:

    {"unit": …, "ledgers": ["- [U6HEX] step=1 SET tag.00 = v\\n…"], "rows": [[…the fields of a Case…, shown]]}

where the last element of a row is the number of its ledger, or its candidates: {uid: [step, op, key, value]}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evaluation.core.suite import Row
from evaluation.goldevidence.data.case import Case, case_of
from evaluation.goldevidence.data.ledger import LedgerText, ledger_lines
from evaluation.goldevidence.data.rubrics import Rubric
from evaluation.goldevidence.data.shown import Candidates, Shown, ShownReader
from evaluation.goldevidence.grading.resolve_gold import resolve_gold


def to_record(unit: str, rows: Iterable[Row], rubric: Rubric) -> dict[str, Any]:
    """The record of a unit. Raises RowError."""
    read = ShownReader(rubric)
    ledgers: list[Shown] = []
    frozen: list[list[Any]] = []
    for row in rows:
        shown = read(row)
        case = resolve_gold(case_of(row), shown, rubric)
        if isinstance(shown, Candidates):
            place: Any = shown.lines
        else:
            if shown not in ledgers:
                ledgers.append(shown)
            place = ledgers.index(shown)
        frozen.append([*case._replace(unit=unit), place])
    texts = [_text_of(ledger) for ledger in ledgers if isinstance(ledger, LedgerText)]
    return {"unit": unit, "ledgers": texts, "rows": frozen}


def _text_of(ledger: LedgerText) -> str:
    return "\n".join(entry.line() for entry in ledger.entries())


def from_record(record: Mapping[str, Any]) -> Iterator[tuple[Case, Shown]]:
    """The cases of a record, each with what it shows."""
    ledgers = [ledger_lines(text) for text in record["ledgers"]]
    for *fields, place in record["rows"]:
        yield Case._make(fields), ledgers[place] if isinstance(place, int) else Candidates(place)
