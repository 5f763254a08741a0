"""Cost-weighted score: an error weighs what it would cost (statebench 1.0.2, extended metrics)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.statebench.grading.verdict import Verdict

WEIGHTS: dict[str, float] = {"low": 1.0, "medium": 2.0, "high": 5.0, "critical": 10.0}
_UNKNOWN = 2.0


@dataclass(frozen=True, slots=True)
class CostWeighted:
    """1 - weight of the errors / weight of all queries, with the errors by severity."""

    score: float
    errors: int
    error_weight: float
    total_weight: float
    errors_by_severity: dict[str, int]


def weight(severity: str) -> float:
    """What an error of a severity weighs."""
    return WEIGHTS.get(severity, _UNKNOWN)


def is_error(verdict: Verdict) -> bool:
    """A wrong decision or any forbidden mention."""
    return not verdict.correct or any(verdict.violations)


def measure(verdicts: Iterable[Verdict], severities: Sequence[str] | None = None) -> CostWeighted:
    """The score and what it is made of.

    Args:
        verdicts: Of all queries.
        severities: The severity of an error in each query, in the same order; None is those of the ground truth.
    """
    verdicts = list(verdicts)
    severities = severities or [verdict.truth.severity for verdict in verdicts]
    wrong = [severity for verdict, severity in zip(verdicts, severities, strict=True) if is_error(verdict)]
    lost = sum(map(weight, wrong))
    total = sum(map(weight, severities))
    counts = Counter(wrong)
    by_severity = {name: counts[name] for name in WEIGHTS}
    return CostWeighted(1.0 - lost / total if total else 0.0, len(wrong), lost, total, by_severity)
