"""Numbers, clock times and dates of a text in a canonical form: "half three" and "15:30" compare as equal."""

from __future__ import annotations

import re

from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import DAYS, MONTHS, ORDINALS, TENS, UNITS

_SCALES = {"hundred": 100, "thousand": 1000, "grand": 1000, "million": 1_000_000, "dozen": 12, "k": 1000}
_WORDS = (
    {word: n for n, word in enumerate(UNITS)}
    | {word: 10 * n for n, word in enumerate(TENS, 2)}
    # "first", "second" and "third" are mostly no quantities.
    | {word: n for n, word in enumerate(ORDINALS, 1) if n > 3}
    | {"thirtieth": 30, "noon": 12, "midday": 12, "midnight": 12}
)
_NAMED = [name for name in (*MONTHS, *DAYS) if name != "may"]  # mostly the verb
_CALENDAR = {name: name[:3] for name in _NAMED} | {
    name[:3]: name[:3] for name in _NAMED if name not in ("march", "saturday", "sunday", "wednesday")
}
TOKEN = re.compile(r"\d[\d,]*(?:[.:h]\d+)*|[a-z]+")
_HALF_DAY = 12  # hours: people rarely say whether it is a.m. or p.m.
MOST_DIGITS = 18  # a longer number is a code and is not computed with


@memo
def quantities(lowered: str) -> frozenset[str]:
    """Return the quantities of a lower-case text: numbers as digits, days and months as three letters."""
    return frozenset([form for form, _, _ in spans(TOKEN.findall(lowered))])


def spans(spoken: list[str]) -> list[tuple[str, int, int]]:
    """Return the canonical form of each quantity, the index of its first word, and the index after its last word."""
    found: list[tuple[str, int, int]] = []
    at = 0
    while at < len(spoken):
        word, end, form = spoken[at], at + 1, ""
        if word in _CALENDAR:
            form = _CALENDAR[word]
        elif word[0].isdigit():
            form = _digits(word, spoken[end] if end < len(spoken) else "")
        elif word in ("half", "quarter"):
            form, end = _fraction(spoken, at)
        elif word in _WORDS:
            form, end = _spelled(spoken, at)
        if form:
            found.append((form, at, end))
        at = end
    return found


def _digits(word: str, following: str) -> str:
    plain = word.replace(",", "")
    if len(plain) > MOST_DIGITS:
        return plain
    if following in _SCALES and following != "dozen":
        return f"{float(plain) * _SCALES[following]:.0f}" if plain.replace(".", "", 1).isdigit() else plain
    whole, separator, rest = _parted(plain)
    if not whole.isdigit():
        return plain  # an address such as 10.0.0.5:8080
    if separator == ":" and rest.isdigit():
        hour = int(whole) % _HALF_DAY if int(whole) > _HALF_DAY else int(whole)
        return f"{hour}" if rest == "00" else f"{hour}{rest}"
    if separator:
        return f"{int(whole)}" if rest == "00" else f"{int(whole)}{rest}"
    return str(int(plain))


def _parted(number: str) -> tuple[str, str, str]:
    for separator in (":", ".", "h"):
        if separator in number:
            whole, _, rest = number.partition(separator)
            return whole, ":" if separator == "h" else separator, rest
    return number, "", ""


def _fraction(spoken: list[str], at: int) -> tuple[str, int]:
    """Parse "half past two", "half two" or "quarter to two". Returns the form and the index of the next word."""
    joining = spoken[at + 1] if at + 1 < len(spoken) else ""
    length = 3 if joining in ("past", "to") else 2
    hour = spoken[at + length - 1] if at + length <= len(spoken) else ""
    number = int(hour) if hour.isdigit() and len(hour) <= MOST_DIGITS else _WORDS.get(hour, 0)
    if not 0 < number <= _HALF_DAY or (spoken[at] == "quarter" and length == 2):
        return "", at + 1
    minutes = 30 if spoken[at] == "half" else 15 if joining == "past" else 45
    hour_number = number - 1 if joining == "to" else number
    return f"{hour_number or _HALF_DAY}{minutes}", at + length


def _spelled(spoken: list[str], at: int) -> tuple[str, int]:
    """Parse a number in words. Returns the canonical form and the index of the next word."""
    groups: list[int] = []
    while at < len(spoken):
        word = spoken[at]
        if word in _WORDS:
            if groups and _continues(groups[-1], _WORDS[word]):
                groups[-1] += _WORDS[word]
            else:
                groups.append(_WORDS[word])
        elif word in _SCALES and groups and groups[-1] < 10**MOST_DIGITS:
            groups[-1] *= _SCALES[word]
        elif not (word == "and" and groups and groups[-1] >= 100 and _WORDS.keys() & spoken[at + 1 : at + 2]):
            break
        at += 1
    if groups == [1]:  # "one" is mostly no number
        return "", at
    return "".join(f"{n:02}" if k else str(n) for k, n in enumerate(groups)).lstrip("0") or "0", at


def _continues(number: int, part: int) -> bool:
    tens = number % 100
    return (tens >= 20 and tens % 10 == 0 and part < 10) or (number > 0 and tens == 0 and part < 100)
