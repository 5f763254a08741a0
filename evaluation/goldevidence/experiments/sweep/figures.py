"""Figures of several runs together: their rows are added up, and intervals are over episodes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from evaluation.core.statistics import Parts, linearized, rate_limits, rates_with_intervals, spread_limits
from evaluation.goldevidence.experiments.sweep_folder import Run

Key = TypeVar("Key", bound=Hashable)


class Figure(NamedTuple):
    """A rate over the rows of some runs, and its 95% interval over episodes; None where there are fewer than two."""

    value: float | None
    interval: tuple[float, float] | None = None

    @property
    def text(self) -> str:
        """With three digits; a dash where nothing is to be seen."""
        return "–" if self.value is None else f"{self.value:.3f}"

    @property
    def ends(self) -> str:
        """The interval in words, empty where there is none."""
        return "" if self.interval is None else f"{self.interval[0]:.3f} to {self.interval[1]:.3f}"


def pooled(runs: Iterable[Run], metric: str) -> Figure:
    """A figure over the rows of runs. Runs of other programs keep no sums: of those it is the mean, without interval.

    Args:
        runs: Of one system.
        metric: A name of `record.SUMMED`.
    """
    listed = list(runs)
    if not any(run.get("sums") for run in listed):
        values = [value for run in listed if (value := (run.get("metrics") or {}).get(metric)) is not None]
        return Figure(sum(values) / len(values) if values else None)
    if not (added := _added_up(listed, metric)):
        return Figure(None)
    ((value, interval),) = rates_with_intervals([np.array(list(added.values()))])
    return Figure(value, interval)


def spread(groups: Sequence[Iterable[Run]], metric: str) -> Figure:
    """How far apart the rates of groups of runs over the same episodes are at most, such as the orders of candidates.

    Args:
        groups: Runs of one system, that differ between the groups in one setting.
        metric: A name of `record.SUMMED`.
    """
    tables = [added for runs in groups if (added := _added_up(runs, metric))]
    if len(tables) < 2:
        return Figure(None)
    units = list(dict.fromkeys(unit for table in tables for unit in table))
    sums = np.array([[table.get(unit, (0.0, 0.0)) for unit in units] for table in tables])
    strata = np.zeros(len(units), dtype=np.int64)
    rates = sums[..., 0].sum(axis=1) / sums[..., 1].sum(axis=1)
    parts = Parts.from_linearized(
        linearized(sums, strata), lambda level: rate_limits(sums, strata, confidence=level)
    )
    low, high = spread_limits([range(len(tables))], parts) if len(units) > 1 else (None, None)
    ends = None if low is None or high is None else (float(low), float(high))
    return Figure(float(rates.max() - rates.min()), ends)


def _added_up(runs: Iterable[Run], metric: str) -> dict[str, tuple[float, float]]:
    """Episode -> (sum, rows) of a figure. An episode that several runs show counts with all its rows."""
    added: dict[str, tuple[float, float]] = {}
    for run in runs:
        place = f"{run['state_mode']}, {run['distractor_profile']}, {run['steps']}"
        for unit, total, rows in (run.get("sums") or {}).get(metric, ()):
            before = added.get(f"{place}: {unit}", (0.0, 0.0))
            added[f"{place}: {unit}"] = (before[0] + total, before[1] + rows)
    return added


def by(runs: Iterable[Run], key: Callable[[Run], Key]) -> dict[Key, list[Run]]:
    """Runs in groups, in the order of first appearance.

    Args:
        runs: Those of a sweep.
        key: From a run to what is the same in a group.
    """
    groups: dict[Key, list[Run]] = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return groups


def setting(run: Run, name: str) -> Any:
    """What a run says of a setting; None where it has none of that name.

    Args:
        run: Ours, or one of the reference.
        name: Of the grid, of the generator, or of its condition.
    """
    condition = (run.get("identity") or {}).get("condition") or {}
    if name in condition:
        return condition[name]
    if name in ("seed", "steps", "state_mode", "distractor_profile", "baseline"):
        return run.get(name)
    return (run.get("config") or {}).get(name)


def differing(runs: Sequence[Run], names: Iterable[str]) -> list[str]:
    """Those of some settings in which runs differ.

    Args:
        runs: Those of a sweep.
        names: The settings that are looked at.
    """
    return [name for name in names if len({str(setting(run, name)) for run in runs}) > 1]
