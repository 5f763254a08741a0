"""Writes the questions of the families, and parses a question from its text alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from evaluation.goldevidence.data.families import MOST_LINES

THE_END = "the end"
_FIRST = f"of more than {MOST_LINES} such lines the first {MOST_LINES}."
#: `{when}` is a step or the end of the text.
FORMS = {
    "count_changed": "How many tags hold another value at step {last} than at step {first}? A tag that was cleared "
    "holds nothing, which differs from every value; notes change nothing. Cite of each such tag its last update up to "
    "step {last}, " + _FIRST,
    "most_changed": "Which tag was updated most often after step {first}, up to and including step {last}? Clears "
    "count and notes do not; of several it is the one whose last update there comes first. Cite all of these updates "
    "of it, " + _FIRST,
    "count_holding": "How many tags hold a value of the color {color} (the word before the hyphen) at {when}? Notes "
    "change nothing. Cite of each such tag the update that holds, " + _FIRST,
    "reached": "Each tag reports to the tag that it holds. Which tag is reached from {key} by going up {number} "
    "times, as things are at {when}? Notes change nothing. Cite the update that holds for each time.",
    "nth": "Which value did update number {number} of {key} set, going by the text up to {when}? Clears count and "
    "notes do not. An update that was retracted never happened, and a retraction that was itself retracted takes "
    "nothing back. Cite the first {number} updates that count.",
    "held": "What does {key} hold at {when}? Only lines up to then count, and an update by a role without the right at "
    "its step changes nothing. The right follows from the grants and revocations of that role for such tags (odd or "
    "even ones) that begin by the step of the update: the one that begins last decides, the later line of two. Without "
    "any it follows in the same way from the rules for such tags, and without those there is none. Cite the update "
    "that holds, and the line that gives its role the right.",
    "meant": "Which label applies at the end to {thing}?",
}
#: Slots by kind of question, in the order of its parameters.
SLOTS = {
    "count_changed": ("first", "last"),
    "most_changed": ("first", "last"),
    "count_holding": ("color", "when"),
    "reached": ("key", "number", "when"),
    "nth": ("key", "number", "when"),
    "held": ("key", "when"),
    "meant": ("thing",),
}
_NUMBERS = frozenset({"first", "last", "number"})
_PATTERNS = {
    "first": r"[0-9]{1,18}",
    "last": r"[0-9]{1,18}",
    "number": r"[0-9]{1,4}",
    "color": r"[a-z]+",
    "key": r"tag\.[0-9]{2,}",
    "when": r"the end|step [0-9]{1,18}",
    "thing": r"[^?\n]+",
}


class Asks(NamedTuple):
    op: str
    key: str | None  # the tag named
    args: tuple[Any, ...]  # in the form of `data.families`; for `meant` the words that describe a thing


def ask(op: str, args: Sequence[Any]) -> str:
    """Return the first line of a question."""
    slots = dict(zip(SLOTS[op], args, strict=True))
    if "when" in slots:
        slots["when"] = THE_END if slots["when"] is None else f"step {slots['when']}"
    return FORMS[op].format(**slots)


def read(line: str) -> Asks | None:
    """Parse the first line of a question; None if the question belongs to no family."""
    for op, form in _FORMS.items():
        if found := form.fullmatch(line):
            slots = found.groupdict()
            return Asks(op, slots.get("key"), tuple(_argument(name, slots[name]) for name in SLOTS[op]))
    return None


def _argument(slot: str, said: str) -> Any:
    if slot == "when":
        return None if said == THE_END else int(said.removeprefix("step "))
    return int(said) if slot in _NUMBERS else said


def _form(sentence: str) -> re.Pattern[str]:
    pattern, seen = "", set[str]()
    for part in re.split(r"\{([a-z]+)\}", sentence):
        if part not in _PATTERNS:
            pattern += re.escape(part)
        elif part in seen:
            pattern += f"(?P={part})"
        else:
            seen.add(part)
            pattern += f"(?P<{part}>{_PATTERNS[part]})"
    return re.compile(pattern)


_FORMS = {op: _form(sentence) for op, sentence in FORMS.items()}
