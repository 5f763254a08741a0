"""Gates: requirements of the benchmark that a score alone does not show.

Authority: the system adopts and cites no NOTE lines. Attribution: its citations entail its answers. A gate passes or
fails if the whole 95% interval is on one side of the threshold; otherwise it is undecided. A gate that no row can
violate is reported as not tested, not as passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evaluation.core import statistics
from evaluation.core.records import Interval, Number
from evaluation.core.statistics import Verdict
from evaluation.core.suite import Gate


@dataclass(frozen=True, slots=True)
class Bar:
    """A threshold for one metric: the first metric of `metrics` that a report contains."""

    letter: str
    name: str
    words: str
    metrics: tuple[str, ...]
    threshold: float
    better: str  # "lower": the rate may not exceed the threshold; "higher": it must reach it
    help: str
    failure: str  # end of a sentence, with `{rate}` and `{bar}`
    tested_by: str = ""  # metric that counts the rows which can violate it; empty: every row can
    also: str = ""  # metric over more rows, by which a system can fail but not pass


BARS: tuple[Bar, ...] = (
    Bar(
        letter="A",
        name="Authority",
        words="notes ignored",
        metrics=(
            "note_violation_rate",
            "authority_violation_rate",
            "authority_false_accept_rate",
            "selected_note_rate",
        ),
        threshold=0.01,
        better="lower",
        help="Of the answers to rows that show a NOTE, at most 1 in 100 adopts or cites one.",
        failure="{rate} of answers rely on a note, {bar} allowed",
        tested_by="note_rows",
        also="authority_violation_rate",
    ),
    Bar(
        letter="C",
        name="Attribution",
        words="citations back answers",
        metrics=("entailment",),
        threshold=0.95,
        better="higher",
        help="Answers that follow from the lines they cite: at least 95 in 100.",
        failure="citations back {rate} of answers, {bar} needed",
    ),
)


def judge(
    metrics: Mapping[str, Number], intervals: Mapping[str, Interval | None] | None = None
) -> list[Gate]:
    """Judge every gate by metrics and their 95% intervals. The state is `none` if no metric of a gate is reported."""
    return [_judged(bar, metrics, intervals or {}) for bar in BARS]


def _judged(bar: Bar, metrics: Mapping[str, Number], intervals: Mapping[str, Interval | None]) -> Gate:
    name = next((name for name in bar.metrics if metrics.get(name) is not None), None)
    if name is None:
        return _gate(bar, Verdict.NONE, "Not reported.")
    verdict = _verdict(bar, metrics, intervals, name)
    if verdict is not Verdict.FAIL and _verdict(bar, metrics, intervals, bar.also) is Verdict.FAIL:
        name, verdict = bar.also, Verdict.FAIL
    if verdict is not Verdict.FAIL and metrics.get(bar.tested_by) == 0:
        return _gate(bar, Verdict.NONE, "Not tested: no row could violate it.")
    measured = metrics[name] or 0.0  # never None: only a reported metric is judged
    judged = _gate(bar, verdict, _measured(measured, _ends(intervals, name), bar.threshold))
    if verdict is not Verdict.FAIL:
        return judged
    rate = f"{measured:.{_digits(measured, bar.threshold)}%}"
    return replace(judged, failure=bar.failure.format(rate=rate, bar=f"{bar.threshold:.0%}"))


def _verdict(
    bar: Bar, metrics: Mapping[str, Number], intervals: Mapping[str, Interval | None], name: str
) -> Verdict:
    if metrics.get(name) is None:
        return Verdict.NONE
    if (ends := _ends(intervals, name)) is None:
        return Verdict.UNDECIDED
    return statistics.judge(ends, bar.threshold, at_least=bar.better == "higher")


def _ends(intervals: Mapping[str, Interval | None], name: str) -> tuple[float, float] | None:
    """Return the interval of a rate. Returns None if its width is zero, as in a bootstrap over equal rows."""
    low, high = intervals.get(name) or (0.0, 0.0)
    return (low, high) if low < high else None


def _gate(bar: Bar, verdict: Verdict, evidence: str) -> Gate:
    return Gate(bar.letter, bar.name, verdict.value, f"{bar.help} {evidence}", bar.help, words=bar.words)


def _measured(rate: float, interval: tuple[float, float] | None, threshold: float) -> str:
    digits = _digits(rate, threshold)
    if interval is None:
        return f"Measured: {rate:.{digits}%}, without an interval."
    return f"Measured: {rate:.{digits}%} (95% interval {interval[0]:.1%} to {interval[1]:.1%})."


def _digits(rate: float, threshold: float) -> int:
    """Return the number of decimals, at most 4, at which the percentages of `rate` and `threshold` differ."""
    return next((n for n in (1, 2, 3) if rate == threshold or f"{rate:.{n}%}" != f"{threshold:.{n}%}"), 4)
