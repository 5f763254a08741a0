"""Parses the text of a row (log, book, candidates, any text with ids) into marks: lines that concern a key, by key.

In the published grammar each line states its effect. In other texts the effects come from the gold's ledger; without
gold, only the tags that a line names are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from evaluation.core.plugin.replay import Mark
from evaluation.goldevidence.data.ledger import AUTHORITATIVE, LEDGER_HEADING, Entry, parse_book, parse_log
from evaluation.goldevidence.records import EpisodeRow

#: Any line of a published log: id, marker, step, content.
_LOG = re.compile(r"- (?:\[(U[0-9A-F]{6})\] )?([A-Z]{3,12}) step=(\d{1,18}) (.*)")
_ENTRY = re.compile(r"(?:BY [a-z]+ )?([A-Z]+) (tag\.\d{2,})(?: = (.*))?")
_PAGE = re.compile(r"- \[(U[0-9A-F]{6})\] step=(\d{1,18}) (?:BY [a-z]+ )?([A-Z]+) (tag\.\d{2,})(?: = (.*))?")
_TAG = re.compile(r"tag\.\d{2,}")
_CLAIM = re.compile(r"(tag\.\d{2,}) = ([^\s\"]*[^\s\".])")
_TEMPLATE = re.compile(r'FORMAT: respond with \{"value": "([^"]*)", "support_ids": \["(U[0-9A-F]{6})"\]')
_LAID_OUT = re.compile(r"and put (\S+) for (tag\.\d{2,})\.")
_ID = re.compile(r"\((U[0-9A-F]{6})\)")
#: Marker of the log -> kind of its line; for UPDATE lines the operation decides.
_KIND_OF_MARKER = {"DISTRACTOR": "claim", "SUMMARY": "claim", "INSTRUCTION": "order", "QUOTE": "order"}
#: Beginning of a chapter's sentence -> its kind. Sentences that tell of an update ("told") get no mark of their own.
_KIND_OF_SENTENCE = (
    ("Word came that ", "told"),
    ("In the margin somebody wrote ", "told"),
    ("Rumor had it that ", "claim"),
    ("A late echo still repeated ", "claim"),
    ("To recap what we know so far: ", "claim"),
    ("Ignore the ledger, a voice insisted; ", "order"),
    ("A template lay on the desk: ", "order"),
    ("A poster on the wall read ", "order"),
    ("Somebody brought up ", "aside"),
)
SENTENCE = "sentence"


class Read(NamedTuple):
    """A parsed text. `marks` has the marks of each key, in the order of the text."""

    title: str
    lines: Sequence[str]
    marks: Mapping[str, Sequence[Mark]]
    by_step: bool = True  # the axis is steps; False: lines of the text
    hidden: bool = False  # the effects of the sentences come from the gold's ledger


def read(row: EpisodeRow) -> Read | None:
    """Parse the candidates of a row, else its book, else its log. Returns None if the row has no text."""
    if (candidates := row.get("candidates")) is not None:
        entries = [Entry(c["uid"], c["step"], c["op"], c["key"], c["value"]) for c in candidates]
        marks = [(entry.key, _mark(entry, place)) for place, entry in enumerate(entries, 1)]
        return Read("Candidates, in the order shown", [entry.line() for entry in entries], _by_key(marks))
    book, document = row.get("book"), row.get("document")
    title, text = ("Book", book) if isinstance(book, str) and book else ("Log", document)
    if not isinstance(text, str) or not text:
        return None
    lines = text.replace("\r\n", "\n").split("\n")
    gold = row.get("gold")
    hidden = gold.get("ledger") if gold else None
    if hidden and not _says(text, hidden):
        return Read(title, lines, _by_key(_hidden(hidden, lines)), hidden=True)
    marks = list(_book_marks(text, lines) if LEDGER_HEADING in text else _log_marks(text, lines))
    if marks:
        return Read(title, lines, _by_key(marks))
    return Read(title, lines, _by_key(_sentence_marks(lines)), by_step=False)


def _says(text: str, ledger: str) -> bool:
    entries = parse_book(text) if LEDGER_HEADING in text else parse_log(text)
    return [entry.line() for entry in entries] == ledger.split("\n")


def _by_key(marks: Iterator[tuple[str, Mark]] | Sequence[tuple[str, Mark]]) -> dict[str, list[Mark]]:
    found: dict[str, list[Mark]] = {}
    for key, mark in marks:
        found.setdefault(key, []).append(mark)
    return found


def _mark(entry: Entry, line: int) -> Mark:
    uid, step, op, _, value = entry
    kind = "clear" if op == "CLEAR" else "note" if op == "NOTE" else "update"
    return Mark(step, kind if op == "NOTE" or op in AUTHORITATIVE else "unmarked", line, value, uid)


def _log_marks(text: str, lines: Sequence[str]) -> Iterator[tuple[str, Mark]]:
    """Yield (key, mark) for each statement of a log, or nothing if the log has another format."""
    if not parse_log(text) and "] UPDATE step=" not in text:
        return
    key_of: dict[str, str] = {}
    match_line, match_entry = _LOG.fullmatch, _ENTRY.fullmatch
    for number, line in enumerate(lines, 1):
        if (match := match_line(line)) is None:
            continue
        uid, marker, step, rest = match.groups()
        if marker == "UPDATE" and uid and (said := match_entry(rest)):
            op, key, value = said.groups()
            key_of[uid] = key
            yield key, _mark(Entry(uid, int(step), op, key, None if op == "CLEAR" else value), number)
        elif marker != "LOG" and (found := _claim(marker, rest, key_of)):
            key, kind, value = found
            yield key, Mark(int(step), kind, number, value)


def _claim(marker: str, rest: str, key_of: Mapping[str, str]) -> tuple[str, str, str | None] | None:
    """The key, kind (such as "order") and value in a line without authority, or None if it names no known key."""
    if template := _TEMPLATE.match(rest):
        value, uid = template.groups()
        return (key_of[uid], "order", value) if uid in key_of else None
    if (kind := _KIND_OF_MARKER.get(marker)) and (claim := _CLAIM.search(rest)):
        return claim[1], kind, claim[2]
    tag = _TAG.search(rest)
    return (tag[0], "aside", None) if tag else None


def _book_marks(text: str, lines: Sequence[str]) -> Iterator[tuple[str, Mark]]:
    start = lines.index(LEDGER_HEADING) if LEDGER_HEADING in lines else len(lines)
    yield from _chapter_marks(lines[:start], parse_book(text))
    for number, line in enumerate(lines[start:], start + 1):
        if match := _PAGE.fullmatch(line):
            uid, step, op, key, value = match.groups()
            yield key, _mark(Entry(uid, int(step), op, key, None if op == "CLEAR" else value), number)


def _chapter_marks(lines: Sequence[str], entries: Sequence[Entry]) -> Iterator[tuple[str, Mark]]:
    """Marks of the sentences in chapters. The step of a mark is the step of the last ledger entry told before it."""
    following, step = iter(entries), entries[0].step if entries else 0
    for number, line in enumerate(lines, 1):
        kind = next((kind for beginning, kind in _KIND_OF_SENTENCE if line.startswith(beginning)), None)
        if kind == "told":
            step = next((entry.step for entry in following), step)
        elif kind and (laid_out := _LAID_OUT.search(line)):
            yield laid_out[2], Mark(step, kind, number, laid_out[1])
        elif kind and (tag := _TAG.search(line)):
            claim = _CLAIM.search(line)
            yield tag[0], Mark(step, kind, number, claim[2] if claim else None)


def _hidden(ledger: str, lines: Sequence[str]) -> Iterator[tuple[str, Mark]]:
    """Yield a mark per ledger entry, with the number of the first line that has the entry's id, or 0 if none has."""
    line_of: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        for uid in (*_ID.findall(line), *_listed(line)):
            line_of.setdefault(uid, number)
    for match in map(_PAGE.fullmatch, ledger.split("\n")):
        if match:
            uid, step, op, key, value = match.groups()
            entry = Entry(uid, int(step), op, key, None if op == "CLEAR" else value)
            yield key, _mark(entry, line_of.get(uid, 0))


def _listed(line: str) -> tuple[str, ...]:
    match = _LOG.fullmatch(line) or _PAGE.fullmatch(line)
    return (match[1],) if match and match[1] else ()


def _sentence_marks(lines: Sequence[str]) -> Iterator[tuple[str, Mark]]:
    """Marks of tags in sentences with an id. Their value is None, because the effect of a sentence is unknown."""
    for number, line in enumerate(lines, 1):
        uids = _ID.findall(line)
        for tag in dict.fromkeys(_TAG.findall(line)) if uids else ():
            yield tag, Mark(number, SENTENCE, number, None, uids[0])
