"""Mean scores of several repeats over the same rows.

Repeats are first averaged within each unit, so that ranks and paired comparisons read a mean like any other score.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.core.metric import Metric
from evaluation.core.records import Figures, Number
from evaluation.core.statistics import UnitSums, mean_of_repeats, repeated_rate, run_variance, widened
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Score
from leaderboard.submissions.models.score import ScoreColumns
from leaderboard.submissions.scores import score_sums
from leaderboard.submissions.scores.score_tables import Ends, Groups, Interval


def mean_fields(version: Version, scores: Sequence[Score]) -> ScoreColumns:
    """Return the stored values of the mean of scores by one grader, but not its headline, gates and order bias."""
    sums = _mean_sums([score_sums.read(bytes(score.metric_sums)) for score in scores])
    figures = _figures([{"metrics": s.metrics, "intervals": s.intervals} for s in scores])
    rates = _rates(version, scores)
    names = _shared([score.cells for score in scores])
    return {
        "metrics": figures["metrics"] | {name: value for name, (value, _) in rates.items()},
        "intervals": figures["intervals"] | {name: ends for name, (_, ends) in rates.items()},
        "groups": _groups([score.groups for score in scores]),
        "group_rows": _least_rows([score.exact.get("group_rows", {}) for score in scores]),
        "unit_scores": _mean_bytes([bytes(score.unit_scores) for score in scores]),
        "robust_scores": _mean_bytes([bytes(score.robust_scores) for score in scores]),
        "cells": names,
        "cell_scores": _mean_cells(scores, names),
        "metric_sums": score_sums.packed(sums) if sums else b"",
        "statistics": min(score.statistics for score in scores),
        "repeats": len(scores),
        "run_sds": _run_sds([score.metrics for score in scores]),
        "measures": scores[0].measures,
        "failures": mean_counts([score.failures for score in scores]),
        "seconds": sum(score.seconds for score in scores),
    }


def _rates(version: Version, scores: Sequence[Score]) -> dict[str, tuple[float, Interval]]:
    of_scores = [score_sums.read(bytes(score.metric_sums)) for score in scores]
    rates: dict[str, tuple[float, Interval]] = {}
    for name, metric in version.bound.metrics.items():
        sums = [of_score.get(name) for of_score in of_scores]
        if not _is_rate(metric) or not _are_alike(sums):
            continue
        table = np.stack([each.sums[:, 0] for each in sums if each is not None])
        if (table[..., 0] < 0).any() or (table[..., 0] > table[..., 1] + 1e-9).any():
            continue
        if mean := repeated_rate(table, next(each.strata for each in sums if each is not None)):
            rates[name] = mean.value, (mean.low, mean.high)
    return rates


def _is_rate(metric: Metric) -> bool:
    return metric.reducer is None and metric.format == "ratio" and not metric.is_importance


def _are_alike(sums: Sequence[UnitSums | None]) -> bool:
    shapes = {(each.parts, each.sums.shape) if each else None for each in sums}
    return len(shapes) == 1 and None not in shapes


def _figures(repeats: Sequence[Figures]) -> Figures:
    metrics: dict[str, Number] = {}
    intervals: dict[str, Interval] = {}
    for name in repeats[0]["metrics"]:
        values: list[Any] = [of_repeat["metrics"].get(name) for of_repeat in repeats]
        metrics[name] = _mean(values)
        ends = [(of_repeat.get("intervals") or {}).get(name) for of_repeat in repeats]
        intervals[name] = _ends(values, ends) if metrics[name] is not None else None
    return {"metrics": metrics, "intervals": intervals}


def _mean(values: Sequence[Any]) -> Any:
    if any(value is None for value in values):
        return None
    if all(value == values[0] for value in values):
        return values[0]
    return float(np.mean(values)) if all(isinstance(value, int | float) for value in values) else None


def _ends(values: Sequence[float], ends: Sequence[Ends]) -> Interval:
    """Return the mean interval, widened by the variance of `values` between runs. Rates stay in [0, 1].

    The intervals are averaged as if the errors of rows were the same in each run.
    """
    if any(each is None for each in ends):
        return None
    low, high = np.mean(np.array(ends, dtype=np.float64), axis=0).tolist()
    wide = widened(float(np.mean(values)), (low, high), run_variance(values), len(values))
    if all(each is not None and each[0] >= 0 and each[1] <= 1 for each in ends):
        return max(wide[0], 0.0), min(wide[1], 1.0)
    return wide


def _groups(repeats: Sequence[Groups]) -> dict[str, dict[str, Figures]]:
    return {
        grouping: {
            name: group | _figures([of_repeat[grouping][name] for of_repeat in repeats])
            for name, group in members.items()
            if all(name in of_repeat.get(grouping, {}) for of_repeat in repeats)
        }
        for grouping, members in repeats[0].items()
    }


def _least_rows(
    repeats: Sequence[Mapping[str, Mapping[str, Mapping[str, float]]]],
) -> dict[str, dict[str, dict[str, float]]]:
    return {
        grouping: {
            name: {
                metric: min(of_repeat[grouping][name][metric] for of_repeat in repeats)
                for metric in members[name]
                if all(metric in of_repeat.get(grouping, {}).get(name, {}) for of_repeat in repeats)
            }
            for name in members
        }
        for grouping, members in repeats[0].items()
    }


def _mean_sums(repeats: Sequence[Mapping[str, UnitSums]]) -> dict[str, UnitSums]:
    shared = {name: [of_repeat.get(name) for of_repeat in repeats] for name in repeats[0]}
    return {
        name: repeats[0][name]._replace(sums=mean_of_repeats(np.stack([each.sums for each in sums if each])))
        for name, sums in shared.items()
        if _are_alike(sums)
    }


def _mean_bytes(packed: Sequence[bytes]) -> bytes:
    arrays = [np.frombuffer(each, dtype=np.float32) for each in packed]
    if len({array.size for array in arrays}) > 1:
        return b""
    return _float32(np.stack(arrays))


def _float32(repeats: NDArray[Any]) -> bytes:
    return mean_of_repeats(repeats).astype(np.float32).tobytes()


def _shared(cells: Sequence[Sequence[list[str]]]) -> list[list[str]]:
    return [name for name in cells[0] if all(name in others for others in cells)]


def _mean_cells(scores: Sequence[Score], names: Sequence[list[str]]) -> bytes:
    if not names:
        return b""
    tables = []
    for score in scores:
        raw = zlib.decompress(bytes(score.cell_scores))
        cells = np.frombuffer(raw, np.float32).reshape(len(score.cells), -1)
        tables.append(cells[[score.cells.index(name) for name in names]])
    return zlib.compress(_float32(np.stack(tables)))


def _run_sds(repeats: Sequence[Mapping[str, Number]]) -> dict[str, float]:
    by_name: dict[str, list[Any]] = {name: [each.get(name) for each in repeats] for name in repeats[0]}
    return {
        name: run_variance(values) ** 0.5
        for name, values in by_name.items()
        if all(isinstance(value, int | float) for value in values)
    }


def mean_counts(repeats: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the average of each count over the repeats, rounded. Zeros are left out."""
    codes: Iterable[str] = dict.fromkeys(code for of_repeat in repeats for code in of_repeat)
    means = {code: round(sum(each.get(code, 0) for each in repeats) / len(repeats)) for code in codes}
    return {code: count for code, count in means.items() if count}
