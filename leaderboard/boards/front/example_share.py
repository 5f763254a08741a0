"""How often a board's systems are right on questions like an example on the front page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from evaluation.core import statistics
from evaluation.core.plugin.examples import Example
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown as sealed
from leaderboard.boards import slices
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.contestants import contestants_of, strata_over
from leaderboard.boards.placements.ranking import Contestant, unit_scores
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission
from leaderboard.web.formatting import number
from leaderboard.web.results_cache import cache

KEEP_SECONDS = 24 * 3600
#: Systems, questions, rate, interval.
Figures = tuple[int, int, float, tuple[float, float] | None]


class Share(NamedTuple):
    version: Version
    systems: int
    questions: int  # asked of each of them
    rate: float
    interval: tuple[float, float] | None  # None with fewer than two units
    part: str  # of the board's address

    @property
    def percent(self) -> str:
        return number(self.rate)

    def words(self, like: str) -> str:
        """Text after the percentage in a sentence. `like` describes the questions (`Example.like`)."""
        whose = "one system" if self.systems == 1 else f"{self.systems:,} systems"
        asked = number_of(self.questions, "question")
        return f"of the answers that {whose} gave to the same {asked} {like} were right ({self.range})"

    @property
    def range(self) -> str:
        """The interval of the share in words, or the reason why there is none."""
        if self.interval is None:
            unit = self.version.drawn.unit
            return f"no interval: all questions are from one {unit}"
        low, high = self.interval
        if self.rate <= 0:
            return f"95% interval: at most {number(high)}"
        if self.rate >= 1:
            return f"95% interval: at least {number(low)}"
        return f"95% interval {number(low, 'points')}–{number(high, 'points')}"

    @property
    def url(self) -> str:
        return f"{self.version.get_board_url()}?{self.part}"


def share_of(versions: Sequence[Version], example: Example) -> Share | None:
    """The share on the first board where ranked systems answered questions of the example's kind, else None."""
    found = (_version_share(version, part) for version in versions if (part := part_like(version, example)))
    return next((share for share in found if share is not None), None)


def part_like(version: Version, example: Example) -> BoardSlice | None:
    """The part with questions of the example's kind. None if no part has them, or if its headline is not one rate."""
    having = {(facet.name, choice) for facet in slices.facets_of(version) for choice, _ in facet.choices}
    chosen = next((part for part in example.parts if part in having), None)
    part = slices.board_slice(version, dict([chosen])) if chosen else None
    return None if part is None or slices.worst_of(version, part) else part


def _version_share(version: Version, part: BoardSlice) -> Share | None:
    shown = Submission.objects.on_board(version)
    state = placements.board_state(version, shown).fingerprint
    key = f"like:{version.pk}:{part.name}:{state}:{version.shown_step}".replace(" ", "-")
    kept: Figures | tuple[()] | None = cache.get(key)
    if kept is None:
        (contestants,) = contestants_of(version, shown, [part])
        kept = _figures(version, contestants)
        cache.set(key, kept, KEEP_SECONDS)
    query = urlencode({facet.name: choice for facet, choice in part.parts})
    return Share(version, *kept, query) if kept else None


def _figures(version: Version, contestants: Sequence[Contestant]) -> Figures | tuple[()]:
    tables = same_units(contestants)
    if not tables:
        return ()
    pooled = np.mean(
        tables, axis=0
    )  # a mean, not a sum: several answers to one question are not more questions
    strata = strata_over(version, len(pooled))
    ((rate, interval),) = statistics.rates_with_intervals([pooled], strata, icc=version.bound.unit_icc)
    questions = round(float(pooled[:, 1].sum()))
    rate, interval = sealed.figure(version, rate, interval, questions)
    return () if rate is None else (len(tables), questions, rate, interval)


def same_units(contestants: Sequence[Contestant]) -> list[NDArray[np.float64]]:
    """Sums [units, 2] of the ranked systems that answered the part. Leaves out systems with fewer units than others."""
    tables = [unit_scores(each.units).astype(np.float64) for each in contestants if not each.unranked]
    most = max((len(table) for table in tables), default=0)
    return [table for table in tables if len(table) == most > 0 and table[:, 1].any()]
