"""Plans the padding between the anchors (fixed lines) of an episode at each length, and builds the texts.

In a text of L tokens the update at position p begins at about token p * L. In each gap a longer text has all lines of a
shorter text, and further lines among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter

from evaluation.core.errors import BenchmarkError
from evaluation.core.tokens import digit_tokens
from evaluation.goldevidence.data.ledger import LOG_HEADING
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.ladder.episode import Anchor, Writer
from evaluation.goldevidence.generator.ladder.padding import STEP, Line, Order
from evaluation.goldevidence.generator.ladder.room import HEADING, entry_tokens
from evaluation.goldevidence.generator.ladder.rungs import is_of_length, rung_name

_FACE = attrgetter("face")


@dataclass(slots=True)
class Gap:
    """The padding after one anchor. A text contains the first few of `lines`; a longer text contains more of them."""

    supply: Iterator[Line]
    lines: list[Line] = field(default_factory=list)

    def line(self, number: int) -> Line:
        """Return line `number`, drawing further lines if needed."""
        while len(self.lines) <= number:
            self.lines.append(next(self.supply))
        return self.lines[number]


@dataclass(slots=True)
class Layout:
    """The padding and the positions of the anchors in a text of one length.

    `taken`: number of padding lines in each gap. `ends`: tokens up to the end of each anchor. `steps`: step of each
    anchor.
    """

    length: int
    reached: int  # tokens so far
    step: int = 0  # the last one
    taken: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)

    def stand(self, anchor: Anchor) -> None:
        if anchor.entry is not None:
            self.step += 1
            self.reached += len(str(self.step))
        self.reached += anchor.tokens
        self.ends.append(self.reached)
        self.steps.append(self.step)

    def fill(self, gap: Gap, until: float, at_least: int) -> None:
        """Add lines of a gap while they bring the text closer to `until` tokens, and no fewer than `at_least` lines."""
        taken, step = at_least, self.step + at_least
        reached = self.reached + sum(line.tokens for line in islice(gap.lines, at_least))
        reached += digits_of(self.step + 1, at_least)
        while True:
            tokens = gap.line(taken).tokens + len(str(step + 1))
            if reached + tokens / 2 > until:
                break
            reached, step, taken = reached + tokens, step + 1, taken + 1
        self.reached, self.step = reached, step
        self.taken.append(taken)


@dataclass(frozen=True, slots=True)
class Episode:
    writer: Writer
    anchors: Sequence[Anchor]
    gaps: Sequence[Gap]
    layouts: Sequence[Layout]

    def place_of(self, uid: str) -> int:
        return next(
            number
            for number, each in enumerate(self.anchors)
            if each.entry is not None and each.entry.uid == uid
        )

    def text(self, title: str, layout: Layout, instead: Mapping[int, str]) -> str:
        """Return the log at one length. `instead` maps numbers of anchors to the lines that replace them."""
        parts, step = [title, "", LOG_HEADING], 0
        for number, (anchor, gap, taken) in enumerate(
            zip(self.anchors, self.gaps, layout.taken, strict=True)
        ):
            step = layout.steps[number]
            parts.append(instead.get(number, anchor.text).replace(STEP, str(step)))
            lines = sorted(islice(gap.lines, taken), key=_FACE)
            parts += [line.text.replace(STEP, str(at)) for at, line in enumerate(lines, step + 1)]
        parts.append("")
        return "\n".join(parts)

    def orders(self, layout: Layout) -> dict[str, Order]:
        """Return the latest instruction about each tag, in the text of one length."""
        latest: dict[str, Order] = {}
        for gap, taken in zip(self.gaps, layout.taken, strict=True):
            ordering = [line for line in islice(gap.lines, taken) if line.order is not None]
            latest |= {
                line.claims: line.order for line in sorted(ordering, key=_FACE) if line.order is not None
            }
        return latest

    def is_ordered_since(self, layout: Layout, place: int, key: str) -> bool:
        """True if a line after anchor `place` instructs the reader to answer a value for the tag."""
        behind = zip(self.gaps[place:], layout.taken[place:], strict=True)
        return any(
            line.order is not None and line.claims == key
            for gap, taken in behind
            for line in islice(gap.lines, taken)
        )

    def claims_since(self, layout: Layout) -> list[Counter[str]]:
        """For each heading or entry, count later lines by the tag whose value they claim (`""` if they claim none)."""
        total: Counter[str] = Counter()
        since = []
        for gap, taken in zip(reversed(self.gaps), reversed(layout.taken), strict=True):
            total.update(line.claims for line in islice(gap.lines, taken))
            since.append(total.copy())
        return since[::-1]


def lay_out(config: GeneratorConfig, lengths: Sequence[int], writer: Writer, title: str) -> Episode:
    """Lay out an episode at every length, ascending. A gap is filled at all lengths before the next anchor is written.

    `title` is a placeholder as long as the titles of the texts. Raises BenchmarkError if a text misses its length
    because updates take more tokens than estimated.
    """
    head = digit_tokens(f"{title}\n\n{LOG_HEADING}\n")
    layouts = [Layout(length, head) for length in lengths]
    anchors: list[Anchor] = []
    gaps: list[Gap] = []
    aims, rooms = _aims(config, writer)
    for number, anchor in enumerate(writer.anchors()):
        gap = Gap(writer.padding.lines(number))
        anchors.append(anchor)
        gaps.append(gap)
        shorter = 0
        for layout in layouts:
            layout.stand(anchor)
            layout.fill(gap, min(aims[number] * layout.length, layout.length - rooms[number]), shorter)
            shorter = layout.taken[-1]
    for layout in layouts:
        if not is_of_length(layout.reached, layout.length):
            name = rung_name(layout.length)
            raise BenchmarkError(
                f"a text of {name} came out with {layout.reached} tokens: use fewer tags or writes"
            )
    return Episode(writer, anchors, gaps, layouts)


def _aims(config: GeneratorConfig, writer: Writer) -> tuple[list[float], list[int]]:
    """Return two lists: the share of the text at which each gap ends, and the tokens of all anchors after the gap."""
    aims = [place for place, *_ in writer.places[1:]] + [1.0]
    rooms, room = [], 0
    for _, _, _, op in reversed(writer.places):
        rooms.append(room)
        room += entry_tokens(config.state_mode) if op else HEADING
    return aims, rooms[::-1]


def digits_of(first: int, count: int) -> int:
    """Return the total number of digits of `count` consecutive numbers from `first` (>= 1)."""
    digits, last = 0, first + count - 1
    while first <= last:
        width = len(str(first))
        end = min(last, 10**width - 1)
        digits += width * (end - first + 1)
        first = end + 1
    return digits
