"""Base class of versions with one question per row, which only define their rows and how to judge one answer.

A row is `{"id", "unit", "split", <texts>, "gold"}`, a grading record `{"unit", "rows": [[id, split, gold]]}`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, NotRequired, cast

import numpy as np

from evaluation.core.errors import RowError
from evaluation.core.files.version_files import AnswerForm, open_version_files
from evaluation.core.measure import Grouping, Rows, measure
from evaluation.core.metric import Array, Columns, Metric, RowFigures, row_figures
from evaluation.core.records import GradingRecord, JsonObject, PlainRecord, Prediction, Row, Verdict
from evaluation.core.report import Report
from evaluation.core.row_states import REASONS, given_state
from evaluation.core.suite.parts import Facet, Item
from evaluation.core.suite.version import SuiteVersion

#: Fields of a verdict that are not figures.
_WORDS = frozenset({"id", "unit", "condition", "failure", "reason", "gold", "value"})


class PlainRow(Row):
    """A row with its gold and the suite's texts."""

    unit: str
    split: str
    gold: Any


class PlainVerdict(Verdict):
    """The verdict on a row. Each further key has a number or None, and can be read by metrics."""

    answered: bool
    value: NotRequired[Any]
    gold: NotRequired[Any]


class PlainVersion(SuiteVersion):
    """A version that only defines its rows (`rows`) and how to judge one answer (`judge`)."""

    rates: Sequence[Metric]  # the definitions, the headline first
    facet = ""  # name of the grouping by split; empty: none

    @abstractmethod
    def rows(self) -> Iterator[JsonObject]:
        """Yield the rows with gold, rows of a unit adjacent. Same settings, same rows, on every machine."""

    @abstractmethod
    def judge(self, gold: Any, prediction: Prediction | None) -> Mapping[str, object]:
        """Judge a line of a predictions file. `prediction` is None for a row without an answer.

        Returns a number under every name that a metric reads, or None if the metric does not count the row. A wrong
        answer is explained under `failure` (a code) and `reason` (a sentence).
        """

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {metric.name: metric for metric in self.rates}

    def generate(self) -> Iterator[Item]:
        yield from _items(cast(Iterator[PlainRow], self.rows()))

    def items_from_rows(self, rows: Iterable[Row]) -> Iterator[Item]:
        """Yield the items of rows with gold. Raises RowError for a row that lacks a field."""
        yield from _items(_checked(cast(Iterable[PlainRow], rows)))

    def grade(self, records: Iterable[GradingRecord], predictions: Iterable[Prediction]) -> Report:
        plain = cast(Iterable[PlainRecord], records)
        files = open_version_files(plain, predictions, form=AnswerForm(self.suite.row_id, dict))
        verdicts = [
            self._verdict(row, unit, answer)
            for (row, unit), answer in files.graded(
                lambda record: ((row[0], (row, str(record["unit"]))) for row in record["rows"])
            )
        ]
        name = self.headline().name
        rates = [
            each if each.headline == (each.name == name) else replace(each, headline=each.name == name)
            for each in self.rates
        ]
        return graded(rates, verdicts, settings={"grader": self.grader}, facet=self.facet)

    def _verdict(self, row: Sequence[Any], unit: str, prediction: Prediction | None) -> PlainVerdict:
        row_id, split, gold = row
        state = given_state(prediction) if prediction else None
        verdict: dict[str, object] = {
            "id": row_id,
            "unit": unit,
            "condition": split,
            "failure": None,
            "reason": None,
        }
        verdict["answered"] = prediction is not None
        if prediction is None or state:
            why = REASONS[state] if state else "There is no answer."
            failure = {"failure": state.value if state else "no_answer", "reason": why}
            verdict |= {**self.judge(gold, None), **failure}
        else:
            verdict |= {"value": prediction.get("value"), **self.judge(gold, prediction)}
        return cast(PlainVerdict, verdict | {"gold": gold})

    def facets(self, splits: Collection[str]) -> list[Facet]:
        """The facet that divides the rows by split, in a list. The list is empty if the version names no `facet`."""
        names, noun = list(splits), self.suite.display.splits.noun
        choices = (
            tuple((name, name.replace("_", " ").capitalize()) for name in names) if len(names) > 1 else ()
        )
        return [Facet(self.facet, noun.capitalize(), f"All {noun}s", choices)] if self.facet else []


