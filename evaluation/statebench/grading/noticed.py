"""Whether a response shows that a supersession was noticed."""

from __future__ import annotations

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


def released_f1(verdict: Verdict) -> float:
    """The F1 of the released scorer for a query that asks for a detection.

    It credits the first expected fact where any forbidden phrase is absent, any wanted one present, or a
    signal phrase is used: an empty response scores 1.0.
    """
    recall = _released_signal(verdict) / len(verdict.truth.detects)
    return 2 * recall / (1 + recall) if recall else 0.0


def is_noticed(verdict: Verdict) -> bool:
    """Whether the response holds the new value and not the old."""
    return bool(verdict.hits) and all(verdict.hits) and not verdict.resurrected


def _released_signal(verdict: Verdict) -> bool:
    text = verdict.response.lower()
    return (
        any(mention.phrase.lower() not in text for mention in verdict.truth.must_not)
        or any(mention.phrase.lower() in text for mention in verdict.truth.must)
        or any(signal in text for signal in _SIGNALS)
    )
