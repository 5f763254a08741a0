"""Compares whole texts as values: money, percentages, durations, dates, times, counts, names."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import NamedTuple

from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import DAYS, MONTH, MONTHS, TENS, UNITS

_NUMBER_WORDS = {word: n for n, word in enumerate(UNITS)} | {word: 10 * n for n, word in enumerate(TENS, 2)}
_SCALES = {
    "k": 10**3, "thousand": 10**3, "grand": 10**3, "m": 10**6, "mm": 10**6, "mn": 10**6, "million": 10**6,
    "b": 10**9, "bn": 10**9, "billion": 10**9,
}  # fmt: skip
_DIGITS = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,9})?")
_HALF = Fraction(1, 2)

_CURRENCIES = {
    "$": "usd", "us$": "usd", "usd": "usd", "dollar": "usd", "dollars": "usd", "buck": "usd", "bucks": "usd",
    "€": "eur", "eur": "eur", "euro": "eur", "euros": "eur",
    "£": "gbp", "gbp": "gbp", "pound": "gbp", "pounds": "gbp", "quid": "gbp",
    "¥": "jpy", "jpy": "jpy", "yen": "jpy", "chf": "chf", "franc": "chf", "francs": "chf",
}  # fmt: skip
_SIGN = r"us\$|[$€£¥]|usd\b|eur\b|gbp\b|jpy\b|chf\b"
_RATE = r"(?:\s?(?:/|per\b|an?\b|each\b)\s?(?P<rate>[a-z]+))?"
_SIGNED = re.compile(rf"(?P<minus>-?)(?P<sign>{_SIGN})\s?(?P<amount>.+?){_RATE}")
_WORDED = re.compile(rf"(?P<amount>.+?)\s?(?P<sign>[a-z]+|[$€£¥]){_RATE}")
_PERCENT = re.compile(r"(?P<amount>.+?)\s?(?:%|per ?cent|pct\.?)")
_COUNT = re.compile(r"(?P<amount>.+?)[ -](?P<unit>[a-z]{2,})")

#: Unit -> (months, seconds, working days).
_SPANS = {
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), (0, 1, 0)),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), (0, 60, 0)),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), (0, 3_600, 0)),
    **dict.fromkeys(("day", "days", "d"), (0, 86_400, 0)),
    **dict.fromkeys(("week", "weeks", "wk", "wks", "w"), (0, 604_800, 0)),
    **dict.fromkeys(("fortnight", "fortnights"), (0, 1_209_600, 0)),
    **dict.fromkeys(("month", "months", "mo", "mos"), (1, 0, 0)),
    **dict.fromkeys(("year", "years", "yr", "yrs"), (12, 0, 0)),
}
_WORKING = frozenset(("business", "working"))

_MONTH_NUMBERS = {name[:3]: n for n, name in enumerate(MONTHS, 1)}
_DAY_NUMBERS = {name[:3]: n for n, name in enumerate(DAYS)}
_MONTH = rf"(?P<month>{MONTH})\.?"
_WHEN = {
    "iso": re.compile(r"\b(?P<year>\d{4})-(?P<number>\d\d)-(?P<day>\d\d)\b"),
    "american": re.compile(rf"\b{_MONTH} (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?: (?P<year>\d{{4}})\b)?"),
    "british": re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}\b(?: (?P<year>\d{{4}})\b)?"),
    "month": re.compile(rf"\b{_MONTH}\b(?: (?P<year>\d{{4}})\b)?"),
}  # fmt: skip
_WEEKDAY = re.compile(r"\b(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?")
_HOUR = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d{1,2}"
_CLOCK = re.compile(
    rf"\b(?:(?P<named>noon|midday|midnight)"
    rf"|(?P<part>half|quarter) (?P<side>past|to) (?P<spoken>{_HOUR})"
    rf"|(?P<hour>{_HOUR}) o'?clock"
    rf"|(?P<h>\d{{1,2}})[:.](?P<m>\d\d)(?::00)?(?=z|\b)|(?P<plain>{_HOUR})(?= ?(?:am|pm|a\.m|p\.m|in the)\b))"
    rf" ?(?P<half>am\b|pm\b|a\.m\.?|p\.m\.?|in the (?:morning|afternoon|evening))?"
)
_ZONE = re.compile(r"\b(?:[ecmp][sd]?t|utc|gmt|cest|cet|bst)\b|\bz\b")
_FILLERS = frozenset(("at", "on", "the", "of", "in", "by"))

_ARTICLES = frozenset(("the", "a", "an"))
_TITLES = frozenset(("mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "dame", "madam"))
_WORDS = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"'s\b|(?<=s)'(?=\s|$)")
_EDGES = " \t\n.,;:!?\"'“”()[]"


class Quantity(NamedTuple):
    """A quantity. `spoken` is the number as written, for comparison with a number without a unit."""

    kind: str  # money, percent, span, when or count
    amount: tuple[object, ...]
    spoken: Fraction | None = None  # its number as written
    unit: str = ""  # of a count
    rate: str = ""  # of money: "month" of "per month"


def same_value(one: str, other: str) -> bool:
    """True if two whole texts state the same quantity, or the same name."""
    first, second = quantity(one), quantity(other)
    if first is not None and second is not None:
        return _agree(first, second)
    name = name_words(one)
    return bool(name) and name == name_words(other)


@memo
def fold(text: str) -> str:
    """Return a text in lower case with straight quotes and single spaces, without accents."""
    if not text.isascii():
        text = text.replace("’", "'").replace("‘", "'").replace("–", "-").replace("—", "-")
        parted = unicodedata.normalize("NFKD", text)
        text = "".join([letter for letter in parted if not unicodedata.combining(letter)])
    return " ".join(text.casefold().split())


@memo
def name_words(text: str) -> tuple[str, ...]:
    """Return the words of a name without case, accents, articles, titles and possessives."""
    words = _WORDS.findall(_POSSESSIVE.sub("", fold(text).replace("&", " and ")))
    kept = tuple(word for word in words if word not in _ARTICLES and word not in _TITLES)
    return kept or tuple(words)


@memo
def quantity(text: str) -> Quantity | None:
    """Return the quantity that a whole text states, else None. "12 Mill Lane" is a name, because a capital follows."""
    folded = fold(text).strip(_EDGES).replace("−", "-")
    if not folded or len(folded) > 100:
        return None
    return _money(folded) or _percent(folded) or _span(folded) or _when(folded) or _count(folded, text)


def number(text: str) -> Fraction | None:
    """Return the number in a text from `fold`: digits, words or both ("12k", "two and a half"), else None."""
    words = re.sub(r"(?<=\d)(?=[a-z])", " ", text.strip()).replace("-", " ") if text[:1] != "-" else text
    return _counted(words.split())


def _counted(words: list[str]) -> Fraction | None:
    """Return the number that words spell, else None. Hundreds and dozens multiply the number words before them."""
    total, group, begun = Fraction(0), Fraction(0), False
    for place, word in enumerate(words):
        if _DIGITS.fullmatch(word) and not begun:
            group = Fraction(word.replace(",", ""))
        elif word in _NUMBER_WORDS and _continues(group, _NUMBER_WORDS[word], begun):
            group += _NUMBER_WORDS[word]
        elif word in ("a", "an") and place == 0 and len(words) > 1:
            group = Fraction(1)
        elif word == "half" and words[place - 2 : place] == ["and", "a"] and begun:
            group += _HALF
        elif word == "half" and place == 0 and words[1:2] == ["a"]:  # "half a million"
            group = _HALF
        elif word in ("and", "a", "an") and begun and place + 1 < len(words):
            continue
        elif word in ("hundred", "dozen") and begun:
            group *= 100 if word == "hundred" else 12
        elif word in _SCALES and begun:
            total, group = total + group * _SCALES[word], Fraction(0)
        else:
            return None
        begun = True
    return total + group if begun else None


def _continues(group: Fraction, part: int, begun: bool) -> bool:
    tens = group % 100
    return not begun or group == 0 or tens == 0 or (tens >= 20 and tens % 10 == 0 and 0 < part < 10)


def _money(text: str) -> Quantity | None:
    for pattern in (_SIGNED, _WORDED):
        found = pattern.fullmatch(text)
        if (
            found
            and (currency := _CURRENCIES.get(found["sign"]))
            and (n := number(found["amount"])) is not None
        ):
            n = -n if found.groupdict().get("minus") else n
            return Quantity("money", (currency, n), n, rate=found["rate"] or "")
    return None


def _percent(text: str) -> Quantity | None:
    found = _PERCENT.fullmatch(text)
    n = number(found["amount"]) if found else None
    return None if n is None else Quantity("percent", (n,), n)


def _span(text: str) -> Quantity | None:
    words = re.sub(r"(?<=\d)(?=[a-z])", " ", text.replace("-", " ").replace(", ", " ")).split()
    sums, counted = [Fraction(0)] * 3, list[Fraction]()
    pending: list[str] = []
    last = (0, 0, 0)
    for word in words:
        if word not in _SPANS or not pending:
            pending.append(word)
            continue
        if (n := _counted_before_unit(pending)) is None:
            return None
        last = (0, 0, 1) if _WORKING & set(pending) and word in ("day", "days") else _SPANS[word]
        sums = [total + n * part for total, part in zip(sums, last, strict=True)]
        counted.append(n)
        pending = []
    if pending == ["and", "a", "half"] and counted:
        sums = [total + _HALF * part for total, part in zip(sums, last, strict=True)]
        return Quantity("span", tuple(sums))
    if pending or not counted:
        return None
    return Quantity("span", tuple(sums), counted[0] if len(counted) == 1 else None)


def _counted_before_unit(words: list[str]) -> Fraction | None:
    kept = [word for word in words if word not in _WORKING and word != "calendar"]
    kept = kept[1:] if kept[:1] == ["and"] else kept
    if kept in (["a"], ["an"]):
        return Fraction(1)
    return _HALF if kept in (["half", "a"], ["half", "an"]) else _counted(kept)


def _when(text: str) -> Quantity | None:
    rest = re.sub(r"(?<=\d)t(?=\d\d:)", " ", text.replace(",", " "))
    rest, clock = _clock(rest)
    rest, date = _date(" ".join(rest.split()))
    weekday = _WEEKDAY.search(rest)
    rest = rest[: weekday.start()] + rest[weekday.end() :] if weekday else rest
    if (clock, date) == (None, None) and not weekday:
        return None
    if any(word not in _FILLERS for word in rest.split()):
        return None
    day = _DAY_NUMBERS[weekday["weekday"][:3]] if weekday else None
    return Quantity("when", (day, *(date or (None, None, None)), clock))


def _date(text: str) -> tuple[str, tuple[int | None, int, int | None] | None]:
    """Return the text without its date, and the year, month and day, or None if there is no date."""
    for pattern in _WHEN.values():
        if found := pattern.search(text):
            parts = found.groupdict()
            month = int(parts["number"]) if "number" in parts else _MONTH_NUMBERS[parts["month"][:3]]
            year, day = parts["year"], parts.get("day")
            date = (int(year) if year else None, month, int(day) if day else None)
            return text[: found.start()] + " " + text[found.end() :], date
    return text, None


def _clock(text: str) -> tuple[str, tuple[int, bool] | None]:
    """Return the text without its time of day, and the time as (minutes, True if a.m. or p.m. is unclear), if any."""
    found = _CLOCK.search(text)
    minutes = _minutes(found) if found else None
    if found is None or minutes is None:
        return text, None
    half = found["half"]
    if found["named"]:
        return _without(text, found), (0 if found["named"] == "midnight" else 720, False)
    if not half:
        return _without(text, found), (minutes, minutes < 780 and minutes >= 60)
    is_late = half[0] == "p" or half.endswith(("afternoon", "evening"))
    return _without(text, found), (minutes % 720 + (720 if is_late else 0), False)


def _without(text: str, found: re.Match[str]) -> str:
    return _ZONE.sub(" ", text[: found.start()] + " " + text[found.end() :])


def _minutes(found: re.Match[str]) -> int | None:
    """Return the minutes after midnight, before a.m. or p.m. is applied. None if the match is not a time."""
    if found["named"]:
        return 0
    if found["part"]:
        part = 30 if found["part"] == "half" else 15
        if found["part"] == "half" and found["side"] == "to":
            return None
        return _hour(found["spoken"]) * 60 + (part if found["side"] == "past" else -part)
    minutes = _hour(found["hour"] or found["h"] or found["plain"]) * 60 + int(found["m"] or 0)
    return minutes if minutes < 1440 and int(found["m"] or 0) < 60 else None


def _hour(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBER_WORDS[text]


def _count(folded: str, text: str) -> Quantity | None:
    if (bare := number(folded)) is not None:
        return Quantity("count", (bare,), bare)
    found = _COUNT.fullmatch(folded)
    n = number(found["amount"]) if found else None
    if found is None or n is None or text.strip(_EDGES).split()[-1][:1].isupper():
        return None
    return Quantity("count", (n,), n, unit=found["unit"].removesuffix("s"))


def _agree(one: Quantity, other: Quantity) -> bool:
    if _is_bare(one) or _is_bare(other):
        return one.spoken is not None and one.spoken == other.spoken
    if one.kind != other.kind:
        return False
    if one.kind == "when":
        return _agree_in_time(one.amount, other.amount)
    rates = not one.rate or not other.rate or one.rate == other.rate
    return one.amount == other.amount and one.unit == other.unit and rates


def _is_bare(quantity: Quantity) -> bool:
    return quantity.kind == "count" and not quantity.unit


def _agree_in_time(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Compare two times. The year, or the weekday of a date, is compared only if both times have it."""
    (weekday, year, *date, clock), (weekday_2, year_2, *date_2, clock_2) = one, other
    if date != date_2 or not _agree_on_clock(clock, clock_2):
        return False
    if None not in (year, year_2) and year != year_2:
        return False
    dated = date[1] is not None
    return weekday == weekday_2 or (dated and None in (weekday, weekday_2))


def _agree_on_clock(one: object, other: object) -> bool:
    if not isinstance(one, tuple) or not isinstance(other, tuple):
        return one is other
    (minutes, either), (minutes_2, either_2) = one, other
    loose = either or either_2
    return bool(minutes % 720 == minutes_2 % 720 if loose else minutes == minutes_2)
