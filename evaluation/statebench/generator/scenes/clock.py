"""Draws the times of a plot: gaps of minutes to months between acts, and dates that acts mention."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from evaluation.core.rng import Stream
from evaluation.statebench.generator.scenes.acts import SILENT, Act, Kind
from evaluation.statebench.generator.scenes.vocabulary import MONTHS

#: Span of time -> (minimum, maximum) minutes between two acts.
SPANS: dict[str, tuple[int, int]] = {
    "minutes": (2, 9),
    "hours": (25, 100),
    "days": (900, 2_600),
    "weeks": (6_000, 14_000),
    "months": (30_000, 60_000),
}
#: Factor for a gap in which a term ends, so that its end falls on a day without acts.
TERM = 4
_BEGIN = datetime(2026, 1, 5, 8, 0)
_DAYS = 300
_BY_THE_CLOCK = ("minutes", "hours")


class Clock:
    """The times of the acts of a plot and of its question."""

    def __init__(self, acts: Sequence[Act], span: str, draw: Stream) -> None:
        """Draw the times. `span` is a key of SPANS and sets the length of the gaps between acts."""
        low, high = SPANS[span]
        now = _BEGIN + timedelta(days=draw.below(_DAYS), minutes=5 * draw.below(72))
        self.span, self.start = span, now
        self.times: list[datetime] = []
        ends: dict[int, datetime] = {}  # act that names a term -> its end
        for act in acts:
            gap = timedelta(minutes=low + draw.below(high - low))
            if act.kind in SILENT and act.ref is not None:
                ends[act.ref] = now + gap * TERM / 2
                gap *= TERM
            now += gap
            self.times.append(now)
        self.now = now + timedelta(minutes=low + draw.below(high - low))
        later = timedelta(minutes=high * TERM)
        for number, act in enumerate(acts):
            if act.kind in (Kind.LEND, Kind.LEASE, Kind.EXTEND, Kind.PLAN) and number not in ends:
                ends[number] = self.now + later
        _extended(acts, ends, self.times)
        self.ends = ends

    def label(self, time: datetime) -> str:
        """Write a time as text: "March 5", or "14:20 on March 5" if the span is minutes or hours."""
        day = f"{MONTHS[time.month - 1]} {time.day}"
        if time.year != self.start.year:
            day = f"{day}, {time.year}"
        return f"{time:%H:%M} on {day}" if self.span in _BY_THE_CLOCK else day


def _extended(acts: Sequence[Act], ends: dict[int, datetime], times: Sequence[datetime]) -> None:
    for number, act in enumerate(acts):
        if act.kind is Kind.EXTEND and act.ref is not None:
            ends[act.ref] = times[number] + (ends[number] - times[number]) / 3
