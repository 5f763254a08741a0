"""A plot: the numbered events of an episode, and questions about them, before any text is written (see `telling`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evaluation.core.errors import BenchmarkError
from evaluation.core.rng import Stream
from evaluation.goldevidence.data.deeds import Deed
from evaluation.goldevidence.data.families import FAMILY_OF, Solved, solve
from evaluation.goldevidence.generator.modes import COLORS
from evaluation.goldevidence.generator.prf import FACES

#: Draws before a plot with too few questions is given up.
ATTEMPTS = 4000
#: Draws before a question may share answer and support with another one.
OF_OTHERS = 300
#: Colors of most values (four of ten, so that several tags share one), and the share of values in these colors.
FEW_COLORS, OF_FEW = 4, 0.7


class Change(NamedTuple):
    """The value of a tag after a line (None if it has no value), and the id of the line that set it."""

    key: str
    value: str | None
    uid: str


class Question(NamedTuple):
    """A question about a plot. Steps in its parameters are line numbers of the plot."""

    op: str
    args: tuple[Any, ...]
    dial: str  # difficulty, in the unit of its family

    @property
    def family(self) -> str:
        return FAMILY_OF[self.op]


@dataclass(slots=True)
class Plot:
    """The numbered lines of a plot. `truth[i]` lists all changes of values that line i + 1 causes."""

    mode: str  # the state mode, which decides the form of values
    keys: list[str]
    deeds: list[Deed] = field(default_factory=list)
    truth: list[list[Change]] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)

    @property
    def end(self) -> int:
        return len(self.deeds)

    def say(
        self, op: str, key: str, value: str | None, *, by: str = "", since: int = 0, plain: bool = True
    ) -> Deed:
        """Append a line. A right in it holds from line `since` on. If `plain` is False, the caller fills in `truth`."""
        number = self.end + 1
        deed = Deed(f"U{number:06X}", number, op, key, value, by, since)
        self.deeds.append(deed)
        self.truth.append([Change(key, value, deed.uid)] if plain and deed.updates else [])
        return deed

    def solved(self, op: str, *args: Any) -> Solved:
        return solve(op, args, self.deeds)


def colored(stream: Stream, few: Sequence[str]) -> str:
    """Draw a value of the mode kv, such as `teal-0042`, mostly in one of a few colors."""
    color = stream.choice(few if stream.chance(OF_FEW) else COLORS)
    return f"{color}-{stream.below(10_000):04d}"


def few_colors(stream: Stream) -> list[str]:
    colors = list(COLORS)
    stream.shuffle(colors)
    return colors[:FEW_COLORS]


def dice(stream: Stream) -> tuple[int, int]:
    """Return two random integers, uniform in [0, 2**32)."""
    return stream.below(FACES), stream.below(FACES)


def questions(story: Plot, count: int, draw: Callable[[int, int], Question | None]) -> Iterator[Question]:
    """Draw questions with different answers, if possible, by `draw(number, attempt)`. Raises BenchmarkError."""
    asked: set[object] = set()
    for number in range(count):
        for attempt in range(ATTEMPTS):
            question = draw(number, attempt)
            if question is None or question[:2] in asked:
                continue
            value, support = story.solved(question.op, *question.args)
            known = (question.op, value, *support)
            if known not in asked or attempt > OF_OTHERS:
                break
        else:
            raise BenchmarkError(f"a plot has fewer than {count} questions: use more tags, or longer texts")
        asked |= {question[:2], known}
        yield question


def moment(stream: Stream, first: int, last: int) -> int | None:
    """Draw the number of the line as of which a question asks, mostly before the end. None stands for the end."""
    return None if first >= last or stream.chance(0.25) else first + stream.below(last - first)
