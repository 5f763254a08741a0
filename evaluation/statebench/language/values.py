"""Typed values in a text: amounts of money, percentages, times of day, dates, and counted things.

Two values conflict where they are of one kind and differ; "$50k" and "$50,000" are the same value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.statebench.language.memo import memo

_SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "million": 1e6,
    "mm": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?"
_WORD_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
).split()
_TENS = {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "dozen": 12,
}
_WORDED: dict[str, float] = {word: float(n) for n, word in enumerate(_WORD_NUMBERS)} | {
    word: float(n) for word, n in _TENS.items()
}
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_SPELLED = "|".join(sorted(_WORDED, key=len, reverse=True))
_UNITLESS = (
    r"(?!(?:and|or|to|for|of|in|on|at|by|the|a|an|is|are|was|per|with|from|as|we|it|if|not|but|so|that)\b)"
)

_STARTS = "q[1-4] noon midnight today tomorrow tonight this next end [a-z]+-\\d".split()
# Where a value may start: at a digit or a sign, a number word, a word of the calendar, a code such as "b-12".
_START = rf"(?=[\d\#$€£¥]|\b(?:{_SPELLED}|{'|'.join((*_MONTHS, *_DAYS, *_STARTS))}))"
# For lower-case text: the matcher scans it several times faster than any text with IGNORECASE.
_VALUE = re.compile(
    rf"""{_START}(?:
    (?P<code>\#\d[\w-]*|\b[a-z]+-\d[\w-]*)
  | (?P<money>[$€£¥]\s?(?P<amount>{_NUMBER})\s?(?P<scale>k|mm?|bn?|thousand|million|billion)?\b
      |(?P<amount2>{_NUMBER})\s?(?P<scale2>k|thousand|million|billion)?\s?(?:dollars|euros|pounds|usd|eur|gbp|bucks)\b)
  | (?P<percent>(?P<share>{_NUMBER}|{_SPELLED})\s?(?:%|percent\b|per\ cent\b))
  | (?P<time>\b\d{{1,2}}(?::\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.)(?:\s(?:[ecmp][sd]?t|utc|gmt|cet)\b)?
      |\b\d{{1,2}}:\d\d\b
      |(?<=\bat\s)\d{{1,2}}(?=\s*(?:[.,;!?]|$|(?:from|on|sharp|instead|now|today|tomorrow)\b))|\bnoon\b|\bmidnight\b)
  | (?P<date>\b\d{{4}}-\d\d-\d\d\b
      |\b{MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)?
      |\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}\b(?:,?\s+\d{{4}}\b)?
      |\b{MONTH}(?:\s+\d{{4}})?\b(?<!\bmay)(?<!\bmar))
  | (?P<quarter>\bq[1-4]\b)
  | (?P<weekday>\b{_DAY}\b(?<!\bsun)(?<!\bsat)(?<!\bwed))
  | (?P<relative>\b(?:today|tomorrow|tonight|(?:this|next)\
  (?:week|month|quarter|year|spring|summer|fall|winter)
      |end\ of\ (?:the\ )?(?:day|week|month|quarter|year))\b)
  | (?P<ordinal>\b\d{{1,2}}(?:st|nd|rd|th)\b)
  | (?P<number>(?<![\w.])(?:(?P<digits>{_NUMBER})(?P<kilo>k\b)?|(?P<spelled>\b(?:{_SPELLED})\b))
      (?:[\s-]{_UNITLESS}(?P<unit>[a-z]{{2,}}))?))
    """,
    re.VERBOSE,
)
_ZONE = re.compile(r"\s?(?:[ecmp][sd]?t|utc|gmt|cet)$")
_MONTH_NAME = re.compile(rf"\b(?:{'|'.join(_MONTHS)})")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Value:
    """A typed value: money, percent, time, when, number, place or code; counted things have a `unit`."""

    kind: str
    canon: str
    text: str
    start: int
    unit: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What the value says, for comparison across texts."""
        return self.kind, self.canon, self.unit

    def is_same(self, other: Value) -> bool:
        """True where both say the same."""
        return self.kind == other.kind and self.canon == other.canon and _compatible(self.unit, other.unit)

    def conflicts(self, other: Value, *, loosely: bool = False) -> bool:
        """True where both fill the same place and differ.

        `loosely`: "Thursday" contradicts "next week" too, and a bare number one of any unit.
        """
        if self.kind != other.kind or self.canon == other.canon or self.kind == "code":
            return False
        if loosely:
            return _compatible(self.unit, other.unit)
        return self.unit == other.unit and "relative" not in (
            _granularity(self.canon),
            _granularity(other.canon),
        )


@memo
def find_values(text: str) -> tuple[Value, ...]:
    """The typed values of a text, in order."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter such as "İ" grows: positions would no longer agree
        text = lowered
    return tuple(_read(found, text) for found in _VALUE.finditer(lowered))


def _read(found: re.Match[str], text: str) -> Value:
    """The value of a match in lower case; `text` is the whole as it was written."""
    kind, start, said = found.lastgroup or "", found.start(), found[0]
    text = text[start : found.end()]
    match kind:
        case "code":
            return Value(kind, said, text, start)
        case "money":
            amount = _number(found["amount"] or found["amount2"]) * _scale(found["scale"] or found["scale2"])
            return Value(kind, _plain(amount), text, start)
        case "percent":
            return Value(kind, _plain(_number(found["share"])), text, start)
        case "time":
            return Value(kind, _clock(said), text, start)
        case "number":
            return _count(found, text)
        case _:
            return Value("when", f"{kind}:{_calendar(kind, said)}", text, start)


def _count(found: re.Match[str], text: str) -> Value:
    """A counted thing; a number before a capital is a place ("12 Mill Lane")."""
    unit = found["unit"] or ""
    if unit and text[-len(unit)].isupper():
        return Value("place", found[0], text, found.start())
    amount = _number(found["digits"] or found["spelled"]) * (1e3 if found["kilo"] else 1)
    return Value("number", _plain(amount), text, found.start(), unit.rstrip("s"))


def _number(text: str) -> float:
    worded = _WORDED.get(text)
    return worded if worded is not None else float(text.replace(",", ""))


def _scale(suffix: str | None) -> float:
    return _SCALES[suffix] if suffix else 1.0


def _plain(number: float) -> str:
    return f"{number:g}" if number < 1e6 else str(round(number, 2))


def _clock(text: str) -> str:
    """24-hour hh:mm; a time without am or pm is left as it stands."""
    text = _ZONE.sub("", text).replace(".", "").replace(" ", "")
    if text in ("noon", "midnight"):
        return "12:00" if text == "noon" else "0:00"
    hour, _, minute = text.rstrip("apm").partition(":")
    shift = 12 if text.endswith("pm") and hour != "12" else 0
    return f"{int(hour) + shift}:{minute or '00'}"


def _calendar(kind: str, text: str) -> str:
    if kind == "weekday":
        return text[:3]
    if kind == "date" and not text[0:4].isdigit():
        month = _MONTH_NAME.search(text)
        numbers = (number.lstrip("0") for number in _DIGITS.findall(text))
        return "-".join([month[0] if month else "", *numbers])
    return text.replace("the ", "")


def _granularity(canon: str) -> str:
    return canon.partition(":")[0]


def _compatible(one: str, other: str) -> bool:
    return not one or not other or one == other
