"""Holds an episode log under construction: its lines, the book's sentences, and the current state."""

from __future__ import annotations

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.wording import FAKE_UID, PUBLISHED, Wording
from evaluation.goldevidence.generator.modes import Mode, Pool
from evaluation.goldevidence.generator.prf import below, free_id, throw

_new = tuple.__new__  # makes an Entry in a third of the time, 220 times per episode
#: The low bits of a die decide whether a value is near; the high ones, which are independent, pick the value.
LOW_BITS = 16


class Log:
    """An episode under construction, to which lines are only appended.

    `prose[i]` is the sentence in the book for `lines[i]`. `ledger[j]` is the entry of line number `line_of[j]`, and
    `pages[j]` its line in the book's ledger. Four fields are by key: `state` is the latest authoritative entry,
    `values` the current value, `past` the superseded values, `orders` the latest instruction: (value, kind).
    `order_lines` are the numbers of instruction lines. `kinds` lists (kind, key) of each line; it is empty if
    `published`. `names` is the random seed.
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
        """Start an empty log.

        `pool` lists the managers of a relational episode. `near` is the share of values that differ from the previous
        value of their key in one digit.
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
        current = self.values.get(key)
        if self.near and current is not None and is_near(a, self.near):
            value = near(current, a, b)
            if value != current:
                return value
        return self._move(current, a, b, self.pool)

    def say(self, kind: str, key: str, line: str, sentence: str) -> None:
        """Append one log line and its sentence in the book. `key` is the key that the line mentions, or empty."""
        if not self.published:
            self.kinds.append((kind, key))
        self.lines.append(line)
        self.prose.append(sentence)

    def claim(self, kind: str, step: int, key: str, value: str) -> str:
        """Record a NOTE and return its id, or "" if claims have no ids. The caller must append its line next."""
        wording = self.wording
        if not wording.ids_in_claims:
            return ""
        uid = free_id(throw(wording.salt, "id", kind, step)[0], self.used)
        entry = Entry(uid, step, "NOTE", key, value)
        self.ledger.append(entry)
        self.line_of.append(len(self.lines))
        self.pages.append(wording.page(entry))
        return uid

    def order(self, kind: str, key: str, value: str, variant: str, line: str, sentence: str) -> None:
        """Append a line that instructs the reader to answer `value`."""
        self.order_lines.add(len(self.lines))
        self.say(kind, key, line, sentence)
        self.orders[key] = (value, variant)

    def update(self, uid: str, step: int, op: str, key: str, value: str | None) -> None:
        """Append one ledger entry. A NOTE does not change the state; `value` is None for a CLEAR."""
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
    """True with probability `rate` if `die` is uniform in [0, 2**32). The next value is then near the last value."""
    return (die & ((1 << LOW_BITS) - 1)) < rate * (1 << LOW_BITS)


def near(value: str, a: int, b: int) -> str:
    """Change one digit of a value; unchanged if it has no digit, or if a set would contain a member twice.

    The first digit of a plain number stays above 0; sets stay sorted. `a` and `b`, uniform in [0, 2**32), choose
    position and digit.
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
