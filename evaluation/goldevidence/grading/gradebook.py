"""The gradebook: takes any number of answers one by one, and turns them into a report."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.core import metric
from evaluation.core.measure import Grouping, Measured, Rows, measure
from evaluation.core.metric import Metric, RowFigures
from evaluation.core.records import Figures, Number
from evaluation.core.report import Report
from evaluation.goldevidence.data.answers import UNPARSED, Answer
from evaluation.goldevidence.data.case import CLOSED_BOOK, Case
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.data.shown import Candidates, Shown
from evaluation.goldevidence.grading.choices import NOT_SAID, Choice, OwnChoice, observe, own_choice
from evaluation.goldevidence.grading.columns import Codes, Columns, IntArray, blocks
from evaluation.goldevidence.grading.metrics import METRICS, OWN
from evaluation.goldevidence.grading.robustness import in_all_orders
from evaluation.goldevidence.grading.scope import GROUPINGS, Cell, Scope, Stratum, stratum_of
from evaluation.goldevidence.grading.twin_pairs import NO_PAIR, Pair, TwinPairs, couples
from evaluation.goldevidence.grading.verdicts import Verdict, judge
from evaluation.goldevidence.records import EpisodeVerdict

UnitSums = dict[str, tuple[float, int]]  # unit -> (exact, rows)
Value = TypeVar("Value")
#: Columns that identify a row. `side` is an index of `SIDES`.
PLACE = ("unit", "stratum", "group", "q_index", "side")
PERMUTATION = ("permutation", "answer")  # -1: no permutation or no answer
SIDES = ("", "with", "without")  # of a pair of rows with and without the instructions
BLOCK = 8192  # rows per computation of metrics
NO_PERMUTATION = (-1, -1)
CHOSEN = tuple(name for name in Choice._fields if name != "value_ok")  # the verdict has value_ok
NO_CHOICE = (-1,) * len(CHOSEN)
OWN_NAMES = frozenset(metric.name for metric in OWN)


class Gradebook:
    """Judges answers one by one, keeping a few bytes of each."""

    def __init__(
        self, options: Options, *, also: Sequence[Metric] = (), of_candidates: Metric | None = None
    ) -> None:
        """`also` are metrics in addition to those of the rubric.

        `of_candidates` is the metric in `Report.cells` for rows with candidates. None means exact accuracy.
        """
        self.options = options
        self._of_candidates = of_candidates
        self._metrics = (*METRICS[options.rubric], *also)
        self._columns = Columns(PLACE, PERMUTATION, Verdict._fields, Pair._fields, CHOSEN, OwnChoice._fields)
        self._units: Codes[str] = Codes()
        self._strata: Codes[Stratum] = Codes()
        self._groups: Codes[tuple[str, str]] = Codes()
        self._permutations: Codes[tuple[str, str]] = Codes()
        self._answers: Codes[tuple[str | None, str | None]] = Codes()
        self._pairs = TwinPairs(options.rules)

    def add(self, case: Case, answer: Answer | None, shown: Shown) -> Verdict:
        """Judge one answer. `answer` is None for a missing prediction."""
        verdict = judge(case, answer, shown, self.options)
        group, pair, twins = -1, NO_PAIR, case.twin_group
        if twins is not None:
            group, pair = self._groups[twins, case.condition], self._pairs.meet(case, answer, verdict)
        unit, stratum = self._units[case.unit], self._strata[stratum_of(case, shown)]
        chosen, own, whole_book = NO_CHOICE, NOT_SAID, not isinstance(shown, Candidates)
        if isinstance(shown, Candidates):
            choice = _choice(case, answer, shown, verdict)
            chosen = (choice.present, *choice[2:])
        if answer is not None and answer.shown is not None:
            own = own_choice(case, answer, whole_book=whole_book)
        place = unit, stratum, group, case.q_index, SIDES.index(case.instruction_pair)
        permuted = self._permuted(case, answer, verdict) if case.permutation else NO_PERMUTATION
        self._columns.append(place, permuted, verdict, pair, chosen, own)
        return verdict

    def _permuted(self, case: Case, answer: Answer | None, verdict: Verdict) -> tuple[int, int]:
        permutation = self._permutations[case.unit, case.permutation]
        if answer is None or not verdict.answered:
            return permutation, -1
        cited = answer.cited[0] if verdict.required and answer.cited else None
        value = answer.value
        if (before := case.before) is not None:
            value, cited = value and before.answer_before(value, case.op), cited and before.uid_before(cited)
        return permutation, self._answers[value, cited]

    def report(self, rows: Sequence[EpisodeVerdict] | None) -> Report:
        """Report on all answers added. `rows` are their verdicts. If None, the report has no verdicts and groups."""
        column = self._columns.arrays()
        column["couple"] = couples(column["group"], column["q_index"])
        paired = np.where(column["side"] > 0, column["unit"], -1)
        column["matched"] = couples(paired, column["q_index"]) * column["side"]
        strata = self._strata.labels()
        received = np.bincount(column["stratum"], column["received"], len(strata))
        scope = Scope(strata, received, covering=self.options.rules.missing_is_wrong)
        column |= in_all_orders(column, scope.covered[column["stratum"]])
        left_out = self._left_out(column, scope)
        known = [each for each in self._metrics if each.name not in left_out & OWN_NAMES]
        metrics = known if (column["present"] >= 0).any() else [m for m in known if m.name not in left_out]
        measured = measure(
            metrics,
            (Rows(block["unit"], block["stratum"], block, metrics) for block in blocks(column, BLOCK)),
            len(self._units),
            _needed(scope.groupings, metrics) if rows is None else scope.groupings,
            unit_strata=_modes(column, strata, len(self._units)),
        )
        if self.options.rules.nothing_is_zero and not len(self._columns):
            measured.whole["metrics"] |= {"value_acc": 0.0, "exact_acc": 0.0}
        values: dict[str, Number] = {
            "n": measured.rows["headline"]["headline"] or measured.rows["covered"]["covered"]
        }
        values |= _without(measured.whole["metrics"], left_out)
        values |= {} if left_out >= OWN_NAMES else _own_counts(column, scope.headline[column["stratum"]])
        values["covered_rows"] = int(scope.covered[column["stratum"]].sum())
        values["note_rows"] = int((scope.covered & scope.noted)[column["stratum"]].sum())
        report = Report(
            metrics=values,
            intervals=_without(measured.whole["intervals"], left_out),
            units=self._added_up(
                column["unit"],
                column["exact"],
                np.ones_like(column["exact"]),
                scope.headline[column["stratum"]],
            ),
            cells=self._cells(column, scope),
            settings=self.options.as_dict(),
            unit_names=self._units.labels(),
            sums=measured.sums,
            row_figures=RowFigures((known, column)),
        )
        if rows is not None:
            report.rows = rows
            report.groups = {
                name: _with_rows(measured, name) for name in GROUPINGS if measured.groups.get(name)
            }
            report.group_rows = {name: of for name, of in measured.weights.items() if name in GROUPINGS}
        return report

    def _left_out(self, column: Mapping[str, IntArray], scope: Scope) -> set[str]:
        left_out = set()
        if not scope.conditional.any():
            left_out |= {
                each.name for each in self._metrics if each.split == "conditional" and not each.grouping
            }
        if not any((column[name] >= 0).any() for name in OwnChoice._fields):
            left_out |= OWN_NAMES
        return left_out

    def _cells(self, column: Mapping[str, IntArray], scope: Scope) -> dict[Cell, UnitSums]:
        exact = column["exact"], np.ones_like(column["exact"])
        shown = exact if self._of_candidates is None else metric.Evaluated(column).sides(self._of_candidates)
        cells = {}
        for cell, strata in scope.cells.items():
            values, weights = exact if cell[1] == CLOSED_BOOK else shown
            cells[cell] = self._added_up(column["unit"], values, weights, strata[column["stratum"]])
        return cells

    def _added_up(
        self, units: IntArray, values: NDArray[Any], weights: NDArray[Any], rows: NDArray[np.bool_]
    ) -> UnitSums:
        names = self._units.labels()
        sums = np.bincount(units[rows], values[rows], len(names)).tolist()
        counts = np.bincount(units[rows], weights[rows], len(names)).astype(np.int64).tolist()
        return dict(zip(names, zip(sums, counts, strict=True), strict=True))


def _without(figures: Mapping[str, Value], left_out: Container[str]) -> dict[str, Value]:
    return {name: value for name, value in figures.items() if name not in left_out}


def _own_counts(column: Mapping[str, IntArray], headline: NDArray[np.bool_]) -> dict[str, Number]:
    rank = column["own_rank"][headline]
    shown = rank[rank > 0]
    median = float(np.median(shown)) if len(shown) else None
    return {"own_rows": int((rank >= 0).sum()), "own_gold_rank_median": median}


def _modes(column: Mapping[str, IntArray], strata: Sequence[Stratum], units: int) -> IntArray:
    """The bootstrap stratum of each unit, [units]: mode and family, because a version fixes their numbers of units."""
    mode, family = GROUPINGS.index("state_mode"), GROUPINGS.index("family")
    names = [(labels[mode], labels[family]) for labels in strata]
    number = {name: code for code, name in enumerate(dict.fromkeys(names))}
    modes = np.zeros(units, dtype=np.int64)
    modes[column["unit"]] = np.array([number[name] for name in names], dtype=np.int64)[column["stratum"]]
    return modes


def _needed(groupings: Mapping[str, Grouping], metrics: Iterable[Metric]) -> dict[str, Grouping]:
    names = {"headline", "covered"}.union(*({metric.split, metric.grouping} for metric in metrics))
    return {name: grouping for name, grouping in groupings.items() if name in names}


def _with_rows(measured: Measured, grouping: str) -> dict[str, Figures]:
    groups = measured.groups[grouping]
    for label, rows in measured.rows[grouping].items():
        if rows:
            groups[label]["metrics"] = {"n": rows, **groups[label]["metrics"]}
    return groups


def _choice(case: Case, answer: Answer | None, shown: Candidates, verdict: Verdict) -> Choice:
    value, cited, parsed, selected, state, _ = answer or UNPARSED
    return observe(
        shown.lines,
        cited,
        value,
        gold=case.gold_ids[0] if case.gold_ids else "",
        present=case.present,
        value_ok=bool(verdict.value_ok),
        direct=case.op is None,
        spoofed=case.spoofed,
        selected_uid=selected,
        parsed=parsed,
        citing=bool(verdict.required) and state is None,
    )
