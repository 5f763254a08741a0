"""The episode log while it is written: its lines, the book's prose beside them, the state they leave."""

from __future__ import annotations

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.modes import Mode, Pool

FAKE_UID = "U000000"  # cited by quoted orders; never the id of a ledger line


class Log:
    """An append-only episode.

    `lines` and `prose` run in parallel: prose[i] is what the book's chapters make of log line i.
    `ledger[j]` is the entry of log line `line_of[j]`, and `pages[j]` its line in the book's ledger.
    `state` holds each key's latest authoritative entry, `values` what live keys hold, `past` each key's
    superseded values, and `orders` its latest instruction (value, variant).
    """

    __slots__ = (
        "keys",
        "ledger",
        "line_of",
        "lines",
        "mode",
        "orders",
        "pages",
        "past",
        "pool",
        "prose",
        "state",
        "values",
    )

    def __init__(self, mode: Mode, keys: list[str], pool: Pool) -> None:
        self.mode, self.keys, self.pool = mode, keys, pool
        self.lines: list[str] = []
        self.prose: list[str] = []
        self.ledger: list[Entry] = []
        self.pages: list[str] = []
        self.line_of: list[int] = []
        self.state: dict[str, Entry] = {}
        self.values: dict[str, str] = {}
        self.past: dict[str, list[str]] = {key: [] for key in keys}
        self.orders: dict[str, tuple[str, str]] = {}

    def decoy(self, key: str, a: int, b: int) -> str:
        """A plausible value that the key does not hold."""
        return self.mode.move(self.values.get(key), a, b, self.pool)

    def say(self, line: str, sentence: str) -> None:
        """Append one log line and its sentence in the book."""
        self.lines.append(line)
        self.prose.append(sentence)

    def update(self, uid: str, step: int, op: str, key: str, value: str | None) -> None:
        """Append one ledger entry. A NOTE leaves the state as it is."""
        entry = Entry(uid, step, op, key, value)
        self.ledger.append(entry)
        self.line_of.append(len(self.lines))
        line, told, kept = written(entry)
        self.lines.append(line)
        self.prose.append(told)
        self.pages.append(kept)
        if op == "NOTE":
            return
        self.state[key] = entry
        if key in self.values:
            self.past[key].append(self.values.pop(key))
        if value is not None:
            self.values[key] = value


def written(entry: Entry) -> tuple[str, str, str]:
    """An entry as the log records it, as the chapters tell it (without id, step or authority), and as the
    book's ledger keeps it.
    """
    uid, step, op, key, value = entry
    if value is None:
        told = f"Word came that {key} no longer holds anything."
        return f"- [{uid}] UPDATE step={step} {op} {key}", told, f"- [{uid}] step={step} {op} {key}"
    fact = f"{key} = {value}"
    told = f"In the margin somebody wrote {fact}." if op == "NOTE" else f"Word came that {fact}."
    return f"- [{uid}] UPDATE step={step} {op} {fact}", told, f"- [{uid}] step={step} {op} {fact}"
