"""The gradebook: takes answers one by one, in any number, and turns them into a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core.report import Number, Report
from evaluation.goldevidence.data.answers import UNPARSED, Answer
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.data.shown import Candidates, Shown
from evaluation.goldevidence.grading import decomposition, metrics
from evaluation.goldevidence.grading.columns import Codes, Columns, IntArray, blocks
from evaluation.goldevidence.grading.decomposition import Choice
from evaluation.goldevidence.grading.metrics import Figures, Rows
from evaluation.goldevidence.grading.scope import GROUPINGS, Cell, Scope, Stratum, stratum_of
from evaluation.goldevidence.grading.twin_pairs import Pair, TwinPairs, couples
from evaluation.goldevidence.grading.verdicts import Verdict, judge

UnitSums = dict[str, tuple[float, int]]  # unit -> (exact, rows)
PLACE = ("unit", "stratum", "group", "q_index")  # where a row belongs; its verdict and its pair follow
BLOCK = 8192  # rows that figures are computed from at a time
DECOMPOSED = tuple(name for name in decomposition.METRICS if name != "value_acc")
CONDITION_VALUE_ACC = "condition_value_acc"  # value_acc over condition rows: where the decomposition ends


class Judged(NamedTuple):
    """One row, judged: its verdict, the twin pair that it completes, its choice among candidates if it shows any."""

    verdict: Verdict
    pair: Pair
    choice: Choice | None


class Gradebook:
    """Judges cases and keeps a few bytes of each."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._columns = Columns((*PLACE, *Verdict._fields, *Pair._fields))
        self._choices = Columns(("unit", "stratum", *Choice._fields))
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
        self._columns.append((unit, stratum, group, case.q_index, *verdict, *pair))
        choice = None
        if isinstance(shown, Candidates):
            choice = _choice(case, answer, shown, verdict)
            self._choices.append((unit, stratum, *choice))
        return Judged(verdict, pair, choice)

    def report(self, rows: Sequence[dict[str, Any]]) -> Report:
        """The figures of everything added; `rows` are the verdicts that go with them."""
        column = self._columns.arrays()
        column["couple"] = couples(column["group"], column["q_index"])
        strata = self._strata.labels()
        received = np.bincount(column["stratum"], column["received"], len(strata))
        scope = Scope(strata, received, covering=self.options.rules.missing_is_wrong)
        found = metrics.measure(self._blocks(column), len(self._units), scope.groupings)
        values, intervals = _total(found, conditional=bool(scope.conditional.any()))
        if self.options.rules.nothing_is_zero and not len(self._columns):
            values |= {"value_acc": 0.0, "exact_acc": 0.0}
        values["note_rows"] = int((scope.covered & scope.noted)[column["stratum"]].sum())
        return Report(
            metrics=values,
            intervals=intervals,
            groups={name: found[name] for name in GROUPINGS if found[name]},
            rows=rows,
            units=self._unit_sums(column, scope.headline[column["stratum"]]),
            cells=self._cells(column, scope),
            settings=self.options.as_dict(),
        )

    def _blocks(self, column: Mapping[str, IntArray]) -> Iterator[Rows]:
        """All rows with their metrics, then the condition rows with those of the decomposition."""
        for block in blocks(column, BLOCK):
            yield Rows(block["unit"], block["stratum"], metrics.ratios(block, self.options.rules))
        for block in blocks(self._choices.arrays(), BLOCK):
            found = decomposition.ratios(block)
            yield Rows(block["unit"], block["stratum"], [(name, found[name]) for name in DECOMPOSED])

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


def _total(
    found: Mapping[str, Mapping[str, Figures]], *, conditional: bool
) -> tuple[dict[str, Number], dict[str, tuple[float, float] | None]]:
    """The figures over all rows: each metric from the rows that it is about, None where not applicable."""
    sources = {name: ("headline", name) for name in (*metrics.GRADED, *metrics.DIFFERENCES)}
    sources["authority_violation_rate"] = ("covered", "authority_violation_rate")
    if conditional:
        sources |= {name: ("conditional", name) for name in DECOMPOSED}
        sources[CONDITION_VALUE_ACC] = ("conditional", "value_acc")
    counts = (found[scope][scope]["metrics"].get("n", 0) for scope in ("headline", "covered"))
    values: dict[str, Number] = {"n": next(filter(None, counts), 0)}
    intervals: dict[str, tuple[float, float] | None] = {}
    for name, (scope, metric) in sources.items():
        figures = found[scope][scope]
        values[name] = figures["metrics"].get(metric)
        intervals[name] = figures["intervals"].get(metric)
    return values, intervals


def _choice(case: Case, answer: Answer | None, shown: Candidates, verdict: Verdict) -> Choice:
    """What an answer chose among the candidates, for the decomposition."""
    value, cited, parsed, said, _ = answer or UNPARSED
    return decomposition.observe(
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
