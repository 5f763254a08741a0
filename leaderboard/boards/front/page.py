"""Data of the front page: the leaders of boards (or how to become a leader), an example to answer, all boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluation.core.plugin.examples import Example, ExampleChoice
from evaluation.core.suite import usable
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Benchmark, Version
from leaderboard.boards import rows
from leaderboard.boards.front import cards, news
from leaderboard.boards.front.example_share import Share, share_of
from leaderboard.boards.front.failure import Failure, failure_of
from leaderboard.boards.front.lengths_picture import LengthsPicture, picture_of
from leaderboard.boards.front.standings import Board, boards_of
from leaderboard.boards.lengths import computing as length_computing
from leaderboard.boards.lengths.figures import rungs_of, tokens_label

FIRST = 5  # models in the table of a benchmark
MOST_BOARDS = 8  # boards of a benchmark shown unfolded


@dataclass(frozen=True, slots=True)
class Try:
    """The example on the front page, with the reader's answer and the results of systems on similar questions."""

    example: Example
    chosen: int | None  # index of the chosen answer; None: none yet
    share: Share | None

    @property
    def choice(self) -> ExampleChoice | None:
        return None if self.chosen is None else self.example.choices[self.chosen]

    @property
    def share_words(self) -> str:
        return self.share.words(self.example.like) if self.share else ""

    @property
    def moments(self) -> list[Moment]:
        """Timeline of the lines relevant to the question: how long each line was valid."""
        return moments_of(self.example)

    @property
    def moments_words(self) -> str:
        """Text alternative of the timeline."""
        words = {"gold": "valid now", "old": "valid before", "trap": "changes nothing"}
        return "; ".join(f"line {each.line}: {each.text} {words[each.role]}" for each in self.moments)


@dataclass(frozen=True, slots=True)
class Moment:
    """A line of the example's text on a timeline. Positions are in per cent of the timeline's width."""

    line: int
    role: str  # gold, old or trap
    text: str  # the choice that it states; empty if none
    left: str
    across: str  # width: how long it was valid


def moments_of(example: Example) -> list[Moment]:
    """Timeline of the lines that are relevant to the question, from the first line of the text to the question."""
    count = len(example.lines)
    said = [(number, each) for number, each in enumerate(example.lines, 1) if each.role]
    writes = [number for number, each in said if each.role != "trap"]
    found = []
    for number, each in said:
        until = (
            next((later for later in writes if later > number), count + 1) if each.role != "trap" else number
        )
        text = next((choice.text for choice in example.choices if choice.text in each.text), "")
        share = ((number - 1) / count, (until - number) / count)
        found.append(Moment(number, each.role, text, *(f"{each:.2%}" for each in share)))
    return found


@dataclass(frozen=True, slots=True)
class Puzzle:
    benchmark: Benchmark
    attempt: Try


@dataclass(frozen=True, slots=True)
class First:
    """The first rows of a board. If too few models are above guessing to name a leader, unranked rows are included."""

    board: Board
    rows: Sequence[rows.BoardRow]
    has_lengths: bool

    @property
    def prices(self) -> bool:
        return any(cards.dollars(row.submission) is not None for row in self.rows)


