"""Typed values in a text: amounts of money, percentages, times of day, dates, and counted things.

Two values conflict where they are of one kind and differ; "$50k" and "$50,000" are the same value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

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
_MONTH = (
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

_VALUE = re.compile(
    rf"""
    (?P<code>\#\d[\w-]*|\b[A-Za-z]+-\d[\w-]*)
  | (?P<money>[$€£¥]\s?(?P<amount>{_NUMBER})\s?(?P<scale>k|mm?|bn?|thousand|million|billion)?\b
      |(?P<amount2>{_NUMBER})\s?(?P<scale2>k|thousand|million|billion)?\s?(?:dollars|euros|pounds|usd|eur|gbp|bucks)\b)
  | (?P<percent>(?P<share>{_NUMBER}|{_SPELLED})\s?(?:%|percent\b|per\ cent\b))
  | (?P<time>\b\d{{1,2}}(?::\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.)(?:\s(?:[ecmp][sd]?t|utc|gmt|cet)\b)?
      |\b\d{{1,2}}:\d\d\b
      |(?<=\bat\s)\d{{1,2}}(?=\s*(?:[.,;!?]|$|(?:from|on|sharp|instead|now|today|tomorrow)\b))|\bnoon\b|\bmidnight\b)
  | (?P<date>\b\d{{4}}-\d\d-\d\d\b
      |\b{_MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)?
      |\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b(?:,?\s+\d{{4}}\b)?
      |\b{_MONTH}(?:\s+\d{{4}})?\b(?<!\bmay)(?<!\bmar))
  | (?P<quarter>\bq[1-4]\b)
  | (?P<weekday>\b{_DAY}\b(?<!\bsun)(?<!\bsat)(?<!\bwed))
  | (?P<relative>\b(?:today|tomorrow|tonight|(?:this|next)\
  (?:week|month|quarter|year|spring|summer|fall|winter)
      |end\ of\ (?:the\ )?(?:day|week|month|quarter|year))\b)
  | (?P<ordinal>\b\d{{1,2}}(?:st|nd|rd|th)\b)
  | (?P<number>(?<![\w.])(?:(?P<digits>{_NUMBER})(?P<kilo>k\b)?|(?P<spelled>\b(?:{_SPELLED})\b))
      (?:[\s-]{_UNITLESS}(?P<unit>[a-z]{{2,}}))?)
    """,
    re.IGNORECASE | re.VERBOSE,
)


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


@lru_cache(maxsize=65536)
def find_values(text: str) -> tuple[Value, ...]:
    """The typed values of a text, in order."""
    return tuple(_read(match) for match in _VALUE.finditer(text))


def _read(match: re.Match[str]) -> Value:
    kind, text, start = match.lastgroup or "", match[0], match.start()
    groups = match.groupdict()
    if groups["code"]:
        return Value("code", text.lower(), text, start)
    if groups["money"]:
        amount = _number(groups["amount"] or groups["amount2"])
        return Value("money", _plain(amount * _scale(groups["scale"] or groups["scale2"])), text, start)
    if groups["percent"]:
        return Value("percent", _plain(_number(groups["share"])), text, start)
    if groups["time"]:
        return Value("time", _clock(text), text, start)
    if groups["number"]:
        amount = _number(groups["digits"] or groups["spelled"]) * (1e3 if groups["kilo"] else 1)
        if groups["unit"] and groups["unit"][0].isupper():  # "12 Mill Lane"
            return Value("place", text.lower(), text, start)
        unit = (groups["unit"] or "").lower().rstrip("s")
        return Value("number", _plain(amount), text, start, unit)
    for kind in ("date", "quarter", "weekday", "relative", "ordinal"):
        if groups[kind]:
            return Value("when", f"{kind}:{_calendar(kind, text)}", text, start)
    raise AssertionError(match)


def _number(text: str) -> float:
    worded = _WORDED.get(text.lower())
    return worded if worded is not None else float(text.replace(",", ""))


def _scale(suffix: str | None) -> float:
    return _SCALES[suffix.lower()] if suffix else 1.0


def _plain(number: float) -> str:
    return f"{number:g}" if number < 1e6 else str(round(number, 2))


def _clock(text: str) -> str:
    """24-hour hh:mm; a time without am or pm is left as it stands."""
    text = re.sub(r"\s?(?:[ecmp][sd]?t|utc|gmt|cet)$", "", text.lower()).replace(".", "").replace(" ", "")
    if text in ("noon", "midnight"):
        return "12:00" if text == "noon" else "0:00"
    hour, _, minute = text.rstrip("apm").partition(":")
    shift = 12 if text.endswith("pm") and hour != "12" else 0
    return f"{int(hour) + shift}:{minute or '00'}"


def _calendar(kind: str, text: str) -> str:
    text = text.lower()
    if kind == "weekday":
        return text[:3]
    if kind == "date" and not text[0:4].isdigit():
        month = next(name for name in _MONTHS if re.search(rf"\b{name}", text))
        numbers = re.findall(r"\d+", text)
        return "-".join([month, *(number.lstrip("0") for number in numbers)])
    return text.replace("the ", "")


def _granularity(canon: str) -> str:
    return canon.partition(":")[0]


def _compatible(one: str, other: str) -> bool:
    return not one or not other or one == other
