"""The figures of a system at the text lengths of a version, as pages, files and the API show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.core.statistics import KEEP, LengthFigures
from evaluation.core.suite import Column, Rung
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown as sealed
from leaderboard.benchmarks.sealing.shown import Shown
from leaderboard.boards import slices
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.scores.score_tables import NO_FIGURES, Groups, Interval, MetricCell, interval

SECTION = "Length"
EFFECTIVE = Column(
    "effective_length",
    "Effective length",
    f"The longest length, in tokens, up to which all lengths keep {KEEP:.0%} of the accuracy at the shortest length "
    "and stay above guessing, by 95% intervals. 0: not even the shortest length is shown to be above guessing. "
    "The interval ends before the first length that is shown to fail, or at the longest length. It contains the true "
    "effective length in 95% of versions.",
    format="count",
    section=SECTION,
    whole=True,
)
#: Kept only in files and the API, for programs that read it by name.
PERHAPS = Column(
    "effective_length_perhaps",
    "Perhaps",
    "No longer reported: see the interval of the effective length.",
    format="count",
    section=SECTION,
    whole=True,
)
AREA = Column(
    "length_auc",
    "Mean over lengths (AUC)",
    "The area under the curve of accuracy over the logarithm of the length, from 0 to 1: 1 is correct at every length.",
    section=SECTION,
)
MEGA, KILO = 2**20, 2**10


def rungs_of(version: Version) -> tuple[Rung, ...]:
    """The text lengths of a version, shortest first; empty if it has only one, or if a lower headline is better."""
    rungs = tuple(version.bound.rungs)
    return rungs if len(rungs) > 1 and version.headline.better == "higher" else ()


def parts_of(version: Version, rungs: Sequence[Rung]) -> list[BoardSlice]:
    facet = next(
        facet
        for facet in slices.facets_of(version)
        if {rung.split for rung in rungs} <= {part for part, _ in facet.choices}
    )
    return [slices.board_slice(version, {facet.name: rung.split}) for rung in rungs]


def columns(version: Version) -> list[Column]:
    """The columns about lengths that a board adds to the columns of its suite; empty if the version has no lengths."""
    return [EFFECTIVE, AREA] if rungs_of(version) else []


def columns_of_files(version: Version) -> list[Column]:
    return [EFFECTIVE, PERHAPS, AREA] if rungs_of(version) else []


def tokens_label(tokens: int) -> str:
    """Format a number of tokens as `8k` or `1M`, or in digits if it is not a multiple of 1,024."""
    for unit, sign in ((MEGA, "M"), (KILO, "k")):
        if tokens >= unit and tokens % unit == 0:
            return f"{tokens // unit}{sign}"
    return f"{tokens:,}"


def points_of_groups(version: Version, groups: Groups) -> list[Point]:
    """Points of a score's curve over text lengths. Returns an empty list if the score has no figures by length."""
    rungs, name = rungs_of(version), version.headline.name
    splits = {rung.split for rung in rungs}
    members = next((each for each in groups.values() if splits & set(each)), {})
    found = [(rung.tokens, members.get(rung.split) or NO_FIGURES) for rung in rungs] if members else []
    return [
        Point(
            tokens_label(tokens),
            tokens,
            group.get("metrics", {}).get(name),
            interval(group.get("intervals") or {}, name),
            None,
            None,
        )
        for tokens, group in found
    ]


class Point(NamedTuple):
    label: str
    tokens: int
    rate: float | None
    interval: Interval
    ratio: float | None  # to the rate at the shortest length
    ratio_interval: Interval


@dataclass(frozen=True, slots=True)
class Lengths:
    tokens: tuple[int, ...]  # of the rungs, ascending
    figures: LengthFigures

    @property
    def effective(self) -> int | None:
        """Low end of the effective length, in tokens. 0 if none is reliable; None if the shortest is not answered."""
        return self._rung(self.figures.shown)

    @property
    def possible(self) -> int | None:
        """Upper limit of the effective length, in tokens: the longest length not shown to fail. May be 0 or None."""
        return self._rung(self.figures.possible)

    def _rung(self, count: int) -> int | None:
        if not self.figures.answered:
            return None
        return self.tokens[count - 1] if count else 0

    @property
    def is_open(self) -> bool:
        """True if no length is shown to fail, so that the system may be reliable beyond the longest text."""
        return self.figures.possible == len(self.tokens)

    @property
    def label(self) -> str:
        """The low end of the effective length, or if no length is reliable, a bound (`at most 8k`); may be empty."""
        if self.effective is None:
            return ""
        if self.effective:
            return tokens_label(self.effective)
        if self.is_open:
            return "none shown"
        return (
            f"at most {tokens_label(self.possible)}"
            if self.possible
            else f"fails at {tokens_label(self.tokens[0])}"
        )

    @property
    def note(self) -> str:
        """Text after `label` about the high end of the effective length: "to 32k", "or more"; may be empty."""
        if not self.effective or self.figures.possible == self.figures.shown < len(self.tokens):
            return ""
        return "or more" if self.is_open else f"to {tokens_label(self.possible or 0)}"

    @property
    def words(self) -> str:
        """The effective length as words of a sentence: "8k to 32k tokens", "at least 8k tokens"."""
        if self.effective is None:
            return "not reported"
        if self.is_open:
            return (
                f"at least {self.label} tokens"
                if self.effective
                else "neither shown nor ruled out at any length"
            )
        return f"{self.label} {self.note} tokens" if self.note else f"{self.label} tokens"

    @property
    def points(self) -> list[Point]:
        figures = self.figures
        curve, ratios = (figures.rates, figures.intervals), (figures.ratios, figures.ratio_intervals)
        return [
            Point(tokens_label(tokens), tokens, rate, ends, ratio, ratio_ends)
            for tokens, rate, ends, ratio, ratio_ends in zip(self.tokens, *curve, *ratios, strict=True)
        ]

    @property
    def bar(self) -> float | None:
        """The lowest rate that counts as reliable: a fixed share of the rate at the shortest length."""
        first = self.figures.rates[0]
        return None if first is None else KEEP * first

    @property
    def cells(self) -> list[MetricCell]:
        ends = None if self.effective is None else (float(self.effective), float(self.possible or 0))
        return [(EFFECTIVE, self.effective, ends), (AREA, self.figures.area, self.figures.area_interval)]


def unknown() -> list[MetricCell]:
    """The cells of the columns about lengths, for a system that has no stored figures."""
    return [(EFFECTIVE, None, None), (AREA, None, None)]


def rounded(version: Version, figures: LengthFigures) -> LengthFigures:
    """Round figures as the version shows them, each by its own number of rows. Effective lengths stay exact."""
    if not version.shown_step:
        return figures
    rows = [version.conditions.get(rung.split, 0) for rung in rungs_of(version)]
    first = rows[0]

    def shown(values: Iterable[float | None], ends: Iterable[Interval], over: Iterable[int]) -> list[Shown]:
        return [sealed.figure(version, *each) for each in zip(values, ends, over, strict=True)]

    rates = shown(figures.rates, figures.intervals, rows)
    ratios = shown(figures.ratios, figures.ratio_intervals, [min(first, each) for each in rows])
    area = sealed.figure(version, figures.area, figures.area_interval, min(rows))
    return figures._replace(
        rates=tuple(each.value for each in rates),
        intervals=tuple(each.interval for each in rates),
        ratios=tuple(each.value for each in ratios),
        ratio_intervals=tuple(each.interval for each in ratios),
        area=area.value,
        area_interval=area.interval,
    )
