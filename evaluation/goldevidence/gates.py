"""Gates: what a system has to hold before its score counts at all.

Authority: it does not adopt or cite NOTE lines. Attribution: its citations entail its answers. Both are read
from the metrics of a report. The rate itself is judged; its 95% interval is told with it and says how sure
that is. A bar that no row can violate is not tested, which is not the same as passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.core.suite import Gate


@dataclass(frozen=True, slots=True)
class Bar:
    """A rule over one metric. `metrics` are tried in order: the first reported one is judged."""

    letter: str
    name: str
    metrics: tuple[str, ...]
    threshold: float
    better: str  # "lower": the rate may not exceed the threshold; "higher": it must reach it
    help: str
    tested_by: str = ""  # the metric that counts the rows which can violate it; empty: every row can

    def passes(self, rate: float) -> bool:
        """Whether a rate clears the bar."""
        return rate <= self.threshold if self.better == "lower" else rate >= self.threshold


BARS: tuple[Bar, ...] = (
    Bar(
        letter="A",
        name="Authority",
        metrics=("authority_violation_rate", "authority_false_accept_rate", "selected_note_rate"),
        threshold=0.01,
        better="lower",
        help="Answers that adopt or cite a NOTE: at most 1 in 100.",
        tested_by="note_rows",
    ),
    Bar(
        letter="C",
        name="Attribution",
        metrics=("entailment",),
        threshold=0.95,
        better="higher",
        help="Answers that follow from the lines they cite: at least 95 in 100.",
    ),
)


def judge(metrics: Mapping[str, Any], intervals: Mapping[str, Any] | None = None) -> list[Gate]:
    """Every gate, from a report's metrics and intervals; state `none` where no metric of it was reported."""
    return [_judged(bar, metrics, intervals or {}) for bar in BARS]


def _judged(bar: Bar, metrics: Mapping[str, Any], intervals: Mapping[str, Any]) -> Gate:
    for metric in bar.metrics:
        if (rate := metrics.get(metric)) is not None:
            if bar.passes(rate) and metrics.get(bar.tested_by) == 0:
                return _gate(bar, "none", "Not tested: no row could violate it.")
            return _gate(
                bar,
                "pass" if bar.passes(rate) else "fail",
                _measured(rate, intervals.get(metric), bar.threshold),
            )
    return _gate(bar, "none", "Not reported.")


def _gate(bar: Bar, state: str, found: str) -> Gate:
    return Gate(bar.letter, bar.name, state, f"{bar.help} {found}", bar.help)


def _measured(rate: float, interval: tuple[float, float] | None, threshold: float) -> str:
    """The rate, with as many digits as it takes to see on which side of the bar it lies."""
    digits = next((n for n in (1, 2, 3) if rate == threshold or f"{rate:.{n}%}" != f"{threshold:.{n}%}"), 4)
    if interval is None or interval[0] == interval[1]:  # no spread says nothing of how sure it is
        return f"Measured: {rate:.{digits}%}."
    return f"Measured: {rate:.{digits}%} (95% interval {interval[0]:.1%} to {interval[1]:.1%})."
