"""Detects that speakers changed to something else, if they say so plainly ("I moved to 456 Oak Ave").

The verb and the shape of the new value imply the attribute: an address, a person with a title, a phone number, a
flight. The new value is stored verbatim, without any part of the old value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.statebench.detection.clause import Clause, clauses
from evaluation.statebench.detection.plain import Plain, plain_statement
from evaluation.statebench.detection.rules import EXPLICIT, Match
from evaluation.statebench.detection.slot import PLACES, Slot
from evaluation.statebench.facts.scopes import GLOBAL
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import find_values
from evaluation.statebench.language.words import stems

_CONFIDENCE = 0.9
_MOST_WORDS = 5  # maximum words of a name

_ADDRESS = r"\d+[A-Za-z]?(?:[-/]\d+)? (?:[A-Z][\w.'-]*)(?: (?:[A-Z][\w.'-]*|of|the|\d+))*"
#: Shape of a value -> (pattern, words for attributes with such values).
_SHAPES: dict[str, tuple[re.Pattern[str], frozenset[str]]] = {
    "email": (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), stems("email mail e-mail address contact")),
    "phone": (
        re.compile(
            r"(?<![\w$€£])(?:\+?\(?\d{1,4}\)?[ .-])+\d{3,}(?:[ .-]\d+)*(?!\w)|(?<![\w$€£])\+?\d{7,}(?!\w)"
        ),
        stems("phone number mobile cell telephone fax contact line extension"),
    ),
    "person": (
        re.compile(
            r"\b(?:Dr|Doctor|Prof|Professor|Mr|Mrs|Ms|Miss|Nurse|Judge|Father|Sister)\b\.?(?: [A-Z][\w'-]+)+"
        ),
        stems(
            "doctor dentist physician gp surgeon therapist vet specialist consultant cardiologist optician tutor"
            " teacher coach lawyer solicitor accountant advisor adviser"
        ),
    ),
    "address": (re.compile(rf"(?<!\w){_ADDRESS}"), PLACES | stems("live residence flat")),
    "code": (
        re.compile(r"\b(?:[A-Z]{1,3}[ -]?\d{2,5}|\d{1,3}[A-K])\b"),
        stems("flight train bus gate booking route room seat"),
    ),
    "size": (re.compile(r"\b(?:X{0,3}[SL]|M)\b|\b\d{1,2}(?:\.5)?\b"), stems("size")),
}
_HOLDERS = {
    "home": PLACES | stems("live residence flat city town country hotel"),
    "work": stems("employer company job work firm workplace organisation organization"),
    "group": stems(
        "team department squad group club school university college gym crew band class choir union"
    ),
    "tier": stems(
        "plan tier subscription package membership seat class cabin version model edition licence license"
    ),
    "travel": stems("flight train bus ferry hotel room seat"),
    "size": stems("size"),
}
_ANY = frozenset().union(*_HOLDERS.values(), *(words for _, words in _SHAPES.values())) | stems(
    "bank provider carrier insurer insurance supplier vendor brand pharmacy language framework database editor tool"
    " phone car bike diet operator network airline broker landlord agency store shop church route"
)
_CHOSEN = _ANY - (PLACES - stems("hotel")) - _HOLDERS["work"]  # things one changes or switches
# (verb phrase of a takeover, kinds of attribute it applies to)
_VERBS: tuple[tuple[str, str], ...] = (
    (r"(?:moved|relocated)(?: (?:house|home|in|over|back|away|out))? (?:in)?to", "home work group travel"),
    (r"(?:transferred|reassigned) to", "group work home"),
    (r"(?:changed|switched|swapped)(?: (?:over|across))? to", ""),
    (r"(?:left|quit) [\w' ]+? (?:and (?:joined|moved to|went to)|for|to join)", "work group"),
    (r"(?:upgraded|downgraded|moved (?:up|down)) to", "tier"),
    (r"(?:joined|signed (?:for|with))", "work group"),
    (r"(?:rebooked|rebooked myself|bumped|put) (?:on|onto|to|in|into)", "travel tier"),
    (r"(?:went|gone|sized) (?:up|down) to", "size tier"),
    (r"(?:now |currently )(?:see|use|bank with)", ""),
    (r"(?:now |currently )(?:work|study|play) (?:for|at)", "work group"),
    (r"(?:now |currently )live (?:at|in|on)", "home"),
)


def _held_by(kinds: str) -> frozenset[str]:
    return frozenset().union(*[_HOLDERS[kind] for kind in kinds.split()]) if kinds else _CHOSEN


_REACHED = re.compile(
    r"^(?:please )?(?:call|ring|text|reach|phone|e-?mail|mail|write to|contact) (?:me|us) (?:on|at|under)"
    r" (?P<value>.+)$"
)
_FRAMES = (
    *[
        (
            re.compile(
                rf"^(?:(?:actually|update|fyi|heads up|by the way|oh|so|and|also|well|hi|news)[,:]? )*"
                rf"(?:i|we)(?:'ve| have|'m| am| was| were|'ll)?"
                rf"(?: (?:just|now|recently|since|finally|already|been|got))*? {verb} (?P<value>.+)$"
            ),
            _held_by(kinds),
        )
        for verb, kinds in _VERBS
    ],
    (_REACHED, _SHAPES["phone"][1] | _SHAPES["email"][1]),
)
_END = re.compile(
    r"[.!;]+$|,? (?:last|this|next|on (?=[A-Z])|from|as of|since|because|after|before|when|so|and|but|today"
    r"|yesterday|instead|now|again|over the|for good|\d+ (?:days?|weeks?|months?|years?) ago"
    r"|in (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*)\b.*$"
)
_OPENS = re.compile(r"^(?:the|a|an|my|our|new) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Takeover:
    """A statement that the speaker changed to something else: the new value, its shape, and words for its attribute."""

    clause: Clause
    value: str
    shape: str
    holders: frozenset[str]


@memo
def takeovers(text: str) -> tuple[Takeover, ...]:
    if not _MAY.search(text.lower()):
        return ()
    found = (_takeover(clause) for clause in clauses(text))
    return tuple([one for one in found if one is not None])


_MAY = re.compile(
    r"\b(?:moved|relocated|transferred|reassigned|chang\w+|switch\w+|swapped|upgraded|downgraded|joined|signed|rebooked"
    r"|call|ring|text|reach|phone|e-?mail|write|contact|left|quit|bumped|put|went|gone|sized|now|currently)\b"
)


def _takeover(clause: Clause) -> Takeover | None:
    if clause.scope != GLOBAL or clause.only_keeps or len(clause.lowered) != len(clause.text):
        return None
    for frame, holders in _FRAMES:
        if match := frame.match(clause.lowered):
            one = _read(clause, clause.text[match.start("value") :], holders)
            return one if frame is not _REACHED or (one is not None and one.shape) else None
    plain = plain_statement(clause)
    if plain is None or not plain.changes or not plain.names <= _ANY:
        return None
    return _read(clause, plain.value, plain.names | _alike(plain))


def _alike(plain: Plain) -> frozenset[str]:
    shape = _shape(plain.value)
    return _SHAPES[shape][1] if shape and plain.names & _SHAPES[shape][1] else frozenset()


def _read(clause: Clause, spoken: str, holders: frozenset[str]) -> Takeover | None:
    value = _END.sub("", spoken).strip(" ,")
    shape = _shape(value)
    bare = _OPENS.sub("", value)
    is_name = bare[:1].isupper() and len(bare.split()) <= _MOST_WORDS and not find_values(bare)
    if not (shape or is_name):
        return None
    if shape and shape != "size":
        holders = holders & _SHAPES[shape][1] or holders
    return Takeover(clause, value, shape, holders)


@memo
def _shape(value: str) -> str:
    return next(
        (name for name, (pattern, _) in _SHAPES.items() if pattern.fullmatch(_OPENS.sub("", value))), ""
    )


@memo
def _shapes_in(text: str) -> frozenset[str]:
    return frozenset(name for name, (pattern, _) in _SHAPES.items() if pattern.search(text))


def taken_over(text: str, slots: Sequence[Slot]) -> Iterator[Match]:
    """Yield a match with the new value for each statement of a turn that the speaker changed to something else."""
    for one in takeovers(text):
        if (slot := _target(one, slots)) is not None and not stems(one.value) <= slot.value_stems:
            yield Match(slot, EXPLICIT, _CONFIDENCE, one.clause.text, one.value)


def _target(one: Takeover, slots: Sequence[Slot]) -> Slot | None:
    named = [slot for slot in slots if _can_hold(one, slot)]
    for fits in (_is_called, _looks_alike):
        found = [slot for slot in named if fits(one, slot)]
        if len(found) == 1 or (found and found[-1] is slots[-1]):
            return found[-1]
        if found:
            return None
    return None


def _can_hold(one: Takeover, slot: Slot) -> bool:
    if slot.constraint or slot.layer != "persistent_facts" or len(slot.value_stems) > 2 * _MOST_WORDS:
        return False
    if one.shape:
        return one.shape in _shapes_in(slot.text) or (not slot.values and not _shapes_in(slot.text))
    return not slot.values and bool(slot.wording.capitals) and not _shapes_in(slot.text)


def _is_called(one: Takeover, slot: Slot) -> bool:
    names = slot.key_stems if slot.is_bare else slot.key_stems | slot.value_stems
    return not names.isdisjoint(one.holders)


def _looks_alike(one: Takeover, slot: Slot) -> bool:
    return one.shape not in ("", "size") and one.shape in _shapes_in(slot.text)
