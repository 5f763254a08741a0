"""Whether a rate passes a bar, as far as its interval can tell."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What may be said of a rate and a bar."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"
    NONE = "none"  # not reported


def judge(ends: tuple[float, float] | None, bar: float, *, at_least: bool) -> Verdict:
    """Judge a rate by its whole interval.

    Args:
        ends: Those of the interval of the rate over the rows at risk; None where it has none.
        bar: What it is compared with.
        at_least: Whether the rate has to be at least the bar, else at most.

    Returns:
        Pass where the whole interval is on the good side, fail where it is on the bad one, else undecided.
    """
    if ends is None:
        return Verdict.NONE
    low, high = ends
    if low >= bar if at_least else high <= bar:
        return Verdict.PASS
    if high < bar if at_least else low > bar:
        return Verdict.FAIL
    return Verdict.UNDECIDED
