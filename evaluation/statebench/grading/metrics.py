"""Verdicts -> numbers. Each rubric divides in its own way; the differences stand side by side in `RATES`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from evaluation.core.report import Number
from evaluation.statebench.grading.truth import FABRICATED, RESTRICTED, SUPERSEDED
from evaluation.statebench.grading.verdict import Verdict

Metrics = dict[str, Number]
_KEEPING = "_maintain"  # ends the names of tracks that ask whether a fact is kept


def ratio(part: float, whole: float, *, empty: float | None = 0.0) -> float | None:
    """part / whole; `empty` where there is nothing to divide by."""
    return part / whole if whole else empty


def released_1_rates(verdicts: Sequence[Verdict]) -> Metrics:
    """Judge 1.0.2: pooled counts; SFRR over all queries, with or without a forbidden phrase."""
    return _pooled(verdicts, empty=0.0) | {
        "sfrr": ratio(_resurrections(verdicts), len(verdicts)),
        "sfrr_over_constrained_queries": _over_constrained(verdicts, SUPERSEDED, empty=0.0),
    }


def released_2_rates(verdicts: Sequence[Verdict]) -> Metrics:
    """Judge 2.0.0: `*_maintain` tracks stay out of all rates and show only false supersession."""
    kept, maintained = split_maintained(verdicts)
    return _pooled(kept, empty=0.0) | {
        "sfrr": ratio(_resurrections(kept), len(kept)),
        "leakage_rate": ratio(_showing(kept, RESTRICTED), len(kept)),
        "fabrication_rate": ratio(_showing(kept, FABRICATED), len(kept)),
        "false_supersession_rate": ratio(_wrong(maintained), len(maintained)),
        "sfrr_over_constrained_queries": ratio(
            _resurrections(kept), sum(bool(verdict.violations) for verdict in kept)
        ),
    }


def strict_rates(verdicts: Sequence[Verdict]) -> Metrics:
    """Ours: each failure over the answered queries that can show it; None where none can.

    Who says nothing is wrong, and neither spares nor brings back: an unanswered query must not look like a success.
    """
    kept, maintained = split_maintained(verdicts)
    said = answered(kept)
    return (
        _pooled(kept, empty=None)
        | _forbidden(said, empty=None)
        | {
            "sfrr": _over_constrained(said, SUPERSEDED),
            "leakage_rate": _over_constrained(said, RESTRICTED),
            "fabrication_rate": _over_constrained(said, FABRICATED),
            "false_supersession_rate": _wrong_rate(maintained),
        }
    )


def answered(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Those with a response that is not empty."""
    return [verdict for verdict in verdicts if verdict.answered]


RATES: dict[str, Callable[[Sequence[Verdict]], Metrics]] = {
    "1.0": released_1_rates,
    "2.0": released_2_rates,
    "strict": strict_rates,
}


def track_rates(rubric: str, verdicts: Sequence[Verdict]) -> Metrics:
    """The rates of a track or any group: judge 2.0.0 gives a `*_maintain` track its own decision and mention rates."""
    maintained = bool(verdicts) and all(map(is_maintained, verdicts))
    if rubric == "1.0" or not maintained:
        return RATES[rubric](verdicts)
    rates = RATES[rubric]([])
    if rubric == "2.0":
        wrong = ratio(_wrong(verdicts), len(verdicts))
        return rates | _pooled(verdicts, empty=0.0) | {"false_supersession_rate": wrong}
    forbidden = _forbidden(answered(verdicts), empty=None)
    wrong = _wrong_rate(verdicts)
    return rates | _pooled(verdicts, empty=None) | forbidden | {"false_supersession_rate": wrong}


def tokens(verdicts: Iterable[Verdict]) -> Metrics:
    """Tokens and latency of responses; responses that report none are left out."""
    verdicts = list(verdicts)
    used = [verdict.tokens for verdict in verdicts if verdict.tokens > 0]
    waits = [verdict.latency_ms for verdict in verdicts if verdict.latency_ms > 0]
    return {
        "total_tokens": sum(used),
        "avg_tokens": ratio(sum(used), len(used)),
        "min_tokens": min(used, default=0),
        "max_tokens": max(used, default=0),
        "avg_latency_ms": ratio(sum(waits), len(waits)),
    }


def by_track(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """Verdicts per track, tracks in order of appearance."""
    tracks: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        tracks.setdefault(verdict.truth.track, []).append(verdict)
    return tracks


def in_headline(track: str, rubric: str) -> bool:
    """Whether decision accuracy is over the queries of a track: under 1.0 of all, else not where facts are *kept*."""
    return rubric == "1.0" or not track.endswith(_KEEPING)


def is_maintained(verdict: Verdict) -> bool:
    """True on a track that tests whether a fact is *kept*."""
    return verdict.truth.track.endswith(_KEEPING)


def split_maintained(verdicts: Iterable[Verdict]) -> tuple[list[Verdict], list[Verdict]]:
    """(verdicts of the tracks on supersession, verdicts of the tracks on keeping a fact)."""
    kept: list[Verdict] = []
    maintained: list[Verdict] = []
    for verdict in verdicts:
        (maintained if is_maintained(verdict) else kept).append(verdict)
    return kept, maintained


def _pooled(verdicts: Sequence[Verdict], *, empty: float | None) -> Metrics:
    correct = sum(verdict.correct for verdict in verdicts)
    hits, mentions = _count(verdict.hits for verdict in verdicts)
    return {
        "total_queries": len(verdicts),
        "decision_accuracy": ratio(correct, len(verdicts), empty=empty),
        "must_mention_rate": ratio(hits, mentions, empty=empty),
        "correct_decisions": correct,
        "total_must_mention": mentions,
        "must_mention_hits": hits,
        "resurrection_count": _resurrections(verdicts),
    } | _forbidden(verdicts, empty=empty)


def _forbidden(verdicts: Sequence[Verdict], *, empty: float | None) -> Metrics:
    broken, forbidden = _count(verdict.violations for verdict in verdicts)
    return {
        "must_not_mention_violation_rate": ratio(broken, forbidden, empty=empty),
        "total_must_not_mention": forbidden,
        "must_not_mention_violations": broken,
    }


def _count(flags: Iterable[list[bool]]) -> tuple[int, int]:
    """(number set, number in all) over lists of flags."""
    lists = list(flags)
    return sum(map(sum, lists)), sum(map(len, lists))


def _resurrections(verdicts: Iterable[Verdict]) -> int:
    return _showing(verdicts, SUPERSEDED)


def _showing(verdicts: Iterable[Verdict], kind: str) -> int:
    return sum(kind in verdict.kinds for verdict in verdicts)


def _wrong(verdicts: Iterable[Verdict]) -> int:
    return sum(not verdict.correct for verdict in verdicts)


def _wrong_rate(verdicts: Sequence[Verdict]) -> float | None:
    said = answered(verdicts)
    return ratio(_wrong(said), len(said), empty=None)


def _over_constrained(verdicts: Sequence[Verdict], kind: str, *, empty: float | None = None) -> float | None:
    able = [verdict for verdict in verdicts if kind in verdict.constrained]
    return ratio(_showing(able, kind), len(able), empty=empty)
