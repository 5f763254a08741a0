"""The episode log while it is written: its lines, the book's prose beside them, the state they leave."""

from __future__ import annotations

from evaluation.goldevidence.ledger import Entry
from evaluation.goldevidence.modes import Mode, Pool

FAKE_UID = "U000000"  # cited by quoted orders; never the id of a ledger line


class Log:
    """An append-only episode.

    `lines` and `prose` run in parallel: prose[i] is what the book's chapters make of log line i.
    `ledger[j]` is the entry of log line `line_of[j]`; `state` holds each key's latest authoritative entry.
    `past` holds each key's superseded values and `orders` its latest instruction (value, variant).
    """

    __slots__ = (
        "keys",
        "ledger",
        "line_of",
        "lines",
        "live",
        "mode",
        "orders",
        "past",
        "pool",
        "prose",
        "state",
    )

    def __init__(self, mode: Mode, keys: list[str], pool: Pool) -> None:
        self.mode, self.keys, self.pool = mode, keys, pool
        self.lines: list[str] = []
        self.prose: list[str] = []
        self.ledger: list[Entry] = []
        self.line_of: list[int] = []
        self.state: dict[str, Entry] = {}
        self.past: dict[str, list[str]] = {key: [] for key in keys}
        self.orders: dict[str, tuple[str, str]] = {}
        self.live = 0  # keys that hold a value

    def value(self, key: str) -> str | None:
        """What the key holds now; None where it was never set or is cleared."""
        entry = self.state.get(key)
        return entry.value if entry else None

    def decoy(self, key: str, a: int, b: int) -> str:
        """A plausible value that the key does not hold."""
        return self.mode.move(self.value(key), a, b, self.pool)

    def say(self, line: str, sentence: str) -> None:
        """Append one log line and its sentence in the book."""
        self.lines.append(line)
        self.prose.append(sentence)

    def heading(self, number: int) -> None:
        """Begin a segment of the log and the chapter of the book that tells it."""
        self.say(f"\n### Segment {number}", f"\n## Chapter {number}")

    def update(self, uid: str, step: int, op: str, key: str, value: str | None) -> None:
        """Append one ledger entry. A NOTE leaves the state as it is."""
        entry = Entry(uid, step, op, key, value)
        self.ledger.append(entry)
        self.line_of.append(len(self.lines))
        self.say(log_line(entry), sentence(entry))
        if op == "NOTE":
            return
        before = self.value(key)
        if before is not None:
            self.past[key].append(before)
        self.live += (value is not None) - (before is not None)
        self.state[key] = entry


def log_line(entry: Entry) -> str:
    """The entry as an UPDATE line of the episode log."""
    uid, step, op, key, value = entry
    if value is None:
        return f"- [{uid}] UPDATE step={step} {op} {key}"
    return f"- [{uid}] UPDATE step={step} {op} {key} = {value}"


def sentence(entry: Entry) -> str:
    """The entry as the book's chapters tell it: without id, step or authority."""
    _, _, op, key, value = entry
    if value is None:
        return f"Word came that {key} no longer holds anything."
    if op == "NOTE":
        return f"In the margin somebody wrote {key} = {value}."
    return f"Word came that {key} = {value}."
