"""Computes metrics with 95% intervals over templates, because timelines of one template differ only in names.

Tracks are strata. Tracks of a single template are combined, as their variance cannot be estimated
(`evaluation.core.statistics.design.collapsed_strata`). Intervals generalise to other templates of these tracks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from evaluation.core import measure as measuring
from evaluation.core import metric
from evaluation.core.measure import Grouping, Measured, Rows
from evaluation.core.metric import Array, Metric
from evaluation.core.records import Figures
from evaluation.core.statistics import UnitSums
from evaluation.statebench.grading import columns
from evaluation.statebench.grading.columns import Table
from evaluation.statebench.grading.metrics import in_headline
from evaluation.statebench.grading.verdict import Verdict

#: Prior correlation of the queries of a template. Systems without a model show .76 to 1 over generated timelines of a
#: track, and .53 to .90 over those of the published release (one-way analysis of variance; docs/statistics.md).
ICC_OF_COPIES = 0.8


def figures(metrics: Iterable[Metric], table: Table) -> dict[str, float | None]:
    """Return the value of each metric over its split, without intervals. If no row counts, it is `Metric.empty`.

    Args:
        table: Columns of verdicts, [queries] each.
    """
    values: dict[str, float | None] = {}
    for mask, group in _by_rows(metrics, table):
        values |= metric.figures(group, columns.chosen(table, mask))
    return values


class Templates(NamedTuple):
    codes: Array  # [queries], template of each query
    tracks: Array  # [templates], track of each template


def measure_with_sums(
    metrics: Sequence[Metric], table: Table, units: Templates
) -> tuple[Figures, dict[str, UnitSums]]:
    """Measure each metric over its split.

    Returns the values and intervals by name, and the sums of each metric per template for paired tests.

    Args:
        table: Columns of verdicts, [queries] each.
    """
    sums: dict[str, UnitSums] = {}
    parts = _parts(metrics, table, units)
    for _, known, measured in parts:
        for name, of_metric in measured.sums.items() if measured else ():
            whole = np.zeros((len(units.tracks), *of_metric.sums.shape[1:]))
            whole[known] = of_metric.sums
            sums[name] = UnitSums(of_metric.parts, whole, units.tracks)
    return _figures(parts), sums


#: (metrics, indices of their templates, measurement or None without rows)
_Part = tuple[list[Metric], Array, Measured | None]


def _parts(metrics: Sequence[Metric], table: Table, units: Templates) -> list[_Part]:
    parts: list[_Part] = []
    for mask, group in _by_rows(metrics, table):
        known, codes = np.unique(units.codes[mask], return_inverse=True)
        whole = len(codes) == len(mask)
        rows = table if whole else columns.chosen(table, mask)
        templates = Templates(codes, units.tracks[known])
        parts.append((group, known, _measured(group, rows, templates) if len(codes) else None))
    return parts


def _figures(parts: Iterable[_Part]) -> Figures:
    merged: Figures = {"metrics": {}, "intervals": {}}
    for group, _, measured in parts:
        nothing: Figures = {
            "metrics": {each.name: each.empty for each in group},
            "intervals": {each.name: None for each in group},
        }
        figures = measured.whole if measured else nothing
        merged["metrics"] |= figures["metrics"]
        merged["intervals"] |= figures["intervals"]
    return merged


def _measured(group: Sequence[Metric], table: Table, units: Templates) -> Measured:
    strata, size = np.zeros(len(units.codes), dtype=np.int64), len(units.tracks)
    groupings = {name: Grouping([name], strata[:1]) for name in dict.fromkeys(each.split for each in group)}
    rows = [Rows(units.codes, strata, table, group)]
    return measuring.measure(
        group, rows, size, groupings, unit_strata=units.tracks, bins=size, unit_icc=ICC_OF_COPIES
    )


def _by_rows(metrics: Iterable[Metric], table: Table) -> list[tuple[Array, list[Metric]]]:
    groups: dict[bytes, tuple[Array, list[Metric]]] = {}
    masks: dict[str, Array] = {}
    for each in metrics:
        if each.split not in masks:
            masks[each.split] = columns.split(table, each.split)
        mask = masks[each.split]
        groups.setdefault(mask.tobytes(), (mask, []))[1].append(each)
    return list(groups.values())


def headline_units(rubric: str, verdicts: Sequence[Verdict]) -> dict[str, tuple[float, int]]:
    """Return (right decisions, queries) per template for paired tests, (0, 0) if the track is not in the headline."""
    sums: dict[str, tuple[float, int]] = dict.fromkeys((verdict.truth.unit for verdict in verdicts), (0.0, 0))
    for verdict in verdicts:
        if in_headline(verdict.truth.track, rubric):
            right, rows = sums[verdict.truth.unit]
            sums[verdict.truth.unit] = (right + verdict.correct, rows + 1)
    return sums


def cell_units(verdicts: Sequence[Verdict]) -> dict[tuple[str, ...], dict[str, tuple[float, int]]]:
    """Return (right decisions, queries) per template, for each combination of facet values (`Truth.parts`).

    Every combination has all templates; without a query, a template has (0, 0).
    """
    names = dict.fromkeys(verdict.truth.unit for verdict in verdicts)
    cells: dict[tuple[str, ...], dict[str, tuple[float, int]]] = {}
    for verdict in verdicts:
        parts = verdict.truth.parts
        if (cell := cells.get(parts)) is None:
            cell = cells[parts] = dict.fromkeys(names, (0.0, 0))
        right, rows = cell[verdict.truth.unit]
        cell[verdict.truth.unit] = (right + verdict.correct, rows + 1)
    return cells
