"""Metrics as pages show them. Sealed versions round metrics, and hide metrics that cover few rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.core.sealing.rounding import LEAST_ROWS, own_step, rounded_interval, rounded_number
from leaderboard.benchmarks.models import Version

Ends = tuple[float, float] | None


class Shown(NamedTuple):
    """A metric with its interval, as a version shows it."""

    value: float | None
    interval: Ends


NOTHING = Shown(None, None)


def step_of(version: Version, rows: float | None, ends: Sequence[float] | None) -> float:
    """Rounding step of a metric, given its number of rows and its exact interval; 0 if it is shown exactly."""
    if not version.shown_step:
        return 0.0
    units = version.drawn.units
    return own_step(units, rows, ends, at_least=version.shown_step)


def figure(version: Version, value: float | None, ends: Sequence[float] | None, rows: float | None) -> Shown:
    """Prepare a metric for pages. If the version is sealed, the metric is rounded, and its interval rounded outward.

    A sealed version hides a metric of fewer than `LEAST_ROWS` rows, and a metric without known rows and interval.
    If only the number of rows is unknown, the interval determines the rounding step.
    """
    if value is None or not version.shown_step:
        return Shown(value, (ends[0], ends[1]) if ends else None)
    if is_of_few(version, rows) or (rows is None and not ends):
        return NOTHING
    return on_own_grid(version, value, ends, rows)


def on_own_grid(version: Version, value: float, ends: Sequence[float] | None, rows: float | None) -> Shown:
    """As `figure`, but a metric of few rows is not hidden. Used for the headline of a sealed version."""
    step = step_of(version, rows, ends)
    return Shown(
        rounded_number(float(value), step), rounded_interval(ends[0], ends[1], step) if ends else None
    )


def is_of_few(version: Version, rows: float | None) -> bool:
    """True if the version hides a metric of this number of rows, because it is below `LEAST_ROWS`."""
    return bool(version.shown_step) and rows is not None and rows < LEAST_ROWS


def count(version: Version, number: int) -> int:
    """Round a number of rows to the version's rounding step. The public row counts of the version are not rounded."""
    if not version.shown_step or number in _public_counts(version):
        return number
    of_rows = max(1, round(version.shown_step * version.row_count))
    return round(number / of_rows) * of_rows


def _public_counts(version: Version) -> set[int]:
    counted = (
        rows for name, rows in version.conditions.items() if version.bound.counts_toward_headline(name)
    )
    return {version.row_count, sum(counted), *version.conditions.values()}
