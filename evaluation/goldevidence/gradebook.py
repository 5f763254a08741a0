"""The gradebook: takes answers one by one, in any number, and turns them into a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.goldevidence import decomposition, metrics
from evaluation.goldevidence.answers import Answer
from evaluation.goldevidence.buckets import LABELS, bucket
from evaluation.goldevidence.columns import Codes, Columns, IntArray
from evaluation.goldevidence.decomposition import Choice
from evaluation.goldevidence.frozen import CLOSED_BOOK, Case
from evaluation.goldevidence.metrics import Figures, Grouping, Ratio
from evaluation.goldevidence.rubrics import Options
from evaluation.goldevidence.shown import Candidates, Shown
from evaluation.goldevidence.twin_pairs import Pair, TwinPairs, couples
from evaluation.goldevidence.verdicts import NOTHING, Verdict, judge
from evaluation.report import Number, Report

PLACE = ("unit", "stratum", "group", "q_index")  # where a row belongs; its verdict and its pair follow
GROUPINGS = ("state_mode", "distractor_profile", "query_type", *LABELS, "condition")
DECOMPOSED = tuple(name for name in decomposition.METRICS if name != "value_acc")
CONDITION_VALUE_ACC = "condition_value_acc"  # value_acc over condition rows: where the decomposition ends


class Gradebook:
    """Judges cases and keeps a few bytes of each."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self._columns = Columns((*PLACE, *Verdict._fields, *Pair._fields))
        self._choices = Columns(("row", *Choice._fields))
        self._units, self._strata, self._groups = Codes(), Codes(), Codes()
        self._pairs = TwinPairs(options.rules)

    def add(self, case: Case, answer: Answer | None, shown: Shown) -> Verdict:
        """Judge one answer; None is a missing prediction."""
        verdict = judge(case, answer, shown, self.options)
        pair = self._pairs.meet(case, answer, verdict)
        group = -1 if case.twin_group is None else self._groups[case.twin_group, case.condition]
        if isinstance(shown, Candidates):
            self._choices.append((len(self._columns), *_choice(case, answer, shown, verdict)))
        unit, stratum = self._units[case.unit], self._strata[_stratum(case)]
        self._columns.append((unit, stratum, group, case.q_index, *verdict, *pair))
        return verdict

    def report(self, rows: Any) -> Report:
        """The figures of everything added; `rows` are the verdicts that go with them."""
        column = self._columns.arrays()
        column["couple"] = couples(column["group"], column["q_index"])
        scope = Scope(column, self._strata.labels(), covering=self.options.rules.missing_is_wrong)
        found = metrics.measure(self._ratios(column), column["unit"], scope.groupings)
        total = _total(found, scope)
        if self.options.rules.nothing_is_zero and not len(column["exact"]):
            total["metrics"] |= {"value_acc": 0.0, "exact_acc": 0.0}
        return Report(
            metrics=total["metrics"],
            intervals=total["intervals"],
            groups={name: found[name] for name in GROUPINGS if found[name]},
            rows=rows,
            units=self._unit_sums(column, scope.headline),
            settings=self.options.as_dict(),
        )

    def _ratios(self, column: Mapping[str, IntArray]) -> Iterator[tuple[str, Ratio]]:
        """Every metric; those of the decomposition count condition rows only."""
        yield from metrics.ratios(column, self.options.rules)
        if not len(self._choices):
            return
        choices = self._choices.arrays()
        row = choices["row"]
        for name, ratio in decomposition.ratios(choices).items():
            if name in DECOMPOSED:
                numerator, denominator = (np.zeros(len(column["exact"]), dtype=np.int8) for _ in ratio)
                numerator[row], denominator[row] = ratio
                yield name, (numerator, denominator)

    def _unit_sums(
        self, column: Mapping[str, IntArray], headline: NDArray[np.bool_]
    ) -> dict[str, tuple[float, int]]:
        names = [str(name) for name in self._units.labels()]
        unit, exact = column["unit"][headline], column["exact"][headline]
        sums = np.bincount(unit, exact, len(names)).tolist()
        counts = np.bincount(unit, minlength=len(names)).tolist()
        return dict(zip(names, zip(sums, counts, strict=True), strict=True))


