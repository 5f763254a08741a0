"""Finds phrases in a response, in all wordings of the ground truth and in other forms of the same quantity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from evaluation.core.errors import RowError
from evaluation.statebench.data.truth import Mention
from evaluation.statebench.grading import phrases
from evaluation.statebench.grading.typed.quantities import same_value
from evaluation.statebench.language.values import Value, find_values

#: Kinds for which `Value` normalises every spelling.
_QUANTITIES = frozenset({"money", "percent"})
_TWO_WORDS = re.compile(r"[a-z]+ [a-z]+")
_INNER = frozenset("-:/.")
_FEW = 3  # maximum words of a phrase that is mainly a quantity: "costs $23"
_NUMBERED = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|dozen)\b"
)
_CALENDAR = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|q[1-4]|to[dnm]|next|this|end)|\b\d{4}-\d\d"
)


@dataclass(frozen=True, slots=True)
class Sought:
    """A phrase to find, by `wordings` or a regex `pattern`. `whole`: the phrase is nothing but the quantity `value`."""

    text: str
    wordings: tuple[str, ...]
    pattern: re.Pattern[str] | None = None
    value: Value | None = None
    whole: bool = False

    def found(self, text: str, values: Sequence[Value]) -> list[tuple[int, int]]:
        """Return start and end of each occurrence in a `plain.plain` text. `values` are the quantities of the text."""
        places = []
        if self.pattern is not None:
            places = [match.span() for match in self.pattern.finditer(text) if match[0]]
        for wording in self.wordings:
            if wording in text:
                places += [(start, start + len(wording)) for start in phrases.strict_starts((wording,), text)]
        if self.value is not None and values:
            places += [
                (value.start, value.start + len(value.text))
                for value in values
                if not _is_covered(value.start, places) and self._is_same(value)
            ]
        return places

    def _is_same(self, value: Value) -> bool:
        own = self.value
        assert own is not None
        if value.is_same(own):
            return True
        # Money and percentages have a canonical form, so two that differ in it are different values.
        told_apart = value.kind == own.kind and value.kind in _QUANTITIES
        return not told_apart and same_value(value.text, own.text)

    def rivals(self, values: Sequence[Value]) -> list[Value]:
        """Return the quantities in `values` that contradict the phrase. Empty unless the phrase is only a quantity."""
        if self.value is None or not self.whole:
            return []
        own = self.value
        return [value for value in values if value.conflicts(own) and not _is_part(value.canon, own.canon)]


_CLOSE = range(12)  # characters from the start of a phrase to its quantity: "costs $23"


def _is_covered(start: int, places: Sequence[tuple[int, int]]) -> bool:
    return any(start - begun in _CLOSE for begun, _ in places) if places else False


def _is_part(one: str, other: str) -> bool:
    """True if two canonical times may agree: one includes the other, or their kinds differ (a weekday and a date)."""
    kinds = one.partition(":")[0], other.partition(":")[0]
    if ":" not in one or ":" not in other:
        return False
    return kinds[0] != kinds[1] or one.startswith(other) or other.startswith(one)


@lru_cache(maxsize=65536)
def sought(mention: Mention) -> Sought:
    """Prepare the search for a phrase of the ground truth. Raises RowError for an invalid regular expression."""
    if mention.is_regex or mention.phrase.startswith("regex:"):
        source = mention.phrase.removeprefix("regex:").strip()
        try:
            return Sought(mention.phrase, (), re.compile(source, re.IGNORECASE))
        except re.error as error:
            raise RowError(
                f"the ground truth has an invalid regular expression {source!r}: {error}"
            ) from error
    wordings = phrases.strict_wordings(mention)
    first = wordings[0] if wordings else ""
    if _TWO_WORDS.fullmatch(first):  # "claim pending", "a pending claim"
        wordings = (*wordings, " ".join(reversed(first.split())))
    values = find_values(first)
    value = values[0] if len(values) == 1 else None
    whole = value is not None and value.start == 0 and len(value.text) == len(first)
    if not whole and not (value and value.kind in _QUANTITIES and len(first.split()) <= _FEW):
        value = None
    return Sought(mention.phrase, wordings, value=value, whole=whole)


def quantities(text: str, kinds: frozenset[str]) -> Sequence[Value]:
    """Return all quantities of a `plain.plain` text, or nothing if the text cannot contain any of the `kinds`."""
    dates = "when" in kinds
    others = bool(kinds - {"when"})
    if (others and _NUMBERED.search(text)) or (dates and _CALENDAR.search(text)):
        return [value for value in find_values(text) if not _is_in_number(value, text)]
    return ()


def _is_in_number(value: Value, text: str) -> bool:
    """True if a bare number is part of a time stamp, a telephone number or a version."""
    if value.unit or value.kind != "number":
        return False
    end = value.start + len(value.text)
    before, after = text[max(0, value.start - 2) : value.start], text[end : end + 2]
    return (before[-1:] in _INNER and before[:1].isdigit()) or (after[:1] in _INNER and after[1:].isdigit())
