"""Attack the public file of a version before it is frozen, with programs that do not understand the text.

Each attacker of the suite's plan (`Suite.attacks`) answers the rows and sees nothing but the public file. The oracle
grades the answers. Attackers learn from a twin: a version with the same settings and a public seed. Joiners, which
compare rows, take notes on all lines, graded or not, and answer at the end. A `taught` joiner also gets the right
answers of every second unit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypedDict

import numpy as np

from evaluation.attacks.leaks import form
from evaluation.attacks.plan import (
    Answers,
    AttackPlan,
    Example,
    Joining,
    Notes,
    PublicLine,
    Records,
    plan_of,
)
from evaluation.attacks.report import SINGLE, AttackReport, report_on
from evaluation.core import jsonl
from evaluation.core.files.documents import form as documents
from evaluation.core.files.documents.reader import Documents
from evaluation.core.files.documents.writer import DocumentSpool
from evaluation.core.files.spool import Spool
from evaluation.core.records import GradingRecord, Prediction, Row
from evaluation.core.report import Report
from evaluation.core.sealing import keyed_ids
from evaluation.core.statistics import ICC_PRIOR, rates_with_intervals
from evaluation.core.suite import Item, Settings, Suite, SuiteVersion

#: Revision of `Guesses`, raised when guesses may change: they are then computed again.
GUESSES_REVISION = 1
#: In a larger version an even sample of units with this many rows is graded. No preset is larger: guesses are compared
#: with systems over the same rows, and a thousand are graded for all attackers in half a second.
GRADED_ROWS = 10_000


class Guesser(TypedDict):
    name: str
    label: str
    headline: float | None  # over the rows of the headline; None: not reported
    cells: list[list[float]]  # (right, rows) of each cell of `Guesses.cells`


class Guesses(TypedDict):
    """Scores of guessing programs on a version: over all its rows, and over the rows of each cell.

    Rows are in one cell if they are in the same group of each facet, which is a way to group rows. Add up cells to get
    any part of the rows.
    """

    revision: int
    grader: str
    rows: int  # graded rows: all, or those of the sampled units
    cells: list[list[str]]  # names: the parts of every facet (`Report.cells`)
    guessers: list[Guesser]  # every floor and shortcut


class Attacked(NamedTuple):
    """Results of attacking a version: the report on all attackers, and the scores of the guessing programs."""

    report: AttackReport
    guesses: Guesses


def attack(version: SuiteVersion, public: Iterable[PublicLine], records: Records) -> Attacked | None:
    """Attack a version by reading its public file once, in order. Returns None if there is no plan of attacks."""
    suite, plan = version.suite, plan_of(version)
    if plan is None:
        return None
    built, notes = _built(suite, plan)
    graded = _Graded(suite, records)
    asked = graded.lines()
    files: list[Spool[Prediction]] = [Spool() for _ in built]
    for line in public:
        if notes is not None:
            notes.see(line)
        if line.row["id"] in asked:
            for answers, file in zip(built, files, strict=True):
                for prediction in answers(line):
                    file.append(prediction)
    reports = list(plan.grade_each(version, graded.records, files))
    guesses = _guesses(version.grader, version.headline().name, graded.count, plan, reports)
    if plan.joining is not None:
        reports += _joined(version, plan, plan.joining, notes, graded)
    names = [name for name, _ in plan.metrics]
    return Attacked(report_on(plan, [_by_rows(version, report, names) for report in reports]), guesses)


def _joined(
    version: SuiteVersion, plan: AttackPlan, joining: Joining[Any], notes: Notes | None, graded: _Graded
) -> Iterator[Report]:
    """Yield the report on each joiner. A taught joiner is graded on the units whose answers it was not given."""
    taught = list(graded.records(half=0))
    files: dict[bool, list[Spool[Prediction]]] = {False: [], True: []}  # by whether it is taught
    for joiner in joining.joiners:
        asked = graded.lines(1 if joiner.taught else None)
        file: Spool[Prediction] = Spool()
        for prediction in joiner.answer(notes, taught if joiner.taught else ()):
            if prediction.get("id", "") in asked or "id" not in prediction:
                file.append(prediction)
        files[joiner.taught].append(file)
    reports = {
        taught: plan.grade_each(version, partial(graded.records, 1 if taught else None), each)
        for taught, each in files.items()
    }
    for joiner in joining.joiners:
        yield next(reports[joiner.taught])


def _by_rows(version: SuiteVersion, report: Report, metrics: Iterable[str]) -> Report:
    """Compute intervals over rows instead of units, if the version declares that rows of a unit are almost copies."""
    if version.unit_icc <= ICC_PRIOR:
        return report
    # rows count as independent: the question is what a program reaches in these very rows, not in other templates
    intervals = dict(report.intervals)
    for name in metrics:
        if (sums := report.sums.get(name)) is not None:
            right, rows = sums.sums.reshape(-1, 2).sum(axis=0)
            table = np.zeros((round(rows), 2))
            table[:, 1], table[: round(right), 0] = 1, 1
            [(_, intervals[name])] = rates_with_intervals([table])
    return replace(report, intervals=intervals)


class _Graded:
    """The units that are graded: all if they have at most `GRADED_ROWS` rows, else every second, third … unit."""

    def __init__(self, suite: Suite, records: Records) -> None:
        self._records = records
        asked = [list(suite.expected([record]).splits) for record in records()]
        self._every = max(1, -(-sum(map(len, asked)) // GRADED_ROWS))
        self._asked = asked[:: self._every]
        self.count = sum(map(len, self._asked))  # rows

    def lines(self, half: int | None = None) -> set[str]:
        """Ids of the lines with graded questions. For `half` see `records`."""
        asked = self._asked if half is None else self._asked[half::2]
        return {row_id.partition("#")[0] for ids in asked for row_id in ids}

    def records(self, half: int | None = None) -> Iterator[GradingRecord]:
        """Grading records of the graded units. `half`: 0 for the even units, 1 for the odd units, None for all."""
        if half is None:
            return islice(self._records(), 0, None, self._every)
        return islice(self._records(), half * self._every, None, 2 * self._every)


def _built(suite: Suite, plan: AttackPlan) -> tuple[list[Answers], Notes | None]:
    examples = list(twin_examples(suite, plan.twin))
    notes = plan.joining.take_notes(examples) if plan.joining else None
    return [attacker.build(examples) for attacker in plan.attackers], notes


def public_lines(lines: Iterable[bytes], texts: Documents | None = None) -> Iterator[PublicLine]:
    """Yield the lines of a public file. `texts`: its documents, whose texts are put into the rows."""
    for number, line in enumerate(lines):
        line = line.removesuffix(b"\n")
        row: Row = jsonl.parse(line)
        name = documents.document_named(row) if texts else None
        whole = documents.joined(row, texts.texts(name)) if texts and name else row
        yield PublicLine(whole, number, len(line))


def twin_examples(suite: Suite, settings: Settings) -> Iterator[Example]:
    """Yield training examples from a version: each row as attackers see it, and the row with its right answer."""
    twin = suite.version(settings)
    lines, gold = sealed_lines(suite, twin.generate(), twin.shared_texts)
    for line, (row, unit) in zip(lines, gold, strict=True):
        yield Example(line, row, unit)


def sealed_lines(
    suite: Suite, items: Iterable[Item], shared: Collection[str] = ()
) -> tuple[list[PublicLine], list[tuple[Row, int]]]:
    """Convert rows to lines of a sealed file, which contain no answers and are sorted by document and id.

    Returns the lines and, in the same order, each complete row with the index of its unit. `shared` names fields whose
    texts are put into documents.
    """
    spool, made = DocumentSpool(shared, keyed_ids.OPEN_KEY, {}), list[_Sealed]()
    for unit, item in enumerate(items):
        for row in item.rows:
            shown = suite.public_row(row)
            short, document = spool.part(shown)
            made.append(_Sealed(document, row, unit, shown, form(short), len(jsonl.dumps(short))))
    made.sort(key=lambda one: (one.document, one.row["id"]))
    # all lines of one form are padded to the longest, so that lengths reveal nothing
    longest = dict[tuple[str, ...], int]()
    for one in made:
        longest[one.form] = max(longest.get(one.form, 0), one.length)
    lines = [PublicLine(one.shown, number, longest[one.form]) for number, one in enumerate(made)]
    return lines, [(one.row, one.unit) for one in made]


class _Sealed(NamedTuple):
    document: str
    row: Row
    unit: int
    shown: Row
    form: tuple[str, ...]
    length: int  # of its line, before padding


def _guesses(grader: str, headline: str, rows: int, plan: AttackPlan, reports: Sequence[Report]) -> Guesses:
    guessing = [
        (each, report) for each, report in zip(plan.attackers, reports, strict=True) if each.role in SINGLE
    ]
    cells = list(dict.fromkeys(cell for _, report in guessing for cell in report.cells))
    return {
        "revision": GUESSES_REVISION,
        "grader": grader,
        "rows": rows,
        "cells": [list(cell) for cell in cells],
        "guessers": [
            {
                "name": each.name,
                "label": each.label,
                "headline": report.metrics.get(headline),
                "cells": [_total(report.cells.get(cell, {})) for cell in cells],
            }
            for each, report in guessing
        ],
    }


def _total(units: Mapping[str, tuple[float, int]]) -> list[float]:
    return [float(sum(side)) for side in zip((0.0, 0), *units.values(), strict=True)]
