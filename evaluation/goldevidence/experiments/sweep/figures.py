"""Pools the metrics of several runs: rates over all rows, with intervals over episodes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from evaluation.core.statistics import Parts, linearized, rate_limits, rates_with_intervals, spread_limits
from evaluation.goldevidence.experiments.sweep_folder import Run

Key = TypeVar("Key", bound=Hashable)


class Figure(NamedTuple):
    """A pooled rate and its 95% interval over episodes. The interval is None for fewer than two episodes."""

    value: float | None
    interval: tuple[float, float] | None = None

    @property
    def text(self) -> str:
        return "–" if self.value is None else f"{self.value:.3f}"

    @property
    def ends(self) -> str:
        return "" if self.interval is None else f"{self.interval[0]:.3f} to {self.interval[1]:.3f}"


def pooled(runs: Iterable[Run], metric: str) -> Figure:
    listed = list(runs)
    # Runs of other programs store no sums: their mean has no interval.
    if not any(run.get("sums") for run in listed):
        values = [value for run in listed if (value := (run.get("metrics") or {}).get(metric)) is not None]
        return Figure(sum(values) / len(values) if values else None)
    if not (added := _added_up(listed, metric)):
        return Figure(None)
    ((value, interval),) = rates_with_intervals([np.array(list(added.values()))])
    return Figure(value, interval)


def spread(groups: Sequence[Iterable[Run]], metric: str) -> Figure:
    """Return the largest difference of a metric of `record.SUMMED` between groups of runs over the same episodes."""
    tables = [added for runs in groups if (added := _added_up(runs, metric))]
    if len(tables) < 2:
        return Figure(None)
    units = list(dict.fromkeys(unit for table in tables for unit in table))
    sums = np.array([[table.get(unit, (0.0, 0.0)) for unit in units] for table in tables])
    strata = np.zeros(len(units), dtype=np.int64)
    rates = sums[..., 0].sum(axis=1) / sums[..., 1].sum(axis=1)
    parts = Parts(*linearized(sums, strata), lambda level: rate_limits(sums, strata, confidence=level))
    low, high = spread_limits([range(len(tables))], parts) if len(units) > 1 else (None, None)
    ends = None if low is None or high is None else (float(low), float(high))
    return Figure(float(rates.max() - rates.min()), ends)


def _added_up(runs: Iterable[Run], metric: str) -> dict[str, tuple[float, float]]:
    """Map each episode to the sum of a metric and its number of rows, added up over the runs."""
    added: dict[str, tuple[float, float]] = {}
    for run in runs:
        place = f"{run['state_mode']}, {run['distractor_profile']}, {run['steps']}"
        for unit, total, rows in (run.get("sums") or {}).get(metric, ()):
            before = added.get(f"{place}: {unit}", (0.0, 0.0))
            added[f"{place}: {unit}"] = (before[0] + total, before[1] + rows)
    return added


def by(runs: Iterable[Run], key: Callable[[Run], Key]) -> dict[Key, list[Run]]:
    """Group runs by the result of `key`, in order of first appearance."""
    groups: dict[Key, list[Run]] = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return groups


def setting(run: Run, name: str) -> Any:
    """Return the value of a setting of the grid, the generator or the condition; None if no setting has that name."""
    condition = (run.get("identity") or {}).get("condition") or {}
    if name in condition:
        return condition[name]
    if name in ("seed", "steps", "state_mode", "distractor_profile", "baseline"):
        return run.get(name)
    return (run.get("config") or {}).get(name)


def differing(runs: Sequence[Run], names: Iterable[str]) -> list[str]:
    return [name for name in names if len({str(setting(run, name)) for run in runs}) > 1]
