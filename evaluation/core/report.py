"""The result of grading, the same type for every suite."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.core.files.lazy import LazySequence
from evaluation.core.records import Figures, Interval, Number, Verdict
from evaluation.core.statistics import VERSION, FloatArray, UnitSums

AnyVerdict = TypeVar("AnyVerdict", bound=Verdict)
Join = Callable[[AnyVerdict, dict[str, float]], AnyVerdict]
_BLOCK = 4096  # verdicts joined with figures at a time


@dataclass(slots=True)
class Report:
    """Metrics and verdicts of one predictions file.

    `metrics`    name -> number, None (not 0) if not applicable.
    `intervals`  name -> (low, high), the 95% interval over units; one-sided at 0 and 1, None if not applicable.
    `groups`     grouping -> group -> {"metrics": …, "intervals": …}; e.g. groups["state_mode"]["kv"].
    `rows`       one verdict for each benchmark row, in data order.
    `units`      unit -> (sum, rows) of the headline metric, in data order, for paired tests between systems.
    `cells`      parts -> a mapping like `units`, over the rows that are in all these parts. The key is one part of each
                 facet (a division of the rows), in the suite's order. Keys without answers are missing.
    `robustness` like `units`, for the metric `SuiteVersion.tie_breaker`; empty if the version has no tie breaker.
    `unit_names` all units, in data order.
    `sums`       metric -> sums by unit, over `unit_names`, for paired tests; only applicable metrics.
    `group_rows` grouping -> group -> metric -> its denominator; for a metric of several rates the smallest denominator.
    `row_figures` metric -> the metric of each row [rows], in the order of `rows`; NaN if a row is not counted.
    `settings`   the grader's settings (rubric, revision, options), so that a result can be repeated.
    `statistics` version of the interval formulas (`evaluation.core.statistics.VERSION`).
    """

    metrics: dict[str, Number]
    intervals: dict[str, Interval | None] = field(default_factory=dict)
    groups: dict[str, dict[str, Figures]] = field(default_factory=dict)
    rows: Sequence[Verdict] = field(default_factory=list)
    units: dict[str, tuple[float, int]] = field(default_factory=dict)
    cells: dict[tuple[str, ...], dict[str, tuple[float, int]]] = field(default_factory=dict)
    robustness: dict[str, tuple[float, int]] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    unit_names: Sequence[str] = field(default_factory=list)
    sums: Mapping[str, UnitSums] = field(default_factory=dict, compare=False)
    group_rows: Mapping[str, Mapping[str, Mapping[str, float]]] = field(
        default_factory=dict, compare=False, repr=False
    )
    row_figures: Mapping[str, FloatArray] = field(default_factory=dict, compare=False, repr=False)
    statistics: int = VERSION

    def as_dict(self, *, rows: bool = True) -> dict[str, object]:
        """The report as JSON data, in the format of `--results-json`. `rows` includes the verdicts."""
        data: dict[str, object] = {
            "settings": dict(self.settings),
            "statistics": self.statistics,
            "metrics": self.metrics,
            "intervals": self.intervals,
            "groups": self.groups,
        }
        return data | {"rows": list(self.rows)} if rows else data


class FiguredRows(LazySequence[AnyVerdict]):
    def __init__(
        self, rows: Sequence[AnyVerdict], figures: Mapping[str, FloatArray], join: Join[AnyVerdict]
    ) -> None:
        """`figures`: metric -> value of each row, NaN if not counted. `join` adds the values to a verdict on access."""
        self._rows, self._join = rows, join
        self._figures = {name: _narrow(array) for name, array in figures.items()}

    def __len__(self) -> int:
        return len(self._rows)

    def _at(self, place: int) -> AnyVerdict:
        return self._joined(self._rows[place], [array[place].item() for array in self._figures.values()])

    def __iter__(self) -> Iterator[AnyVerdict]:
        for start in range(0, len(self), _BLOCK):
            block = slice(start, start + _BLOCK)
            columns = [array[block].tolist() for array in self._figures.values()]
            yield from map(self._joined, self._rows[block], zip(*columns, strict=True))

    def _joined(self, row: AnyVerdict, values: Iterable[float]) -> AnyVerdict:
        named = zip(self._figures, values, strict=True)
        return self._join(row, {name: value for name, value in named if not math.isnan(value)})


def _narrow(array: FloatArray) -> NDArray[Any]:
    """Convert an array to float32, to halve its memory. If a value would change, return the array unchanged."""
    narrow = array.astype(np.float32)
    return narrow if np.array_equal(narrow, array, equal_nan=True) else array
