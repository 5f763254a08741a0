"""Extracts the quantities of a text, and rates how well a new quantity could replace an old quantity."""

from __future__ import annotations

from typing import NamedTuple

from evaluation.statebench.detection.learned.quantities import MOST_DIGITS, TOKEN, spans
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import MONTHS
from evaluation.statebench.language.words import STOPWORDS, stem

_WEEKDAYS = frozenset(("mon", "tue", "wed", "thu", "fri", "sat", "sun"))
_CURRENCIES = frozenset(
    "bucks quid dollars dollar pounds pound euros euro grand pence cents usd eur gbp".split()
)
_CLOCK = frozenset(("am", "pm", "o", "oclock", "sharp"))
_CLOCK_WORDS = frozenset(("half", "quarter", "noon", "midday", "midnight"))
_ORDINAL_ENDS = frozenset(("st", "nd", "rd", "th"))
_HOUR_OPENERS = frozenset(("at", "by", "before", "till", "until", "past", "after", "for"))
_HOURS = 12
_CLOSE, _NEAR = 1.35, 3.0  # ratios of two numbers
# Sorts that may describe the same quantity: a bare number has any unit, a day may have a name or a number.
_LIKE = {
    frozenset(pair)
    for pair in (
        ("clock", "hour"),
        ("clock", "bare"),
        ("hour", "bare"),
        ("hour", "date"),
        ("money", "bare"),
        ("percent", "bare"),
        ("date", "bare"),
        ("code", "bare"),
        ("count", "bare"),
        ("date", "day"),
        ("date", "month"),
        ("day", "month"),
        ("count", "hour"),
        ("money", "hour"),
    )
}


class Amount(NamedTuple):
    """A quantity. `form` is its canonical text, `sort` is "clock", "money" …, and `unit` is a noun's stem or empty."""

    form: str
    sort: str
    unit: str


@memo
def amounts(lowered: str) -> tuple[Amount, ...]:
    found = [(match[0], match.start(), match.end()) for match in TOKEN.finditer(lowered)]
    words = [word for word, _, _ in found]
    return tuple([_amount(lowered, found, words, *span) for span in spans(words)])


def _amount(
    lowered: str, found: list[tuple[str, int, int]], words: list[str], form: str, at: int, end: int
) -> Amount:
    before = words[at - 1] if at else ""
    after = words[end] if end < len(words) else ""
    start, stop = found[at][1], found[end - 1][2]
    glued = lowered[start - 1 : start].isalpha() or (lowered[stop : stop + 1].isalpha() and after == "")
    unit = "" if not after or after in STOPWORDS or lowered[stop : stop + 1] in ".,;!?" else stem(after)
    first = words[at]
    if form[0].isalpha():
        sort = "day" if form in _WEEKDAYS else "month"
    elif lowered[start - 1 : start] in ("$", "£", "€") or after in _CURRENCIES or words[end - 1] == "grand":
        sort = "money"
    elif lowered[stop : stop + 1] == "%" or after in ("percent", "per"):
        sort = "percent"
    elif ":" in first or after in _CLOCK or first in _CLOCK_WORDS:
        sort = "clock"
    elif after in _ORDINAL_ENDS or words[end - 1].endswith(("th", "ieth")) or _MONTHS & {before, after}:
        sort = "date"
    elif glued or (lowered[stop : stop + 1].isalpha() and len(after) == 1):
        sort = "code"
    elif unit:
        sort = "count"
    else:
        hour = before in _HOUR_OPENERS and _is_number(form) and int(form) <= _HOURS
        sort = "hour" if hour else "bare"
    return Amount(form, sort, unit if sort in ("count", "code", "day") else "")


def _is_number(form: str) -> bool:
    return len(form) <= 2 * MOST_DIGITS and form.isdigit()


_MONTHS = frozenset((*MONTHS, *(name[:3] for name in MONTHS), "sept"))


Fit = tuple[str, str, str]  # levels of agreement in sort, size and unit


@memo
def compared(pair: tuple[Amount, Amount]) -> Fit:
    """Compare the amount of a slot with the amount of a turn by sort, size and unit."""
    held, said = pair
    is_like = frozenset((held.sort, said.sort)) in _LIKE
    sort = "same" if held.sort == said.sort else "like" if is_like else "other"
    unit = "none" if not said.unit else "held" if said.unit == held.unit else "other"
    return sort, _size(held.form, said.form), unit


def _size(held: str, said: str) -> str:
    if not _is_number(held) or not _is_number(said):
        return "none"
    less, more = sorted((int(held), int(said)))
    ratio = more / max(1, less)
    return "close" if ratio <= _CLOSE else "near" if ratio <= _NEAR else "far"


_SORTS, _SIZES, _UNITS = (
    ("other", "like", "same"),
    ("none", "far", "near", "close"),
    ("other", "none", "held"),
)


@memo
def best_fit(held_and_said: tuple[tuple[Amount, ...], tuple[Amount, ...]]) -> Fit | None:
    """Compare the amounts of a slot and of a turn. Returns the best fit, or None if the turn has no new amount."""
    held, said = held_and_said
    forms = {one.form for one in held}
    fits = [compared((one, other)) for other in said if other.form not in forms for one in held]
    return max(fits, key=_rank, default=None)


def _rank(fit: Fit) -> tuple[int, int, int]:
    return _SORTS.index(fit[0]), _UNITS.index(fit[2]), _SIZES.index(fit[1])