class Scope:
    """Which rows count for what.

    A condition without a single prediction is not covered: its figures are not reported, rather than 0.
    Headline figures look at closed-book rows; in a version without any, at all rows.
    """

    def __init__(self, column: Mapping[str, IntArray], strata: list[Any], *, covering: bool) -> None:
        names = {name: position for position, name in enumerate(GROUPINGS)}
        self.groupings: dict[str, Grouping] = {}
        stratum = column["stratum"]
        by_name = {
            name: _grouping([labels[position] for labels in strata], stratum, LABELS.get(name))
            for name, position in names.items()
        }
        condition = by_name["condition"]
        covered = (
            _covered(condition, column["answered"]) if covering else np.ones(len(stratum), dtype=np.bool_)
        )
        closed = np.zeros(len(stratum), dtype=np.bool_)
        if CLOSED_BOOK in condition.labels:
            closed = condition.codes == condition.labels.index(CLOSED_BOOK)
        self.conditional = covered & ~closed
        self.headline = covered & closed if closed.any() else covered
        self.count = int(np.count_nonzero(self.headline if self.headline.any() else covered))
        for name, mask in (
            ("headline", self.headline),
            ("covered", covered),
            ("conditional", self.conditional),
        ):
            self.groupings[name] = Grouping([name], np.where(mask, 0, -1))
        for name, grouping in by_name.items():
            mask = covered if name == "condition" else self.headline
            self.groupings[name] = Grouping(grouping.labels, np.where(mask, grouping.codes, -1))


def _grouping(label_of: list[str], stratum: IntArray, order: list[str] | None) -> Grouping:
    """The grouping of rows by one label of their strata; rows without a label are in no group."""
    labels = [name for name in (order or dict.fromkeys(label_of)) if name and name in label_of]
    codes = np.array([labels.index(name) if name else -1 for name in label_of], dtype=np.int32)
    return Grouping(labels, codes[stratum] if len(codes) else stratum)


def _covered(condition: Grouping, answered: IntArray) -> NDArray[np.bool_]:
    """[rows] whether the condition of a row has a prediction; all rows where no condition has."""
    answers = np.bincount(condition.codes, answered, max(len(condition.labels), 1))
    found: NDArray[np.bool_] = answers[condition.codes] > 0
    return found if found.any() else ~found


def _total(found: Mapping[str, Mapping[str, Figures]], scope: Scope) -> Figures:
    """The figures over all rows: each metric from the rows it is about, None where not applicable."""
    sources = {name: ("headline", name) for name in (*metrics.GRADED, *metrics.DIFFERENCES)}
    sources["authority_violation_rate"] = ("covered", "authority_violation_rate")
    if scope.conditional.any():
        sources |= {name: ("conditional", name) for name in DECOMPOSED}
        sources[CONDITION_VALUE_ACC] = ("conditional", "value_acc")
    values: dict[str, Number] = {"n": scope.count}
    intervals: dict[str, tuple[float, float] | None] = {}
    for name, (grouping, metric) in sources.items():
        figures = found[grouping][grouping]
        values[name] = figures["metrics"].get(metric)
        intervals[name] = figures["intervals"].get(metric)
    return {"metrics": values, "intervals": intervals}


def _stratum(case: Case) -> tuple[str, ...]:
    """The labels of a row in the order of `GROUPINGS`."""
    return (
        case.mode,
        case.profile,
        case.query_type,
        bucket("tokens_since_update", case.tokens),
        bucket("distractors_since_update", case.distractors),
        bucket("writes_to_key", case.writes),
        case.condition,
    )


def _choice(case: Case, answer: Answer | None, shown: Candidates, verdict: Verdict) -> Choice:
    """What an answer chose among the candidates, for the decomposition."""
    value, cited, _ = answer or NOTHING
    return decomposition.observe(
        shown.lines,
        cited,
        value,
        gold=case.gold_ids[0] if case.gold_ids else "",
        present=case.present,
        value_ok=bool(verdict.value_ok),
        direct=case.op is None,
        spoofed=case.spoofed,
    )
