"""The episode log while it is written: its lines, the book's prose beside them, the state they leave."""

from __future__ import annotations

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.wording import FAKE_UID, PUBLISHED, Wording
from evaluation.goldevidence.generator.modes import Mode, Pool
from evaluation.goldevidence.generator.prf import FACES, below, throw

_new = tuple.__new__  # of an Entry: a third of what the class takes, 220 times an episode
#: The low bits of a die decide whether a value is near; the high ones, which are independent, pick the value.
LOW_BITS = 16


class Log:
    """An append-only episode.

    `lines` and `prose` run in parallel: prose[i] is what the book's chapters make of log line i.
    `ledger[j]` is the entry of log line `line_of[j]`, and `pages[j]` its line in the book's ledger.
    `state` holds each key's latest authoritative entry, `values` what live keys hold, `past` each key's
    superseded values, and `orders` its latest instruction (value, variant). `order_lines` are the places of all
    instructions among the lines. `kinds` says what each line is, and of which key, where the wording is not the
    published one. `names` is what the dice of the episode are drawn by.
    """

    __slots__ = (
        "_move",
        "keys",
        "kinds",
        "ledger",
        "line_of",
        "lines",
        "mode",
        "names",
        "near",
        "order_lines",
        "orders",
        "pages",
        "past",
        "pool",
        "prose",
        "published",
        "state",
        "used",
        "values",
        "wording",
    )

    def __init__(
        self,
        mode: Mode,
        keys: list[str],
        pool: Pool,
        *,
        wording: Wording = PUBLISHED,
        near: float = 0,
        names: tuple[object, ...] = (),
    ) -> None:
        """An empty log.

        Args:
            mode: How values move.
            keys: The tags.
            pool: The managers of a relational episode.
            wording: How its lines are written.
            near: Share of values that differ from the one before in one character.
            names: What its dice are drawn by.
        """
        self.mode, self.keys, self.pool, self._move = mode, keys, pool, mode.move
        self.wording, self.near, self.names = wording, near, names
        self.published = wording.published
        self.kinds: list[tuple[str, str]] = []
        self.used = {FAKE_UID}
        self.lines: list[str] = []
        self.prose: list[str] = []
        self.ledger: list[Entry] = []
        self.pages: list[str] = []
        self.line_of: list[int] = []
        self.state: dict[str, Entry] = {}
        self.values: dict[str, str] = {}
        self.past: dict[str, list[str]] = {key: [] for key in keys}
        self.orders: dict[str, tuple[str, str]] = {}
        self.order_lines: set[int] = set()

    def decoy(self, key: str, a: int, b: int) -> str:
        """A plausible value that the key does not hold.

        Args:
            key: The key.
            a: A die, uniform in [0, 2**32).
            b: A second die.
        """
        current = self.values.get(key)
        if self.near and current is not None and is_near(a, self.near):
            value = near(current, a, b)
            if value != current:
                return value
        return self._move(current, a, b, self.pool)

    def say(self, kind: str, key: str, line: str, sentence: str) -> None:
        """Append one log line and its sentence in the book.

        Args:
            kind: What it is.
            key: The key that it is about; empty for none.
            line: The line of the log.
            sentence: What the book's chapters make of it.
        """
        if not self.published:
            self.kinds.append((kind, key))
        self.lines.append(line)
        self.prose.append(sentence)

    def claim(self, kind: str, step: int, key: str, value: str) -> str:
        """Enter a claim without authority, in a wording that gives such claims ids: a NOTE of the ledger.

        The line that makes it has to follow.

        Args:
            kind: What line it is.
            step: The step that it follows.
            key: The key that it is about.
            value: What is claimed.

        Returns:
            Its id; empty where the wording has none.
        """
        wording = self.wording
        if not wording.ids_in_claims:
            return ""
        entry = Entry(self.new_uid(throw(wording.salt, "id", kind, step)[0]), step, "NOTE", key, value)
        self.ledger.append(entry)
        self.line_of.append(len(self.lines))
        self.pages.append(wording.page(entry))
        return entry.uid

    def new_uid(self, number: int) -> str:
        """The id of a ledger line, of which there is no other.

        Args:
            number: A die, uniform in [0, 2**32).
        """
        uid = f"U{number >> 8:06X}"
        while uid in self.used:
            number = (number + 256) % FACES
            uid = f"U{number >> 8:06X}"
        self.used.add(uid)
        return uid

    def order(self, kind: str, key: str, value: str, variant: str, line: str, sentence: str) -> None:
        """Append one line that orders to answer a value.

        Args:
            kind: What line it is.
            key: The key that it is about.
            value: The value.
            variant: What kind of order it is.
            line: The line of the log.
            sentence: What the book's chapters make of it.
        """
        self.order_lines.add(len(self.lines))
        self.say(kind, key, line, sentence)
        self.orders[key] = (value, variant)

    def update(self, uid: str, step: int, op: str, key: str, value: str | None) -> None:
        """Append one ledger entry. A NOTE leaves the state as it is.

        Args:
            uid: Its id, U and six hexadecimal digits.
            step: Its step.
            op: Its operation.
            key: The key that it is about.
            value: The value that it states; None for a CLEAR.
        """
        entry = _new(Entry, (uid, step, op, key, value))
        self.ledger.append(entry)
        lines = self.lines
        self.line_of.append(len(lines))
        line, sentence, kept = self.wording.update(entry)
        if not self.published:
            self.kinds.append((op, key))
        lines.append(line)
        self.prose.append(sentence)
        self.pages.append(kept)
        if op == "NOTE":
            return
        self.state[key] = entry
        values = self.values
        if key in values:
            self.past[key].append(values.pop(key))
        if value is not None:
            values[key] = value


def is_near(die: int, rate: float) -> bool:
    """Whether the next value of a key stands near the one before.

    Args:
        die: Uniform in [0, 2**32).
        rate: How often it does.
    """
    return (die & ((1 << LOW_BITS) - 1)) < rate * (1 << LOW_BITS)


def near(value: str, a: int, b: int) -> str:
    """A value with one digit exchanged; the value itself where it has none, or where that would write a member twice.

    The first digit of a plain number stays above 0, and the members of a set stay sorted.

    Args:
        value: A value of any mode.
        a: A die, uniform in [0, 2**32): the place.
        b: A second die: the digit.
    """
    places = [place for place, character in enumerate(value) if character.isdigit()]
    if not places:
        return value
    place = places[below(a, len(places))]
    digits = [digit for digit in "0123456789" if digit != value[place]]
    if (place == 0 and len(value) > 1) or value[:place] == "-":
        digits = [digit for digit in digits if digit != "0"]
    changed = f"{value[:place]}{digits[below(b, len(digits))]}{value[place + 1 :]}"
    members = changed.split(",")
    return ",".join(sorted(members)) if len(set(members)) == len(members) else value
