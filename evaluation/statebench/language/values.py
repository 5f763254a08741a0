"""Finds values in a text: money, percentages, times of day, dates, and counted things."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

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
#: Number words from 0 to 19, for the tens from 20 to 90, and ordinals from 1 to 20.
UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
MONTHS = "january february march april may june july august september october november december".split()
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS, _DAYS = [name[:3] for name in MONTHS], [name[:3] for name in DAYS]
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?"
_WORDED = {word: float(n) for n, word in enumerate(UNITS)} | {"dozen": 12.0}
_WORDED |= {word: 10.0 * n for n, word in enumerate(TENS, 2)}
_NUMBER = r"\d(?:[\d,]*\d)?(?:\.\d+)?"
_SPELLED = "|".join(sorted(_WORDED, key=len, reverse=True))
_UNITLESS = (
    r"(?!(?:and|or|to|for|of|in|on|at|by|the|a|an|is|are|was|per|with|from|as|we|it|if|not|but|so|that"
    r"|rather|instead|now|then|please|will|would|have|has|had|can|because|since|who|which|up|down|out)\b)"
)

_STARTS = "q[1-4] noon midnight today tomorrow tonight this next end [a-z]+-\\d".split()
# A value starts with a digit or a sign, a number word, a calendar word, or a code such as "b-12".
_HOUR = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_DAYTIME = r"(?:\sin\sthe\s(?:morning|afternoon|evening))"
_NTH = f"the\\ (?:{'|'.join(ORDINALS)})"
_START = (
    rf"(?=[\d\#$€£¥]|\b(?:half\ past|quarter\ (?:past|to)|{_NTH}\b)"
    rf"|\b(?:{_SPELLED}|{'|'.join((*_MONTHS, *_DAYS, *_STARTS))}))"
)
# Text that may follow an hour in words: "at nine", "at nine sharp", not "at nine points".
_AFTER_HOUR = (
    r"(?=\s*(?:[.,;:!?]|$|(?:from|on|sharp|instead|now|today|tomorrow|tonight|every|and|for|as|under|this|these|go|in"
    r"|rather|not)\b))"
)
# For lower-case text, which the matcher scans several times faster than with IGNORECASE.
_VALUE = re.compile(
    rf"""{_START}(?:
    (?P<code>\#\d[\w-]*|\b[a-z]+-\d[\w-]*|\b\d{{3,}}-\d{{3,}}\b)
  | (?P<label>\b\d{{1,4}}-?[a-f]\b)
  | (?P<money>[$€£¥]\s?(?P<amount>{_NUMBER})\s?(?P<scale>k|mm?|bn?|thousand|million|billion)?\b
      |(?P<amount2>{_NUMBER})\s?(?P<scale2>k|thousand|million|billion)?\s?(?:dollars|euros|pounds|usd|eur|gbp|bucks|quid)\b
      |\b(?P<spoken>{_SPELLED})\s(?:dollars|euros|pounds|bucks|quid)\b)
  | (?P<percent>(?P<share>{_NUMBER}|{_SPELLED})\s?(?:%|percent\b|per\ cent\b))
  | (?P<time>\b\d{{1,2}}(?::\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.)(?:\s(?:[ecmp][sd]?t|utc|gmt|cet)\b)?
      |\b\d{{1,2}}:\d\d\b|(?<=\bat\s)\d{{1,2}}\.\d\d\b
      |\b(?:half\ past|quarter\ past|quarter\ to)\s(?:{_HOUR}|\d{{1,2}})\b
      |\b(?:{_HOUR}|\d{{1,2}})\so'clock\b|\b{_HOUR}\s(?:fifteen|thirty|forty-five)\b|\b{_HOUR}{_DAYTIME}\b
      |(?<=\bat\s){_HOUR}{_AFTER_HOUR}
      |(?<=\bat\s)\d{{1,2}}(?=\s*(?:[.,;!?]|$|(?:from|on|sharp|instead|now|today|tomorrow)\b))|\bnoon\b|\bmidnight\b)
  | (?P<date>\b\d{{4}}-\d\d-\d\d\b
      |\b{MONTH}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s+\d{{4}}\b)?
      |\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{MONTH}\b(?:,?\s+\d{{4}}\b)?
      |\b{MONTH}(?:\s+\d{{4}})?\b(?<!\bmay)(?<!\bmar))
  | (?P<nth>\b{_NTH}(?:\ of\ {MONTH}\b|(?=\s*(?:[.,;!?]|$))))
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
_HOURS = 12
_DOTTED = re.compile(r"\d{1,2}\.\d\d")
_HOUR_NAMED = re.compile(rf"\b(?:{_HOUR}|\d{{1,2}})\b")
_MINUTES = (("fifteen", 15), ("thirty", 30), ("forty-five", 45))
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a text. `kind`: money, percent, number, time (of day), when (date), place, label (4b), code (#12)."""

    kind: str
    canon: str
    text: str
    start: int
    unit: str = ""  # of a count
    form: tuple[str, str] = field(init=False, repr=False, compare=False)  # kind and canonical form

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", (self.kind, self.canon))

    @property
    def key(self) -> tuple[str, str, str]:
        return self.kind, self.canon, self.unit

    def is_same(self, other: Value) -> bool:
        return self.kind == other.kind and self.canon == other.canon and _compatible(self.unit, other.unit)

    def _is_other_hour(self, time: Value) -> bool:
        is_hour = not self.unit and self.canon.isdigit() and int(self.canon) <= _HOURS
        return is_hour and _hour(f"{self.canon}:00") != _hour(time.canon)

    def conflicts(self, other: Value, *, loosely: bool = False) -> bool:
        """True if two values of one kind differ.

        With `loosely`, a unit may be missing, "Thursday" conflicts with "next week", and a number may be an hour.
        """
        if self.kind == other.kind == "time" and _hour(self.canon) == _hour(other.canon):
            return False
        if loosely and {self.kind, other.kind} == {"number", "time"}:
            return self._is_other_hour(other) if self.kind == "number" else other._is_other_hour(self)
        if self.kind != other.kind or self.canon == other.canon or self.kind == "code":
            return False
        if loosely:
            return _compatible(self.unit, other.unit)
        kinds = (_granularity(self.canon), _granularity(other.canon))
        return self.unit == other.unit and "relative" not in kinds


@memo
def find_values(text: str) -> tuple[Value, ...]:
    lowered = text.lower()
    if len(lowered) != len(text):  # lower-casing a letter such as "İ" shifts positions
        text = lowered
    return tuple([_read(matched, text) for matched in _VALUE.finditer(lowered)])


def _read(matched: re.Match[str], text: str) -> Value:
    """Read the value of a match in the lower-case text. `text` is the original text."""
    kind, start, lowered = matched.lastgroup or "", matched.start(), matched[0]
    text = text[start : matched.end()]
    match kind:
        case "code":
            return Value(kind, lowered, text, start)
        case "money":
            amount = _number(matched["amount"] or matched["amount2"] or matched["spoken"])
            scale = _SCALES.get(matched["scale"] or matched["scale2"], 1.0)
            return Value(kind, _plain(amount * scale), text, start)
        case "percent":
            return Value(kind, _plain(_number(matched["share"])), text, start)
        case "time":
            return Value(kind, _clock(lowered), text, start)
        case "label":
            return Value(kind, lowered.replace("-", ""), text, start)
        case "number":
            return _count(matched, text)
        case _:
            named = {"nth": "date" if " of " in lowered else "ordinal"}.get(kind, kind)
            canon = _calendar(kind, lowered)
            return Value("when", f"{named}:{canon.removesuffix('th')}", text, start)


def _count(matched: re.Match[str], text: str) -> Value:
    """Return a number with its unit, or a place if the word after the number has a capital ("12 Mill Lane")."""
    unit = matched["unit"] or ""
    if unit and text[-len(unit)].isupper():
        return Value("place", matched[0], text, matched.start())
    amount = _number(matched["digits"] or matched["spelled"]) * (1e3 if matched["kilo"] else 1)
    return Value("number", _plain(amount), text, matched.start(), unit.rstrip("s"))


def _number(text: str) -> float:
    worded = _WORDED.get(text)
    return worded if worded is not None else float(text.replace(",", ""))


def _plain(number: float) -> str:
    return f"{number:g}" if number < 1e6 else str(round(number, 2))


def _clock(text: str) -> str:
    """Return a time as 24-hour h:mm. Without am or pm the hour stays as written."""
    if (not text[0].isdigit() or "o'clock" in text) and (spelled := _spelled_clock(text)) is not None:
        return spelled
    if _DOTTED.fullmatch(text):
        text = text.replace(".", ":")
    text = _ZONE.sub("", text).replace(".", "").replace(" ", "")
    if text in ("noon", "midnight"):
        return "12:00" if text == "noon" else "0:00"
    hour, _, minute = text.rstrip("apm").partition(":")
    shift = 12 if text.endswith("pm") and hour != "12" else 0
    return f"{int(hour) + shift}:{minute or '00'}"


def _spelled_clock(text: str) -> str | None:
    """Return a time in words ("half past eight") as 24-hour h:mm, else None."""
    named = _HOUR_NAMED.search(text)
    if named is None:
        return None
    hour = _WORDED.get(named[0]) if not named[0].isdigit() else float(named[0])
    minutes = 0
    if text.startswith(("half", "quarter past")):
        minutes = 30 if text.startswith("half") else 15
    elif text.startswith("quarter to"):
        minutes = -15
    else:
        minutes = next((n for word, n in _MINUTES if text.endswith(word)), 0)
    whole = int(hour or 0) * 60 + minutes + (720 if text.endswith(("afternoon", "evening")) else 0)
    return f"{whole // 60}:{whole % 60:02}"


def _hour(canon: str) -> str:
    hour, _, minute = canon.partition(":")
    return f"{int(hour) % 12}:{minute}"


def _calendar(kind: str, text: str) -> str:
    if kind == "weekday":
        return text[:3]
    if kind == "nth":
        words = text.split()
        day = str(ORDINALS.index(words[1]) + 1)
        return f"{words[-1][:3]}-{day}" if len(words) > 2 else day
    if kind == "date" and not text[0:4].isdigit():
        month = _MONTH_NAME.search(text)
        numbers = (number.lstrip("0") for number in _DIGITS.findall(text))
        return "-".join([month[0] if month else "", *numbers])
    return text.replace("the ", "")


def _granularity(canon: str) -> str:
    return canon.partition(":")[0]


def _compatible(one: str, other: str) -> bool:
    return not one or not other or one == other
