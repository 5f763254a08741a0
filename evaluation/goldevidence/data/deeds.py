"""Parses the lines (deeds) of texts that contain retractions and rights beside updates and notes.

    - [U6HEX] UPDATE step=N SET tag.NN = v                          in the log; CLEAR and NOTE likewise
    - [U6HEX] UPDATE step=N BY role SET tag.NN = v
    - [U6HEX] RETRACT step=N of U6HEX
    - [U6HEX] GRANT step=N role may set odd tags from step a
    - [U6HEX] REVOKE step=N role may not set odd tags from step a
    - [U6HEX] RULE step=N any role may set odd tags from step a
    - [U6HEX] RULE step=N only roles with a grant may set odd tags from step a
    - [U6HEX] step=N RETRACT of U6HEX                               in the ledger of the book; other lines likewise

Other texts are read by `data.ledger`, which does not recognise these additional lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from evaluation.goldevidence.data.forms import is_id
from evaluation.goldevidence.data.ledger import (
    AUTHORITATIVE,
    LEDGER_HEADING,
    LOG_HEADING,
    Claim,
    LedgerText,
    Line,
    with_plain_ends,
)

GROUPS = ("even", "odd")  # groups of tags, by their number
OPEN, CLOSED = "open", "closed"  # the two rules of a group
_SAYS = {
    "GRANT": "may set {} tags from step {}",
    "REVOKE": "may not set {} tags from step {}",
    OPEN: "any role may set {} tags from step {}",
    CLOSED: "only roles with a grant may set {} tags from step {}",
}
_LOG = re.compile(r"^- \[(U[0-9A-F]{6})\] ([A-Z]+) step=(\d{1,18}) (.*)$", re.MULTILINE)
_BOOK = re.compile(r"^- \[(U[0-9A-F]{6})\] step=(\d{1,18}) (.*)$", re.MULTILINE)
#: The key is a tag, or the name of a thing (texts of sentences, in the gold's ledger).
_UPDATE = re.compile(r"(?:BY ([a-z]+) )?([A-Z]+) (tag\.\d{2,}|[A-Za-z][^=]*?)(?: = (.*))?")
_new = tuple.__new__  # makes a Deed in half the time, once per line
_RETRACT = re.compile(r"RETRACT of (U[0-9A-F]{6})")
_RIGHT = re.compile(
    r"(GRANT|REVOKE|RULE) (?:(any role|only roles with a grant)|([a-z]+)) (may|may not) set (even|odd) tags from step "
    r"(\d{1,18})"
)


class Deed(NamedTuple):
    """A line with an id: an update, a note, a retraction, or a grant, revocation or rule about rights."""

    uid: str
    step: int
    op: str  # SET | CLEAR | NOTE | RETRACT | GRANT | REVOKE | RULE
    key: str  # the tag; the group for rights; empty for a retraction
    value: str | None  # for a retraction the id it takes back, for a rule OPEN or CLOSED
    by: str = ""  # the role of an update under rights, a grant or a revocation
    since: int = 0  # the step from which a right holds

    @property
    def updates(self) -> bool:
        """True if the line is an update, valid or not."""
        return self.op in AUTHORITATIVE

    def says(self) -> str:
        """The words of the line, without its id and step."""
        match self.op:
            case "RETRACT":
                return f"RETRACT of {self.value}"
            case "RULE":
                return f"RULE {_SAYS[self.value or OPEN].format(self.key, self.since)}"
            case "GRANT" | "REVOKE":
                return f"{self.op} {self.by} {_SAYS[self.op].format(self.key, self.since)}"
            case _:
                by = f"BY {self.by} " if self.by else ""
                return f"{by}{self.op} {self.key}" + ("" if self.value is None else f" = {self.value}")

    def line(self) -> str:
        return f"- [{self.uid}] step={self.step} {self.says()}"

    def log_line(self, step: object) -> str:
        said = self.says()
        if self.op in _ALONE:
            return f"- [{self.uid}] {self.op} step={step} {said.partition(' ')[2]}"
        return f"- [{self.uid}] UPDATE step={step} {said}"

    def shown(self) -> Line:
        """The line as a tuple for grading: step, operation, key, value, role, since, id."""
        return (*self[1:], self.uid)


#: Length of `- [U0A0A0A] step=`.
_BEFORE_STEP = 17
_ALONE = frozenset({"RETRACT", "GRANT", "REVOKE", "RULE"})


def deed_of(line: Line) -> Deed:
    """Return the deed of a line made by `Deed.shown`. A line of only four fields gets an empty id."""
    if len(line) == 7:
        return _new(Deed, (line[6], *line[:6]))
    return Deed("", *line)


def counts(op: str) -> bool:
    """True if a line with this operation may establish an answer: every operation but NOTE."""
    return op in AUTHORITATIVE or op in _ALONE


def log_deeds(document: str) -> list[Deed]:
    return list(_in_log(document))


def book_deeds(book: str) -> list[Deed]:
    start = book.find(LEDGER_HEADING)
    return [] if start < 0 else list(_in_ledger(book[start:]))


def _in_log(text: str) -> Iterator[Deed]:
    for uid, marker, step, rest in _LOG.findall(text):
        said = rest if marker == "UPDATE" else f"{marker} {rest}"
        if (deed := _read(uid, step, said)) is not None and (deed.op in _ALONE) == (marker != "UPDATE"):
            yield deed


def _in_ledger(text: str) -> Iterator[Deed]:
    for uid, step, said in _BOOK.findall(text):
        if (deed := _read(uid, step, said)) is not None:
            yield deed


def _read(uid: str, step: str, said: str) -> Deed | None:
    if said.partition(" ")[0] not in _ALONE:
        if (found := _UPDATE.fullmatch(said)) is None or found[2] in _ALONE:
            return None
        by, op, key, value = found.groups()
        return _new(Deed, (uid, int(step), op, key, None if op == "CLEAR" else value, by or "", 0))
    if found := _RETRACT.fullmatch(said):
        return Deed(uid, int(step), "RETRACT", "", found[1])
    return _right(uid, int(step), *found.groups()) if (found := _RIGHT.fullmatch(said)) else None


def _right(
    uid: str, step: int, op: str, rule: str | None, role: str | None, may: str, group: str, since: str
) -> Deed | None:
    if op == "RULE":
        if rule is None or may != "may":
            return None
        return Deed(uid, step, op, group, OPEN if rule == "any role" else CLOSED, "", int(since))
    if role is None or (may == "may") != (op == "GRANT"):
        return None
    return Deed(uid, step, op, group, None, role, int(since))


class DeedLedger(LedgerText):
    """Parses all lines of a text at once, because a text of a question family has only about a hundred."""

    def __init__(self, text: str, *, in_log: bool = False) -> None:
        super().__init__(text, _LOG if in_log else _BOOK)
        self._in_log = in_log
        self._deeds: dict[str, Deed] | None = None

    @property
    def deeds(self) -> dict[str, Deed]:
        """The deeds by id. If several have the same id, the last counts."""
        if self._deeds is None:
            found = _in_log(self._text) if self._in_log else _in_ledger(self._text)
            self._deeds = {deed.uid: deed for deed in found}
        return self._deeds

    def entries(self) -> list[Any]:
        return list(self.deeds.values())

    def has_note(self, key: str) -> bool:
        # A text of sentences has thousands of notes, so the text is searched instead of parsed.
        return f" NOTE {key} = " in self._text

    def _search(self, uid: str) -> Line | None:
        if self._in_log:
            deed = self.deeds.get(uid)
            return None if deed is None else deed.shown()
        if not is_id(uid):  # any other text might match part of a line
            return None
        text, start = self._text, len(self._text)
        head = f"- [{uid}] "
        while (start := text.rfind(head, 0, start)) >= 0:
            if start == 0 or text[start - 1] == "\n":
                stop = text.find("\n", start)
                deed = self._read_line(text[start : stop if stop >= 0 else len(text)], uid)
                if deed is not None:
                    return deed.shown()
        return None

    def _read_line(self, line: str, uid: str) -> Deed | None:
        step, _, said = line[_BEFORE_STEP:].partition(" ")  # half the time of the pattern
        return (
            _read(uid, step, said)
            if step.isdecimal() and line.startswith("step=", _BEFORE_STEP - 5)
            else None
        )

    def _claims(self) -> dict[str, list[Claim]]:
        claims: dict[str, list[Claim]] = {}
        for deed in self.deeds.values():
            if deed.op not in _ALONE:
                claims.setdefault(deed.key, []).append((deed.op, deed.value))
        return claims


def deeds_in_log(document: str) -> DeedLedger:
    """Parse the deeds of a log; empty if the log has no heading."""
    start = document.find(LOG_HEADING)
    return DeedLedger(with_plain_ends(document[start:]) if start >= 0 else "", in_log=True)


def deeds_in_book(book: str) -> DeedLedger:
    start = book.find(LEDGER_HEADING)
    return DeedLedger(with_plain_ends(book[start:]) if start >= 0 else "")
