"""Writes a plot as one text of a given length, with its own names, values, ids, steps and padding."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from evaluation.core.errors import BenchmarkError
from evaluation.core.rng import Stream
from evaluation.goldevidence.data.deeds import Deed
from evaluation.goldevidence.data.families import Solved, solve
from evaluation.goldevidence.generator.families.asking import SLOTS
from evaluation.goldevidence.generator.families.authority import ROLES
from evaluation.goldevidence.generator.families.plot import Change, Plot, Question
from evaluation.goldevidence.generator.ladder.padding import STEP, Line, Meter, Order
from evaluation.goldevidence.generator.ladder.room import HEADING
from evaluation.goldevidence.generator.ladder.rungs import is_of_length, rung_name
from evaluation.goldevidence.generator.modes import color_of
from evaluation.goldevidence.generator.renaming import Renaming
from evaluation.goldevidence.generator.rows import TITLE

_STEPS = frozenset({"first", "last", "when"})  # slots of a question that hold a step
#: Placeholder for the step from which a right holds, while the steps of later lines are unknown.
SINCE = "\1"
_KEYED = "u0a0a0a0a0a0a"  # as long as the published id of a text


class Said(NamedTuple):
    """A written line of a plot, with the placeholder `STEP` for its step; `page` is its line in the book's ledger."""

    text: str
    tokens: int  # with the newline and its page, without the digits of its step
    page: str = ""


class Voice(Protocol):
    """Writes the lines of one form of text: log, book or prose. `keys` are the tags or things of the text."""

    meter: Meter
    line_tokens: int  # approximate, of a line of the plot with its page: room reserved for later lines
    dated: bool  # True if a line of padding shows its step

    def head(self, title: str, keys: Sequence[str]) -> str:
        """Return the fixed text before the first line and after the last line; it counts towards the length."""

    def heading(self, number: int) -> str:
        """Return the heading of part `number`, from 1."""

    def deed(self, deed: Deed, changes: Sequence[Change]) -> Said:
        """Write a line of the plot. `changes`: tag values after the line, on which later padding depends."""

    def padding(self, gap: int) -> Iterator[Line]:
        """Yield an endless stream of lines that change nothing, to follow line `gap` of the plot."""

    def text(self, title: str, keys: Sequence[str], lines: Sequence[str], pages: Sequence[str]) -> str:
        """Join the lines to the complete text."""


@dataclass(slots=True)
class Told:
    """A finished text, its deeds (lines with an id), and the facts that its questions need."""

    text: str
    deeds: list[Deed]
    last: int  # its last step
    tokens: int
    orders: dict[str, tuple[int, Order]]  # the latest instruction about each tag, and its step
    claims: list[tuple[int, str]]  # (step, tag) of the lines that claim a value
    ends: list[int]  # tokens up to the end of each line of the plot
    moments: list[int]  # for each line of the plot a step before the next one

    def claims_after(self, step: int, key: str) -> int:
        """Count the lines after a step that claim a value of a tag; with an empty key, of any tag."""
        later = self.claims[bisect_right(self.claims, (step, "\U0010ffff")) :]
        return len(later) if not key else sum(about == key for _, about in later)


@dataclass(slots=True)
class _Body:
    reached: int
    dated: bool
    step: int = 0
    lines: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    claims: list[tuple[int, str]] = field(default_factory=list)
    orders: dict[str, tuple[int, Order]] = field(default_factory=dict)

    def stand(self, said: Said) -> None:
        self.step += 1
        step = str(self.step)
        self.reached += said.tokens + len(step)
        self.lines.append(said.text.replace(STEP, step, 1))
        if said.page:
            self.pages.append(said.page.replace(STEP, step, 1))

    def head(self, voice: Voice, number: int) -> None:
        text = voice.heading(number)
        # The heading's first newline merges with that of the line before.
        self.lines.append(text)
        self.reached += voice.meter(text) - 1

    def date(self, deeds: Sequence[Deed], places: Sequence[int]) -> None:
        """Write the steps from which rights hold into the finished lines, in place of placeholders."""
        for number, (deed, place) in enumerate(zip(deeds, places, strict=True)):
            if deed.since:
                self.lines[place] = self.lines[place].replace(SINCE, str(deed.since))
                if self.pages:
                    self.pages[number] = self.pages[number].replace(SINCE, str(deed.since))

    def fill(self, padding: Iterator[Line], until: float) -> None:
        """Append lines of padding as long as they bring the text closer to `until` tokens."""
        reached, step, lines, dated = self.reached, self.step, self.lines, self.dated
        for text, tokens, key, order, _ in padding:
            number = str(step + 1)
            if dated:
                tokens += len(number)
            if reached + tokens / 2 > until:
                break
            step += 1
            reached += tokens
            lines.append(text.replace(STEP, number, 1))
            if key:
                self.claims.append((step, key))
                if order is not None:
                    self.orders[key] = step, order
        self.reached, self.step = reached, step