def _checked(rows: Iterable[PlainRow]) -> Iterator[PlainRow]:
    for number, row in enumerate(rows, 1):
        lacking = [name for name in ("id", "unit", "split", "gold") if name not in row]
        if lacking:
            raise RowError(f"the row has no {', '.join(map(repr, lacking))}", line=number)
        yield row


def _items(rows: Iterable[PlainRow]) -> Iterator[Item]:
    for unit, group in groupby(rows, lambda row: str(row["unit"])):
        members = list(group)
        gold = PlainRecord(unit=unit, rows=[[row["id"], row["split"], row["gold"]] for row in members])
        yield Item(unit, members, gold)


def graded(
    metrics: Sequence[Metric],
    verdicts: Sequence[PlainVerdict],
    *,
    settings: Mapping[str, object],
    facet: str = "",
) -> Report:
    """Compute the report from the verdicts on all rows, including the verdicts on unanswered rows.

    Args:
        metrics: The definitions; the metric with `headline` defines "correct".
        verdicts: One for each row: `id`, `unit`, `condition` (its split), `answered`, and a number or None under every
            name that a metric reads.
        facet: Name of the grouping by split; empty for no grouping. A split without answered rows is not a group.
    """
    columns = _columns(verdicts)
    headline = next(metric for metric in metrics if metric.headline)
    names = list(dict.fromkeys(str(verdict["unit"]) for verdict in verdicts))
    numbers = {name: number for number, name in enumerate(names)}
    units = np.array([numbers[str(verdict["unit"])] for verdict in verdicts], dtype=np.int64)
    places = np.arange(len(verdicts))
    by_split = _by_split(verdicts)
    groupings = {
        split: Grouping([split], np.zeros_like(places)) for split in {each.split for each in metrics}
    }
    measured = measure(
        metrics,
        [Rows(units, places, columns, metrics)],
        len(names),
        groupings | ({facet: by_split} if facet else {}),
    )
    values = row_figures(headline, columns)
    sums = measured.sums[headline.name].sums[:, 0, :] if headline.name in measured.sums else np.zeros((0, 2))
    return Report(
        metrics=measured.whole["metrics"],
        intervals=measured.whole["intervals"],
        groups={facet: measured.groups.get(facet, {})} if facet else {},
        rows=[_row(verdict, value) for verdict, value in zip(verdicts, values.tolist(), strict=True)],
        units={
            name: (float(total), int(rows)) for name, (total, rows) in zip(names, sums.tolist(), strict=False)
        },
        cells=_cells(by_split, values, units, names) if facet else {},
        settings=settings,
        unit_names=names,
        sums=measured.sums,
        group_rows={facet: measured.weights.get(facet, {})} if facet else {},
        row_figures=RowFigures((metrics, columns)),
    )


def _columns(verdicts: Sequence[PlainVerdict]) -> Columns:
    """Columns of the verdicts, [rows] each; None becomes 0, as rows that are not counted may have any value."""
    names = dict.fromkeys(name for verdict in verdicts for name in verdict if name not in _WORDS)
    return {
        name: np.array([_number(verdict.get(name)) for verdict in verdicts], dtype=np.float64)
        for name in names
    }


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (bool, int, float)) else 0.0


def _by_split(verdicts: Sequence[PlainVerdict]) -> Grouping:
    answered = {str(verdict["condition"]) for verdict in verdicts if verdict["answered"]}
    labels = [
        split for split in dict.fromkeys(str(each["condition"]) for each in verdicts) if split in answered
    ]
    codes = {label: code for code, label in enumerate(labels)}
    return Grouping(labels, np.array([codes.get(str(each["condition"]), -1) for each in verdicts]))


def _row(verdict: PlainVerdict, value: float) -> PlainVerdict:
    return verdict | {"correct": None if np.isnan(value) else int(value)}


def _cells(
    by_split: Grouping, values: Array, units: Array, names: Sequence[str]
) -> dict[tuple[str, ...], dict[str, tuple[float, int]]]:
    """Sums of the headline metric: (split,) -> unit -> (sum, number of rows)."""
    cells: dict[tuple[str, ...], dict[str, tuple[float, int]]] = {}
    for code, label in enumerate(by_split.labels):
        counted = (by_split.codes == code) & ~np.isnan(values)
        totals = np.bincount(units[counted], values[counted], len(names))
        rows = np.bincount(units[counted], minlength=len(names))
        pairs = zip(names, totals.tolist(), rows.tolist(), strict=True)
        cells[(label,)] = {name: (total, count) for name, total, count in pairs}
    return cells
