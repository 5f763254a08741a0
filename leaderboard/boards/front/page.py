"""The front page: each benchmark with its example and its boards, all benchmarks alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.core.plugin.examples import Example, ExampleChoice
from evaluation.core.suite import Suite, usable
from leaderboard.benchmarks.models import Benchmark, Version
from leaderboard.boards import headline_summary
from leaderboard.boards.front.likes import Share, share_of
from leaderboard.boards.placements import placements
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Submission

MOST_BOARDS = 8  # of a benchmark; the others are on the list of versions


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A board as the front page lists it."""

    version: Version
    systems: int  # that contest it
    verdict: str  # who can still be the best, or why nobody has a rank


@dataclass(frozen=True, slots=True)
class Try:
    """An example, what a reader answered, and how systems did on its like."""

    example: Example
    chosen: int | None  # which of its choices; None: none yet
    share: Share | None

    @property
    def choice(self) -> ExampleChoice | None:
        """What was chosen."""
        return None if self.chosen is None else self.example.choices[self.chosen]

    @property
    def share_words(self) -> str:
        """What the share is of; empty without one."""
        return self.share.words(self.example.like) if self.share else ""


@dataclass(frozen=True, slots=True)
class Introduced:
    """A benchmark as a newcomer meets it."""

    benchmark: Benchmark
    suite: Suite
    attempt: Try | None
    boards: list[BoardLine] = field(default_factory=list)
    more: int = 0  # boards that are not listed


def introduced(versions: list[Version], asked: Mapping[str, str]) -> list[Introduced]:
    """The benchmarks of the site in their order.

    Args:
        versions: The boards that readers see, those that come first first.
        asked: Of the address: `example` is the slug of a benchmark and `answer` the number of a choice, from 1.
    """
    return [
        _introduced(benchmark, [each for each in versions if each.benchmark_id == benchmark.pk], asked)
        for benchmark in Benchmark.objects.filter(suite__in=usable())
    ]


def _introduced(benchmark: Benchmark, versions: list[Version], asked: Mapping[str, str]) -> Introduced:
    suite = benchmark.engine
    make = suite.display.example
    example = make(suite) if make else None
    chosen = asked.get("answer", "") if asked.get("example") == benchmark.slug else ""
    attempt = Try(example, _number(chosen, example), share_of(versions, example)) if example else None
    lines = [_line(version) for version in versions[:MOST_BOARDS]]
    return Introduced(benchmark, suite, attempt, lines, max(len(versions) - MOST_BOARDS, 0))


def _number(text: str, example: Example) -> int | None:
    """The place of a choice; None for what is no number of one."""
    numbers = {f"{number}": number - 1 for number in range(1, len(example.choices) + 1)}
    return numbers.get(text)


def _line(version: Version) -> BoardLine:
    everybody = placements.board_placements(version, Submission.objects.on_board(version), WHOLE)
    contesting = sum(not placement.apart for placement in everybody)
    return BoardLine(version, contesting, headline_summary.of_board(version, everybody))