@dataclass(frozen=True)
class Front:
    benchmarks: Sequence[Benchmark]
    boards: Sequence[Board]
    asked: Mapping[str, str]  # of the address

    @property
    def leads(self) -> bool:
        return any(board.leads for board in self.boards if board.version.is_open)

    @cached_property
    def firsts(self) -> list[First]:
        """The board of each benchmark to show first: with a leader, else with results, else the first that is open."""
        found = (
            self._best([each for each in self.live if each.is_of(benchmark)]) for benchmark in self.benchmarks
        )
        return [_first(board) for board in found if board]

    @property
    def live(self) -> list[Board]:
        """The boards of versions that accept submissions."""
        return [board for board in self.boards if board.version.is_open]

    @property
    def subject(self) -> Board | None:
        """The board at the top of the page. Prefers a board with a leader, then the board of the chart."""
        best = self._best(self.live)
        board = self.picture.board if self.picture else best
        return best if best and board and best.leads > board.leads else board

    @staticmethod
    def _best(boards: Sequence[Board]) -> Board | None:
        return max(boards, key=lambda board: (board.leads, bool(board.standings)), default=None)

    @cached_property
    def picture(self) -> LengthsPicture | None:
        """Chart of accuracy by length. Prefers a board with a leader; None if no open board has lengths."""
        with_lengths = [board for board in self.live if rungs_of(board.version)]
        board = self._best(with_lengths)
        return picture_of(board) if board else None

    @cached_property
    def cards(self) -> list[cards.PlacedCard]:
        return cards.cards_of([board.version for board in self.live if board.leads])

    @cached_property
    def failure(self) -> Failure | None:
        """Timeline of a wrong answer; None unless a board with a leader has a public wrong answer."""
        found = (failure_of(board) for board in self.live if board.leads)
        return next((failure for failure in found if failure), None)

    @property
    def with_puzzle(self) -> list[Benchmark]:
        return [each for each in self.benchmarks if each.engine.display.example]

    @cached_property
    def puzzle(self) -> Puzzle | None:
        """The example of the benchmark in the URL, else the first example, with the reader's answer."""
        by_slug = {benchmark.slug: benchmark for benchmark in self.with_puzzle}
        wanted = self.asked.get("example", "")
        benchmark = by_slug.get(wanted) or next(iter(by_slug.values()), None)
        make = benchmark.engine.display.example if benchmark else None
        if benchmark is None or make is None:
            return None
        example = make(benchmark.engine)
        chosen = self.asked.get("answer", "") if wanted == benchmark.slug else ""
        versions = [board.version for board in self.boards if board.is_of(benchmark)]
        return Puzzle(benchmark, Try(example, _number(chosen, example), share_of(versions, example)))

    @property
    def groups(self) -> list[tuple[Benchmark, list[Board]]]:
        """Open boards to list in full, as (benchmark, boards): boards with results, or if no board has any, all."""
        shown = [board for board in self.live if board.standings] or self.live
        grouped = [
            (each, [board for board in shown if board.is_of(each)][:MOST_BOARDS]) for each in self.benchmarks
        ]
        return [(benchmark, boards) for benchmark, boards in grouped if boards]

    @property
    def folded(self) -> list[Board]:
        """The boards that are listed only by name, because they are not in `groups`. Open boards come first."""
        shown = {board.version.pk for _, boards in self.groups for board in boards}
        others = [board for board in self.boards if board.version.pk not in shown]
        return sorted(others, key=lambda board: not board.version.is_open)

    @property
    def scope(self) -> str:
        """Size of the board `subject` in a few words, such as its questions; empty if there is no such board."""
        board = self.subject
        if board is None:
            return ""
        rungs, models = rungs_of(board.version), len(board.standings)
        tested = f"{number_of(models, 'model')} tested" if self.leads else ""
        span = (
            f"texts of {tokens_label(rungs[0].tokens)} to {tokens_label(rungs[-1].tokens)} tokens"
            if rungs
            else ""
        )
        asked = number_of(board.version.row_count, "question")
        said = ", ".join(filter(None, (tested, asked, span)))
        return f"{said[0].upper()}{said[1:]}"

    @cached_property
    def news(self) -> list[news.Item]:
        return news.newest(self.boards)


def front(versions: Sequence[Version], asked: Mapping[str, str]) -> Front:
    """Data of the front page. In `asked`, `example` is a benchmark's slug, and `answer` the number of a choice."""
    benchmarks = list(Benchmark.objects.filter(suite__in=usable()))
    return Front(benchmarks, boards_of(versions), asked)


def _number(text: str, example: Example) -> int | None:
    numbers = {f"{number}": number - 1 for number in range(1, len(example.choices) + 1)}
    return numbers.get(text)


def _first(board: Board) -> First:
    version = board.version
    lengths = length_computing.board_lengths(version)
    places = [each.placement for each in (board.ranked if board.leads else board.standings)]
    shown = rows.rows(version, places[:FIRST], lengths=lengths)
    return First(board, shown, bool(lengths))
