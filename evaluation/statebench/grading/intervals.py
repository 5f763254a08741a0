"""95% intervals of the rates: a bootstrap over timelines, because queries of one timeline share a story."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from evaluation.core import statistics
from evaluation.statebench.grading.metrics import in_headline
from evaluation.statebench.grading.truth import FABRICATED, RESTRICTED, SUPERSEDED
from evaluation.statebench.grading.verdict import Verdict

Part = tuple[int, int]  # what a verdict adds to a rate's numerator and denominator
Intervals = dict[str, tuple[float, float] | None]


def _decision(verdict: Verdict) -> Part:
    return int(verdict.correct), 1


def _mentions(verdict: Verdict) -> Part:
    return sum(verdict.hits), len(verdict.hits)


def _violations(verdict: Verdict) -> Part:
    return sum(verdict.violations), len(verdict.violations)


def _violations_said(verdict: Verdict) -> Part:
    return _violations(verdict) if verdict.answered else (0, 0)


def _showing(kind: str, *, constrained: bool) -> Callable[[Verdict], Part]:
    def part(verdict: Verdict) -> Part:
        able = verdict.answered and kind in verdict.constrained if constrained else True
        return int(able and kind in verdict.kinds), int(able)

    return part


_COMMON: dict[str, Callable[[Verdict], Part]] = {
    "decision_accuracy": _decision,
    "must_mention_rate": _mentions,
}


def _parts(rubric: str) -> dict[str, Callable[[Verdict], Part]]:
    strict = rubric == "strict"
    common = _COMMON | {"must_not_mention_violation_rate": _violations_said if strict else _violations}
    kinds = {"sfrr": SUPERSEDED, "leakage_rate": RESTRICTED, "fabrication_rate": FABRICATED}
    shown = {name: kind for name, kind in kinds.items() if rubric != "1.0" or name == "sfrr"}
    return common | {name: _showing(kind, constrained=strict) for name, kind in shown.items()}


def intervals(rubric: str, verdicts: Sequence[Verdict]) -> Intervals:
    """(low, high) of every rate, None where fewer than two timelines bear on it."""
    parts = _parts(rubric)
    sums = unit_sums(_counted(rubric, verdicts), parts)
    if not sums:
        return dict.fromkeys(parts)
    matrix = np.array(list(sums.values()), dtype=np.float64)  # [units, 2 * rates], numerators first
    half = len(parts)
    resampled = statistics.resampled_sums(matrix)
    low, high = statistics.percentile_interval(statistics.rates(resampled[:, :half], resampled[:, half:]))
    telling = np.count_nonzero(matrix[:, half:], axis=0)
    return {
        name: (float(low[column]), float(high[column])) if telling[column] > 1 else None
        for column, name in enumerate(parts)
    }


def _counted(rubric: str, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts that a rubric's rates are over: all but those of `*_maintain` tracks; under 1.0 all."""
    return [verdict for verdict in verdicts if in_headline(verdict.truth.track, rubric)]


def unit_sums(
    verdicts: Sequence[Verdict], parts: Mapping[str, Callable[[Verdict], Part]]
) -> dict[str, list[int]]:
    """Timeline -> the numerators of all rates, then their denominators."""
    sums: dict[str, list[int]] = {}
    for verdict in verdicts:
        found = [part(verdict) for part in parts.values()]
        flat = [top for top, _ in found] + [bottom for _, bottom in found]
        before = sums.setdefault(verdict.truth.timeline_id, [0] * len(flat))
        sums[verdict.truth.timeline_id] = [a + b for a, b in zip(before, flat, strict=True)]
    return sums


def headline_units(rubric: str, verdicts: Sequence[Verdict]) -> dict[str, tuple[float, int]]:
    """Timeline -> (right decisions, queries) of the tracks that the headline counts, for paired tests."""
    sums = unit_sums(_counted(rubric, verdicts), {"decision_accuracy": _decision})
    return {unit: (float(right), rows) for unit, (right, rows) in sums.items()}


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