class Cast:
    """The names that one text uses for the tags, values, ids and roles of a plot."""

    def __init__(self, plot: Plot, renaming: Renaming, things: Sequence[str] = ()) -> None:
        """`things` are names that replace the tags, in order. If there are no things, the text names tags."""
        stream, roles = Stream(renaming.salt.hex(), "roles"), list(ROLES)
        stream.shuffle(roles)
        self.renaming, self.mode = renaming, plot.mode
        self._role = dict(zip(ROLES, roles, strict=True))
        self._thing = dict(zip(plot.keys, things, strict=True)) if things else {}

    def key(self, key: str) -> str:
        """Return the name of a tag in the text. The groups "odd" and "even" keep their names, as odd tags stay odd."""
        return self._thing[key] if key in self._thing else self.renaming.tag(key)

    def value(self, value: str) -> str:
        """Return a value as the text writes it. In `relational` plots values are tags."""
        return self.key(value) if self.mode == "relational" else self.renaming.value(value)

    def deed(self, deed: Deed) -> Deed:
        """Return a line of the plot in the names that the text uses. Its steps are still those of the plot."""
        value = deed.value
        if deed.op == "RETRACT":
            value = self.renaming.uid(value or "")
        elif value is not None and deed.op != "RULE":
            value = self.value(value)
        uid, by = self.renaming.uid(deed.uid), self._role.get(deed.by, "")
        return deed._replace(uid=uid, key=self.key(deed.key), value=value, by=by)

    def change(self, change: Change) -> Change:
        value = None if change.value is None else self.value(change.value)
        return Change(self.key(change.key), value, self.renaming.uid(change.uid) if change.uid else "")


def tell(plot: Plot, voice: Voice, cast: Cast, length: int, title: str, parts: int) -> Told:
    """Write a plot as a text of `length` tokens. Raises BenchmarkError if its lines need more tokens."""
    stream = Stream(cast.renaming.salt.hex(), "layout")
    keys = sorted(map(cast.key, plot.keys))
    body = _Body(voice.meter(voice.head(f"{TITLE} {_KEYED}", keys)) - 1, voice.dated)
    renamed = [cast.deed(deed) for deed in plot.deeds]
    steps, ends, places = list[int](), list[int](), list[int]()
    events = _events(plot.end, parts, stream)
    rooms = _rooms(events, voice)
    for number, (_, deed, heading) in enumerate(events):
        if deed < 0:
            body.head(voice, heading)
        else:
            places.append(len(body.lines))
            body.stand(voice.deed(renamed[deed], [cast.change(each) for each in plot.truth[deed]]))
            steps.append(body.step)
            ends.append(body.reached)
        until = events[number + 1][0] if number + 1 < len(events) else 1.0
        body.fill(voice.padding(number), min(until * length, length - rooms[number]))
    if not is_of_length(body.reached, length):
        raise BenchmarkError(
            f"a text of {rung_name(length)} came out with {body.reached} tokens: use fewer tags or a longer length"
        )
    deeds = _dated(renamed, steps, stream)
    body.date(deeds, places)
    moments = [
        step + stream.below(until - step)
        for step, until in zip(steps, [*steps[1:], body.step + 1], strict=True)
    ]
    text = voice.text(title, keys, body.lines, body.pages)
    return Told(text, deeds, body.step, body.reached, body.orders, body.claims, ends, moments)


def _events(count: int, parts: int, stream: Stream) -> list[tuple[float, int, int]]:
    """Draw positions of the plot's lines and the headings. Returns (position, line or -1, heading or 0), by position.

    A position is a share of the text. The lines are spread evenly, with random shifts, so that a question has about
    the same depth in every text.
    """
    lines = [((number + stream.random()) / count, number, 0) for number in range(count)]
    headings = [(0.0, -1, 1)]
    headings += [((part + stream.random() / 2) / parts, -1, part + 1) for part in range(1, parts)]
    return sorted([*lines, *headings])


def _rooms(events: Sequence[tuple[float, int, int]], voice: Voice) -> list[int]:
    rooms, room = [], 0
    for _, deed, _ in reversed(events):
        rooms.append(room)
        room += HEADING if deed < 0 else voice.line_tokens
    return rooms[::-1]


def _dated(deeds: Sequence[Deed], steps: Sequence[int], stream: Stream) -> list[Deed]:
    """Replace the steps of the plot by those of the text.

    A right that holds from line n on begins at a step after that of line n - 1, and no later than that of line n.
    Rights that hold from the same line begin at the same step.
    """
    begins = {deed.since: steps[deed.since - 1] for deed in deeds if deed.since == deed.step}
    dated = []
    for deed, step in zip(deeds, steps, strict=True):
        since = deed.since
        if since and since not in begins:
            before = steps[min(since, len(steps) + 1) - 2] if since > 1 else 0
            until = steps[since - 1] if since <= len(steps) else before + since
            begins[since] = before + 1 + stream.below(until - before)
        dated.append(deed._replace(step=step, since=begins[since] if since else 0))
    return dated


def asked_of(told: Told, question: Question, cast: Cast) -> tuple[tuple[Any, ...], Solved]:
    """Return a question's parameters in the names of a text, and its gold answer."""
    args = tuple(
        _argument(told, cast, slot, value)
        for slot, value in zip(SLOTS[question.op], question.args, strict=True)
    )
    return args, solve(question.op, args, told.deeds)


def _argument(told: Told, cast: Cast, slot: str, value: Any) -> Any:
    if slot in _STEPS:
        return None if value is None else told.moments[value - 1]
    if slot == "color":
        return color_of(cast.value(f"{value}-0000"))
    return cast.key(value) if slot in ("key", "thing") else value
