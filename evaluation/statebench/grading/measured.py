"""Figures with 95% intervals: a bootstrap over timelines, because queries of one timeline share a story."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from evaluation.core import metric
from evaluation.core.metric import Array, Figures, Grouping, Measured, Metric, Rows
from evaluation.core.statistics import UnitSums
from evaluation.statebench.data.truth import SUPERSEDED
from evaluation.statebench.grading import columns
from evaluation.statebench.grading.columns import Table
from evaluation.statebench.grading.metrics import in_headline
from evaluation.statebench.grading.verdict import Verdict


def figures(metrics: Iterable[Metric], table: Table) -> dict[str, float | None]:
    """The figures of metrics, each over its split of the rows, without intervals."""
    found: dict[str, float | None] = {}
    for mask, group in _by_rows(metrics, table):
        found |= metric.figures(group, columns.chosen(table, mask))
    return found


def measure(metrics: Sequence[Metric], table: Table, units: Array) -> Figures:
    """The figures with intervals, each over the rows of its metric's split, whose timelines are drawn.

    Args:
        metrics: The definitions.
        table: Columns of verdicts, [queries] each.
        units: The number of each query's timeline, [queries].

    Returns:
        {"metrics": …, "intervals": …}
    """
    return _figures(_parts(metrics, table, units))


def measure_with_sums(
    metrics: Sequence[Metric], table: Table, units: Array
) -> tuple[Figures, dict[str, UnitSums]]:
    """The same, and the sums of all timelines of the metrics that apply."""
    sums: dict[str, UnitSums] = {}
    size = int(units.max(initial=-1)) + 1
    parts = _parts(metrics, table, units)
    for _, drawn, measured in parts:
        for name, (labels, by_unit) in measured.sums.items() if measured else ():
            whole = np.zeros((size, *by_unit.shape[1:]))
            whole[drawn] = by_unit
            sums[name] = UnitSums(labels, whole)
    return _figures(parts), sums


#: Some metrics, the numbers of the timelines that are drawn for them, and what was measured; None over no rows.
_Part = tuple[list[Metric], Array, Measured | None]


def _parts(metrics: Sequence[Metric], table: Table, units: Array) -> list[_Part]:
    parts: list[_Part] = []
    for mask, group in _by_rows(metrics, table):
        drawn, codes = np.unique(units[mask], return_inverse=True)
        whole = len(codes) == len(mask)
        rows = table if whole else columns.chosen(table, mask)
        parts.append((group, drawn, _measured(group, rows, codes, len(drawn)) if len(codes) else None))
    return parts


def _figures(parts: Iterable[_Part]) -> Figures:
    found: Figures = {"metrics": {}, "intervals": {}}
    for group, _, measured in parts:
        nothing = {"metrics": {each.name: each.empty for each in group}}
        nothing["intervals"] = dict.fromkeys(each.name for each in group)
        for name, figures in (measured.whole if measured else nothing).items():
            found[name] |= figures
    return found


def _measured(group: Sequence[Metric], table: Table, units: Array, size: int) -> Measured:
    strata = np.zeros(len(units), dtype=np.int64)
    groupings = {name: Grouping([name], strata[:1]) for name in dict.fromkeys(each.split for each in group)}
    return metric.measure(group, [Rows(units, strata, table, group)], size, groupings, bins=size)


def _by_rows(metrics: Iterable[Metric], table: Table) -> list[tuple[Array, list[Metric]]]:
    """The metrics by the rows of their splits, each split of the same rows once."""
    groups: dict[bytes, tuple[Array, list[Metric]]] = {}
    masks: dict[str, Array] = {}
    for each in metrics:
        if each.split not in masks:
            masks[each.split] = columns.split(table, each.split)
        mask = masks[each.split]
        groups.setdefault(mask.tobytes(), (mask, []))[1].append(each)
    return list(groups.values())


def headline_units(rubric: str, verdicts: Sequence[Verdict]) -> dict[str, tuple[float, int]]:
    """Timeline -> (right decisions, queries) of the tracks that the headline counts, for paired tests."""
    sums: dict[str, tuple[float, int]] = {}
    for verdict in _counted(rubric, verdicts):
        right, rows = sums.get(verdict.truth.timeline_id, (0.0, 0))
        sums[verdict.truth.timeline_id] = (right + verdict.correct, rows + 1)
    return sums


def _counted(rubric: str, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts that a rubric's rates are over: all but those of `*_maintain` tracks; under 1.0 all."""
    return [verdict for verdict in verdicts if in_headline(verdict.truth.track, rubric)]


def track_units(verdicts: Sequence[Verdict]) -> dict[tuple[str, ...], dict[str, tuple[float, int]]]:
    """Of every track, timeline -> (right decisions, queries): 0 of 0 for the timelines of other tracks.

    Tracks that the headline leaves out are in it.
    """
    names = dict.fromkeys(verdict.truth.timeline_id for verdict in verdicts)
    found: dict[tuple[str, ...], dict[str, tuple[float, int]]] = {}
    for verdict in verdicts:
        cell = found.setdefault((verdict.truth.track,), dict.fromkeys(names, (0.0, 0)))
        right, rows = cell[verdict.truth.timeline_id]
        cell[verdict.truth.timeline_id] = (right + verdict.correct, rows + 1)
    return found


def spared_units(rubric: str, verdicts: Sequence[Verdict]) -> dict[str, tuple[float, int]]:
    """Timeline -> (queries answered without bringing a superseded fact back, queries that could), for paired tests.

    That is 1 - SFRR where all is answered. What is left out spares nothing: else leaving out would raise a rank.
    """
    sums = dict.fromkeys((verdict.truth.timeline_id for verdict in verdicts), (0.0, 0))
    for verdict in _counted(rubric, verdicts):
        if SUPERSEDED in verdict.constrained:
            spared, rows = sums[verdict.truth.timeline_id]
            kept = verdict.answered and SUPERSEDED not in verdict.kinds
            sums[verdict.truth.timeline_id] = (spared + kept, rows + 1)
    return sums
