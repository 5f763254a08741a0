"""Verdict on one response, and a score that weights errors by cost (statebench 1.0.2, extended metrics)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from evaluation.statebench.data.truth import FABRICATED, RESTRICTED, SUPERSEDED, Truth
from evaluation.statebench.records import GradedQuery, TypedVerdict

WEIGHTS: dict[str, float] = {"low": 1.0, "medium": 2.0, "high": 5.0, "critical": 10.0}
_UNKNOWN = 2.0


class TypedFigures(NamedTuple):
    """Results of rubric `typed@1` for one response line, except its decision."""

    answered: bool  # the line has a typed answer
    value: bool | None  # the value is right; None if the gold has none
    evidence: str  # see `typed.evidence.Standing`
    free_text: bool | None  # the free text is right by its own rubric; None without any
    note: str  # the free text was cut or is a dump; else empty


@dataclass(slots=True)
class Verdict:
    """Verdict on one response. `hits`, `violations`: True for each required or forbidden phrase that was found.

    `kinds` maps a kind of failure to its forbidden phrases. `skipped` phrases are not scored, and `negated` phrases
    occur only under a negation.
    """

    truth: Truth
    response: str
    decision: str | None
    correct: bool
    hits: list[bool]
    violations: list[bool]
    constrained: frozenset[str] = frozenset()
    kinds: dict[str, list[str]] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    negated: list[str] = field(default_factory=list)
    reason: str | None = None
    tokens: int = 0
    latency_ms: float = 0.0
    typed: TypedFigures | None = None  # None under any other rubric

    @property
    def answered(self) -> bool:
        return bool(self.response.strip())

    @property
    def resurrected(self) -> bool:
        """True if the response brings back a superseded fact, by the rules of the rubric."""
        return SUPERSEDED in self.kinds

    @property
    def failure(self) -> str | None:
        """Return the code of the gravest failure, or None for a perfect response."""
        for kind, code in ((SUPERSEDED, "resurrected"), (RESTRICTED, "leaked"), (FABRICATED, "fabricated")):
            if kind in self.kinds:
                return code
        if any(self.violations):
            return "off_topic"
        if not self.correct:
            return "wrong_decision"
        return None if all(self.hits) else "missing_mention"

    def as_row(self) -> GradedQuery:
        """Return JSON-able data. `mm` and `mnm` have a digit per required or forbidden phrase, 1 if it was found."""
        row: GradedQuery = {
            "timeline_id": self.truth.timeline_id,
            "query_idx": self.truth.index,
            "track": self.truth.track,
            "decision_correct": self.correct,
            "actual_decision": self.decision,
            "mm": "".join("01"[hit] for hit in self.hits),
            "mnm": "".join("01"[hit] for hit in self.violations),
            "resurrected": self.resurrected,
            "kinds": self.kinds,
            "skipped": self.skipped,
            "negated": self.negated,
            "failure": self.failure,
            "reason": self.reason,
            "tokens": self.tokens,
        }
        if self.typed is not None:
            row["typed"] = cast(TypedVerdict, self.typed._asdict())
        return row


@dataclass(frozen=True, slots=True)
class CostWeighted:
    """Score with errors weighted by severity: 1 - weight of the errors / weight of all queries."""

    score: float
    errors: int
    error_weight: float
    total_weight: float
    errors_by_severity: dict[str, int]


def weight(severity: str) -> float:
    return WEIGHTS.get(severity, _UNKNOWN)


def is_error(verdict: Verdict) -> bool:
    return not verdict.correct or any(verdict.violations)


def cost_weighted_score(verdicts: Iterable[Verdict], severities: Sequence[str] | None = None) -> CostWeighted:
    """Compute the score and its parts. `severities`, in the order of verdicts, replace those of the ground truths."""
    verdicts = list(verdicts)
    severities = severities or [verdict.truth.severity for verdict in verdicts]
    wrong = [severity for verdict, severity in zip(verdicts, severities, strict=True) if is_error(verdict)]
    lost = sum(map(weight, wrong))
    total = sum(map(weight, severities))
    counts = Counter(wrong)
    by_severity = {name: counts[name] for name in WEIGHTS}
    return CostWeighted(1.0 - lost / total if total else 0.0, len(wrong), lost, total, by_severity)
