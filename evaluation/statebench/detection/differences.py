"""Detects statements of how much a quantity changed ("raised by 10%", "two more came", "… so it is ten now")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.statebench.detection.clause import Clause, clauses
from evaluation.statebench.detection.rules import EXPLICIT, Match
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.facts.scopes import GLOBAL
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import Value, find_values
from evaluation.statebench.language.words import stems

_CONFIDENCE = 0.9
_KINDS = frozenset(("money", "percent", "number"))
_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred"
).split()
_N = (
    r"(?P<by>[$€£]?\d[\d,.]*[km]?(?: ?%| percent(?:age points?)?| points?)?"
    rf"|{'|'.join(_WORDS)}|an?(?= (?:hundred|dozen)))"
)
_UP = r"(?:rais|increas|rose|risen|grew|grow|went up|gone up|goes up|up|climb|jump|bump|expand|add)(?:e?d|en|s|n)?"
_DOWN = (
    r"(?:cut|reduc|lower|decreas|dropp|fell|fallen|went down|gone down|goes down|down|shrank|shrunk|trimm|slash)"
    r"(?:e?d|s)?"
)
_OUT = (
    r"(?:took|taken|take|sold|lost|removed|used|gave away|broke|returned|cancelled|dropped|threw out|spent)"
)
_LEFT = r"(?:left|quit|resigned|dropped out|are gone|have gone|went|cancelled|backed out|broke)"
_CAME = r"(?:came|joined|arrived|signed up|were added|have been added|are coming|have joined)"
#: (pattern, sign of the change)
_BY: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(rf"\b{_UP} by (?:another )?{_N}"), 1),
    (re.compile(rf"\b{_DOWN} by (?:another )?{_N}"), -1),
    (re.compile(rf"\b{_N} (?:more|extra|additional)\b"), 1),
    (re.compile(rf"\banother {_N} (?:\w+ ){{0,2}}{_CAME}\b"), 1),
    (re.compile(rf"\b{_N} (?:fewer|less)\b"), -1),
    (re.compile(rf"\b{_OUT} {_N}(?: (?:of (?:them|those|these|the \w+)|out|away|off))\b"), -1),
    (re.compile(rf"^{_N} (?:\w+ ){{0,2}}{_LEFT}\b"), -1),
)
_TIMES = (
    (re.compile(r"\bdoubled\b"), 2.0),
    (re.compile(r"\btripled\b"), 3.0),
    (re.compile(r"\bhalved\b"), 0.5),
)
#: The resulting total.
_RESULT = re.compile(
    r"(?:,? so|,? and|,? which|;|,) (?:now |that )?(?:it is|it's|that's|that is|that makes|makes|leaves|leaving|we have"
    r"|there are|we're (?:at|down to|up to)|they are|it makes|we've got) (?:now |only |just )?"
    rf"(?P<now>\d[\d,]*|{'|'.join(_WORDS)})\b(?! (?:more|fewer|less))"
)
_OPEN = re.compile(
    r"\b(?:will|would|could|might|should|may|if|going to|want\w*|plans?|hopes?|not|n't|never|almost|next)\b"
)
_POINTS = re.compile(r"\bpoints?\b")
_AT_HAND = re.compile(
    r"^(?:it|that|they|those|this)\b|\bof (?:them|those|these)\b|^(?:\w+ )?(?:more|fewer)\b| more (?:came|joined)"
    r"| out\b"
)
_MOTION = stems(
    "raise increase rise rose risen grow grew grown go went gone up climb jump bump expand add cut reduce lower"
    " decrease drop fall fell fallen shrink shrank trim slash take took taken sell sold lose lost remove use give gave"
    " break broke return cancel throw threw spend spent leave left quit resign back come came join arrive sign more"
    " extra additional another fewer less double triple halve now make only"
) | stems(" ".join(_WORDS))
_SCALES = {"k": 1e3, "m": 1e6}


@dataclass(frozen=True, slots=True)
class Difference:
    """A stated change of a quantity: add `by`, then multiply by `times`, or replace the quantity by `to`."""

    clause: Clause
    kind: str  # percent, money or number; empty: any
    by: float = 0.0
    times: float = 1.0
    to: float | None = None


@memo
def differences(text: str) -> tuple[Difference, ...]:
    found = []
    for clause in clauses(text):
        if clause.scope == GLOBAL and not clause.only_keeps and not _OPEN.search(clause.lowered):
            one = _difference(clause)
            if one is not None:
                found.append(one)
    return tuple(found)


def _difference(clause: Clause) -> Difference | None:
    lowered = clause.lowered
    for pattern, sign in _BY:
        if match := pattern.search(lowered):
            if result := _RESULT.search(lowered, match.end()):
                return Difference(clause, "number", to=_amount(result["now"]))
            return _changed(clause, match["by"], sign)
    for pattern, times in _TIMES:
        if pattern.search(lowered):
            return Difference(clause, "", times=times)
    return None


def _changed(clause: Clause, said: str, sign: int) -> Difference | None:
    amount = _amount(said)
    if amount is None:
        return None
    if said.endswith(("%", "percent")):
        return Difference(clause, "", times=1 + sign * amount / 100)
    kind = "percent" if _POINTS.search(said) else "money" if said[0] in "$€£" else "number"
    return Difference(clause, kind, by=sign * amount)


def _amount(said: str) -> float | None:
    values = [value for value in find_values(said) if value.kind in _KINDS]
    return float(values[0].canon) if values else None


def told_apart(text: str, slots: Sequence[Slot]) -> Iterator[Match]:
    """Yield a match with the new value for each stated change of a quantity, unless its slot is ambiguous."""
    for one in differences(text):
        if (slot := _target(one, slots)) is None:
            continue
        held = _quantity(slot)
        new = _applied(one, held) if held is not None else None
        if held is not None and new is not None:
            value = slot.text.replace(held.text, _said_like(held, new), 1)
            yield Match(slot, EXPLICIT, _CONFIDENCE, one.clause.text, value, is_whole=True)


def _target(one: Difference, slots: Sequence[Slot]) -> Slot | None:
    fitting = [slot for slot in slots if _fits(one, slot)]
    said = one.clause.stems | stems(one.clause.text)
    ranked = sorted(fitting, key=lambda slot: len(said & _names(slot)), reverse=True)
    if ranked and (most := len(said & _names(ranked[0]))):
        tied = [slot for slot in ranked if len(said & _names(slot)) == most]
        return tied[0] if len(tied) == 1 else None
    if not fitting or fitting[-1] is not slots[-1] or _speaks_of_more(one.clause):
        return None
    is_spoken_of = len(fitting) == 1 or fitting[-1].is_spoken or fitting[-1].glossed
    return fitting[-1] if is_spoken_of and _AT_HAND.search(one.clause.lowered) else None


def _speaks_of_more(clause: Clause) -> bool:
    return bool(stems(clause.text) - clause.valued - _MOTION)


def _names(slot: Slot) -> frozenset[str]:
    held = _quantity(slot)
    unit = stems(held.unit) if held is not None and held.unit else frozenset()
    return slot.key_stems | unit


def _fits(one: Difference, slot: Slot) -> bool:
    held = _quantity(slot)
    return held is not None and slot.layer == "persistent_facts" and one.kind in ("", held.kind)


def _quantity(slot: Slot) -> Value | None:
    typed = slot.wording.typed
    return typed[0] if len(typed) == 1 and typed[0].kind in _KINDS else None


def _applied(one: Difference, held: Value) -> float | None:
    """Return the quantity after the change, or None if it is implausible, such as a negative number.

    "By 5%" of a percentage also gives None, because it may mean percentage points.
    """
    if held.kind == "percent" and one.times not in (1.0, 0.5, 2.0, 3.0):
        return None
    amount = one.to if one.to is not None else round((float(held.canon) + one.by) * one.times, 6)
    if amount < 0 or (
        held.kind == "number" and float(held.canon).is_integer() and not float(amount).is_integer()
    ):
        return None
    return amount


_FIGURES = re.compile(r"\d[\d,]*(?:\.\d+)?")


def _said_like(held: Value, amount: float) -> str:
    """Write an amount in the form of a value: "$250k" for "$300k", "14 people" for "12 people"."""
    figures = _FIGURES.search(held.text)
    if figures is None:  # in words
        first = held.text.split()[0]
        return held.text.replace(first, f"{amount:g}", 1)
    suffix = held.text[figures.end() : figures.end() + 1].lower()
    scale = _SCALES.get(suffix, 1.0) if float(held.canon) >= _SCALES.get(suffix, 1e9) else 1.0
    number = amount / scale
    digits = f"{number:,.2f}" if not float(number).is_integer() else f"{int(number):,}"
    if "," not in figures[0] and int(number) < 10_000:
        digits = digits.replace(",", "")
    return held.text[: figures.start()] + digits + held.text[figures.end() :]
