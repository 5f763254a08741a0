"""Whether a response shows that a supersession was noticed."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from evaluation.statebench.grading.verdict import Verdict

_SIGNALS = (
    "you mentioned",
    "you said earlier",
    "originally",
    "changed to",
    "updated to",
    "instead of",
    "correction",
    "actually",
)


def released_f1(verdicts: Iterable[Verdict]) -> float | None:
    """Mean F1 of the released scorer over queries that ask for a detection; None where none does.

    It credits the first expected fact where any forbidden phrase is absent, any wanted one present, or a
    signal phrase is used: an empty response scores 1.0.
    """
    scores = []
    for verdict in verdicts:
        if expected := len(verdict.truth.detects):
            recall = _released_signal(verdict) / expected
            scores.append(2 * recall / (1 + recall) if recall else 0.0)
    return fmean(scores) if scores else None


def strict_rate(verdicts: Iterable[Verdict]) -> float | None:
    """Share of queries asking for a detection whose response holds the new value and not the old."""
    asked = [verdict for verdict in verdicts if verdict.truth.detects]
    seen = [bool(verdict.hits) and all(verdict.hits) and not verdict.resurrected for verdict in asked]
    return sum(seen) / len(seen) if seen else None


def _released_signal(verdict: Verdict) -> bool:
    text = verdict.response.lower()
    return (
        any(mention.phrase.lower() not in text for mention in verdict.truth.must_not)
        or any(mention.phrase.lower() in text for mention in verdict.truth.must)
        or any(signal in text for signal in _SIGNALS)
    )
