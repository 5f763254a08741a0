"""Figures as a version shows them: while its answers are kept, each rounded by its own rows, and none over few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.core.sealing.rounding import LEAST_ROWS, own_step, rounded_interval, rounded_number
from leaderboard.benchmarks.models import Version

Ends = tuple[float, float] | None


class Shown(NamedTuple):
    """A figure with its interval, as a version shows it."""

    value: float | None
    interval: Ends


NOTHING = Shown(None, None)


def step_of(version: Version, rows: float | None, ends: Sequence[float] | None) -> float:
    """The step of a figure; 0 where the version shows exact ones.

    Args:
        version: Whose figure it is.
        rows: How many rows it is over; None where that is not known.
        ends: Its exact interval; None without one.
    """
    if not version.shown_step:
        return 0.0
    units = version.drawn.units
    return own_step(units, rows, ends, at_least=version.shown_step)


def figure(version: Version, value: float | None, ends: Sequence[float] | None, rows: float | None) -> Shown:
    """A figure as a version shows it.

    Args:
        version: Whose figure it is.
        value: As it was computed; None is not reported.
        ends: Its interval; None without one.
        rows: How many rows it is over; None where that is not known: then its interval has to say how wide it is.

    Returns:
        The figure itself where answers are not kept. Else the nearest multiple of its step with its interval rounded
        outward; nothing of a figure over fewer rows than `LEAST_ROWS`, or of which neither rows nor interval are known.
    """
    if value is None or not version.shown_step:
        return Shown(value, (ends[0], ends[1]) if ends else None)
    if is_of_few(version, rows) or (rows is None and not ends):
        return NOTHING
    return on_own_grid(version, value, ends, rows)


def on_own_grid(version: Version, value: float, ends: Sequence[float] | None, rows: float | None) -> Shown:
    """The same of a figure that is shown over however few rows, such as the headline.

    Args:
        version: Whose figure it is, and whose answers are kept.
        value: As it was computed.
        ends: Its interval; None without one.
        rows: How many rows it is over; None where that is not known.
    """
    step = step_of(version, rows, ends)
    return Shown(
        rounded_number(float(value), step), rounded_interval(ends[0], ends[1], step) if ends else None
    )


def is_of_few(version: Version, rows: float | None) -> bool:
    """Whether a version shows no figure over so many rows.

    Args:
        version: Whose figure it is.
        rows: How many rows the figure is over; None where that is not known.
    """
    return bool(version.shown_step) and rows is not None and rows < LEAST_ROWS


def count(version: Version, number: int) -> int:
    """A count of rows, or of what else rows ask, as a version shows it: to the step of its share of all rows.

    Args:
        version: Whose rows they are.
        number: The exact count. That of all rows, of a split or of the headline's rows is no secret, and stays.
    """
    if not version.shown_step or number in _public_counts(version):
        return number
    of_rows = max(1, round(version.shown_step * version.row_count))
    return round(number / of_rows) * of_rows


def _public_counts(version: Version) -> set[int]:
    """The counts of rows that the page of a version says."""
    counted = (
        rows for name, rows in version.conditions.items() if version.bound.counts_toward_headline(name)
    )
    return {version.row_count, sum(counted), *version.conditions.values()}
