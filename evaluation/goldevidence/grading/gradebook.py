"""The gradebook: takes answers one by one, in any number, and turns them into a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core import metric
from evaluation.core.metric import Figures, Measured, Metric, RowFigures, Rows
from evaluation.core.report import Number, Report
from evaluation.goldevidence.data.answers import UNPARSED, Answer
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.data.shown import Candidates, Shown
from evaluation.goldevidence.grading.choices import Choice, observe
from evaluation.goldevidence.grading.columns import Codes, Columns, IntArray, blocks
from evaluation.goldevidence.grading.metrics import METRICS
from evaluation.goldevidence.grading.scope import GROUPINGS, Cell, Scope, Stratum, stratum_of
from evaluation.goldevidence.grading.twin_pairs import Pair, TwinPairs, couples
from evaluation.goldevidence.grading.verdicts import Verdict, judge

UnitSums = dict[str, tuple[float, int]]  # unit -> (exact, rows)
PLACE = ("unit", "stratum", "group", "q_index")  # where a row belongs; its verdict and its pair follow
BLOCK = 8192  # rows that figures are computed from at a time
CHOSEN = tuple(name for name in Choice._fields if name != "value_ok")  # the verdict has that
NO_CHOICE = (-1,) * len(CHOSEN)


class Judged(NamedTuple):
    """One row, judged: its verdict, the twin pair that it completes, its choice among candidates if it shows any."""

    verdict: Verdict
    pair: Pair
    choice: Choice | None


class Gradebook:
    """Judges cases and keeps a few bytes of each."""

    def __init__(self, options: Options, *, also: Sequence[Metric] = ()) -> None:
        """`also`: metrics of the version besides those of the rubric."""
        self.options = options
        self._metrics = (*METRICS[options.rubric], *also)
        self._columns = Columns((*PLACE, *Verdict._fields, *Pair._fields, *CHOSEN))
        self._units: Codes[str] = Codes()
        self._strata: Codes[Stratum] = Codes()
        self._groups: Codes[tuple[str, str]] = Codes()
        self._pairs = TwinPairs(options.rules)

    def add(self, case: Case, answer: Answer | None, shown: Shown) -> Judged:
        """Judge one answer; None is a missing prediction."""
        verdict = judge(case, answer, shown, self.options)
        pair = self._pairs.meet(case, answer, verdict)
        group = -1 if case.twin_group is None else self._groups[case.twin_group, case.condition]
        unit, stratum = self._units[case.unit], self._strata[stratum_of(case, shown)]
        choice, chosen = None, NO_CHOICE
        if isinstance(shown, Candidates):
            choice = _choice(case, answer, shown, verdict)
            chosen = (choice.present, *choice[2:])
        self._columns.append((unit, stratum, group, case.q_index, *verdict, *pair, *chosen))
        return Judged(verdict, pair, choice)

    def report(self, rows: Sequence[dict[str, Any]]) -> Report:
        """The figures of everything added; `rows` are the verdicts that go with them."""
        column = self._columns.arrays()
        column["couple"] = couples(column["group"], column["q_index"])
        strata = self._strata.labels()
        received = np.bincount(column["stratum"], column["received"], len(strata))
        scope = Scope(strata, received, covering=self.options.rules.missing_is_wrong)
        found = metric.measure(self._metrics, self._blocks(column), len(self._units), scope.groupings)
        if self.options.rules.nothing_is_zero and not len(self._columns):
            found.whole["metrics"] |= {"value_acc": 0.0, "exact_acc": 0.0}
        values: dict[str, Number] = {
            "n": found.rows["headline"]["headline"] or found.rows["covered"]["covered"]
        }
        values |= self._applying(found.whole["metrics"], scope)
        values["note_rows"] = int((scope.covered & scope.noted)[column["stratum"]].sum())
        return Report(
            metrics=values,
            intervals=self._applying(found.whole["intervals"], scope),
            groups={name: _with_rows(found, name) for name in GROUPINGS if found.groups.get(name)},
            rows=rows,
            units=self._unit_sums(column, scope.headline[column["stratum"]]),
            cells=self._cells(column, scope),
            settings=self.options.as_dict(),
            unit_names=self._units.labels(),
            sums=found.sums,
            row_figures=RowFigures((self._metrics, column)),
        )

    def _applying(self, figures: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
        """Figures without those of candidates where no row shows any."""
        if scope.conditional.any():
            return dict(figures)
        kept = {each.name for each in self._metrics if each.split != "conditional" or each.grouping}
        return {name: value for name, value in figures.items() if name in kept}

    def _blocks(self, column: Mapping[str, IntArray]) -> Iterator[Rows]:
        """All rows with all metrics."""
        for block in blocks(column, BLOCK):
            yield Rows(block["unit"], block["stratum"], block, self._metrics)

    def _cells(self, column: Mapping[str, IntArray], scope: Scope) -> dict[Cell, UnitSums]:
        """(exact, rows) by unit of every cell that the file covers, the cells in order of appearance."""
        return {
            cell: self._unit_sums(column, strata[column["stratum"]]) for cell, strata in scope.cells.items()
        }

    def _unit_sums(self, column: Mapping[str, IntArray], rows: NDArray[np.bool_]) -> UnitSums:
        names = self._units.labels()
        unit, exact = column["unit"][rows], column["exact"][rows]
        sums = np.bincount(unit, exact, len(names)).tolist()
        counts = np.bincount(unit, minlength=len(names)).tolist()
        return dict(zip(names, zip(sums, counts, strict=True), strict=True))


def _with_rows(found: Measured, grouping: str) -> dict[str, Figures]:
    """The figures of a grouping's groups, each with its number of rows."""
    groups = found.groups[grouping]
    for label, rows in found.rows[grouping].items():
        if rows:
            groups[label]["metrics"] = {"n": rows, **groups[label]["metrics"]}
    return groups


def _choice(case: Case, answer: Answer | None, shown: Candidates, verdict: Verdict) -> Choice:
    """What an answer chose among the candidates, for the decomposition."""
    value, cited, parsed, said, _ = answer or UNPARSED
    return observe(
        shown.lines,
        cited,
        value,
        gold=case.gold_ids[0] if case.gold_ids else "",
        present=case.present,
        value_ok=bool(verdict.value_ok),
        direct=case.op is None,
        spoofed=case.spoofed,
        selected_uid=said if verdict.required else None,
        parsed=parsed,
    )
