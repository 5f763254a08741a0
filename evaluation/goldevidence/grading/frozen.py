r"""The frozen form of rows: the facts that grading needs, so that no text is parsed again.

A *record* is one unit (an episode with its twin) as JSON:

    {"unit": …, "ledgers": ["- [U6HEX] step=1 SET tag.00 = v\\n…"], "rows": [[…the fields of a Case…, shown]]}

A row omits trailing fields with default values. `shown` is the index of the row's ledger in `ledgers` or, if the row
has candidates, an object {uid: [step, op, key, value]} of the candidates. Under protocol `build`, a record also lists
the episode id (`episodes`) and the log (`logs`) of each ledger.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from evaluation.goldevidence.artifacts.shown import Artifacts
from evaluation.goldevidence.data.case import Case, case_of
from evaluation.goldevidence.data.deeds import DeedLedger
from evaluation.goldevidence.data.ledger import LedgerText, ledger_lines
from evaluation.goldevidence.data.rubrics import Rubric
from evaluation.goldevidence.data.shown import Candidates, Shown, ShownReader
from evaluation.goldevidence.grading.resolve_gold import resolve_gold
from evaluation.goldevidence.protocols import Protocol, protocol_of
from evaluation.goldevidence.records import EpisodeRecord, EpisodeRow

_FIELDS, _FAMILY = len(Case._fields), Case._fields.index("family")
_new = tuple.__new__  # makes a Case in a third of the time, once per row


def to_record(unit: str, rows: Iterable[EpisodeRow], rubric: Rubric) -> EpisodeRecord:
    """Freeze a unit's rows with gold under a rubric, which may change gold and shown lines. Raises RowError."""
    read = ShownReader(rubric)
    ledgers: list[Shown] = []
    built_from: list[tuple[str, str]] = []  # episode and log of each ledger, if artifacts are built
    frozen: list[list[Any]] = []
    for row in rows:
        shown = read(row)
        case = resolve_gold(case_of(row), shown, rubric)
        if isinstance(shown, Candidates):
            place: Any = shown.lines
        else:
            if shown not in ledgers:
                ledgers.append(shown)
                if protocol_of(row) is Protocol.BUILD:
                    built_from.append((row["episode_id"], row["document"]))
            place = ledgers.index(shown)
        frozen.append([*_fields(case._replace(unit=unit)), place])
    texts = [
        "\n".join(entry.line() for entry in each.entries())
        for each in ledgers
        if isinstance(each, LedgerText)
    ]
    record: EpisodeRecord = {"unit": unit, "ledgers": texts, "rows": frozen}
    if built_from:
        record["episodes"], record["logs"] = map(list, zip(*built_from, strict=True))
    return record


def _fields(case: Case) -> list[Any]:
    """The fields of a case without trailing defaults, so that a new field changes no existing record."""
    fields, newest = list(case), list(Case._field_defaults.values())
    while newest and fields[-1] == newest.pop():
        fields.pop()
    return fields


def of_rows(record: EpisodeRecord, row_ids: Collection[str | int]) -> EpisodeRecord | None:
    """Reduce a record to the given row ids and the ledgers of these rows. Returns None if no row is left."""
    rows = [row for row in record["rows"] if row[0] in row_ids]
    if not rows:
        return None
    shown = sorted({row[-1] for row in rows if isinstance(row[-1], int)})
    places = {ledger: place for place, ledger in enumerate(shown)}
    moved = [[*row[:-1], places[row[-1]] if isinstance(row[-1], int) else row[-1]] for row in rows]
    part: EpisodeRecord = {
        "unit": record["unit"],
        "ledgers": [record["ledgers"][ledger] for ledger in shown],
        "rows": moved,
    }
    if "episodes" in record:
        part["episodes"] = [record["episodes"][ledger] for ledger in shown]
        part["logs"] = [record["logs"][ledger] for ledger in shown]
    return part


def from_record(record: EpisodeRecord, artifacts: Artifacts | None = None) -> Iterator[tuple[Case, Shown]]:
    """Yield each case of a record with the lines that its answer may cite.

    With `artifacts`, under protocol `build`, these are the log lines whose ids the episode's artifact contains.
    """
    # the ledgers of rows of a family; a row without the field has none
    deep = {row[-1] for row in record["rows"] if len(row) > _FAMILY + 1 and row[_FAMILY]}
    ledgers: list[Shown] = [
        DeedLedger(text) if number in deep else ledger_lines(text)
        for number, text in enumerate(record["ledgers"])
    ]
    if artifacts is not None and (episodes := record.get("episodes")):
        ledgers = [artifacts.shown(name, log) for name, log in zip(episodes, ledgers, strict=True)]
    for *fields, place in record["rows"]:
        case = _new(Case, fields) if len(fields) == _FIELDS else Case(*fields)
        yield case, ledgers[place] if isinstance(place, int) else Candidates(place)
