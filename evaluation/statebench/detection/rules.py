"""Rules that decide whether a clause supersedes a slot, with the kind and confidence of the supersession.

Kinds (specification D1 to D4): explicit (wording of change), implicit (same entity, conflicting value), authority,
temporal (a newer statement about something that changes with time).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluation.statebench.detection.candidates import Candidates
from evaluation.statebench.detection.clause import Clause
from evaluation.statebench.detection.slot import ATTRIBUTES, PERSONS, PLACES, Slot
from evaluation.statebench.facts.authority import level
from evaluation.statebench.language.values import Value, find_values
from evaluation.statebench.language.words import stems

EXPLICIT, IMPLICIT, AUTHORITY, TEMPORAL = "explicit", "implicit", "authority", "temporal"

_SETTLING = stems(
    "committed commit agreed decided chosen picked signed booked approved confirmed final settled"
)
_BRIEF = 1  # content words allowed beside the value in a clause that points back
_WEEKDAYS = stems("monday tuesday wednesday thursday friday saturday sunday")


@dataclass(frozen=True, slots=True)
class Match:
    """The slot that a clause supersedes, with kind, confidence and evidence (words of the turn).

    `value`: the new value, or empty if the clause does not state it plainly. `is_whole`: True if `value` is the whole
    new text of the slot. `filler`: the first amount, date or similar in the clause that contradicts the slot, or None.
    """

    slot: Slot
    kind: str
    confidence: float
    evidence: str
    value: str = ""
    filler: Value | None = None
    is_whole: bool = False


@dataclass(slots=True)
class Setting:
    """A clause and the slot with which the rules compare the clause.

    `overlap`, `turn_overlap`: stems of the clause, or of the whole turn, that name the slot. `is_latest`: the slot
    was mentioned last. `beside`: all slots, including `slot`. `values`: the clause's values that no other slot has.
    """

    clause: Clause
    slot: Slot
    overlap: frozenset[str]
    turn_overlap: frozenset[str]
    is_latest: bool
    restated: bool
    beside: Candidates
    values: tuple[Value, ...] = ()

    @property
    def is_unique(self) -> bool:
        """True if no slot except `slot` has a value whose kind, such as money, occurs in the clause."""
        return self.beside.has_no_like(self.slot)

    @property
    def is_foreign(self) -> bool:
        """True if the clause has words unrelated to the slot, and does not have all words of the slot's key."""
        clause, slot = self.clause, self.slot
        if slot.wording.names - self.turn_overlap <= clause.stems:
            return False
        return bool(clause.about - slot.subject - slot.value_stems)

    @property
    def revives(self) -> bool:
        """True if the clause repeats the slot's former value."""
        clause, former = self.clause, self.slot.former
        return former is not None and former.is_said(clause.lowered, stems(clause.text))

    @property
    def is_named(self) -> bool:
        """True if the words that the clause shares with the slot suffice to identify the slot."""
        slot, overlap = self.slot, self.overlap
        return bool(overlap) and (slot.glossed or len(overlap) > 1 or slot.wording.names <= overlap)

    @property
    def is_brief(self) -> bool:
        """True if the clause changes something and has at most one word with meaning besides its values."""
        return self.clause.is_marked and len(self.clause.stems - self.clause.valued) <= _BRIEF

    @property
    def refers(self) -> bool:
        """True if the clause refers to the slot by name, or by a pronoun if the slot was mentioned last."""
        pointing = self.clause.anaphoric or not self.clause.stems or self.beside.are_unnamed
        return bool(self.overlap) or (self.is_latest and pointing)


def judge(setting: Setting, rules: Rules) -> Match | None:
    """Return the match of the first rule that applies, or None. Mere repetition of a former value is no match."""
    clause, slot = setting.clause, setting.slot
    if clause.relatives and not clause.relatives <= slot.subject | slot.value_stems:
        return None  # news about a relative is not about us
    if clause.possessed and clause.possessed & slot.key_stems and not setting.restated:
        return None  # "The park has moved its roses"
    for rule in rules:
        if outcome := rule(setting):
            again = slot.is_status and "again" in clause.lowered
            if slot.former and not (clause.is_marked or again) and setting.revives:
                return None  # mentioning a dead value does not restore it
            kind, confidence = outcome
            if clause.authority and level(clause.authority) > slot.level:
                kind, confidence = AUTHORITY, min(1.0, confidence + 0.05)
            return Match(slot, kind, confidence, clause.text)
    return None


Outcome = tuple[str, float] | None  # (kind, confidence)


def replaced(setting: Setting) -> Outcome:
    """Match a clause that states the old and the new value: "from X to Y", "not X but Y", "was X … is Y"."""
    clause, slot = setting.clause, setting.slot
    if not (clause.from_to or clause.rejects or clause.capitals - slot.value_stems - slot.subject):
        return None
    if prefers(clause, slot):
        return None
    new = slot.conflicting(clause.values, loosely=True)
    symbolic = not slot.values and bool(clause.stems - slot.value_stems - slot.subject)
    if not (new or symbolic):
        return None
    return EXPLICIT, 0.95 if clause.from_to or clause.rejects or clause.corrects else 0.78


def prefers(clause: Clause, slot: Slot) -> bool:
    """True if a clause prefers the slot's value to another value ("at 2, not at 3")."""
    aside = clause.set_aside
    return aside is not None and not slot.is_restated(aside, find_values(aside))


def refilled(setting: Setting) -> Outcome:
    """Match a clause that has the slot's role or predicate with another person ("Ann will review it", "Bob will …")."""
    clause, slot = setting.clause, setting.slot
    fresh = clause.capitals - slot.value_stems - slot.subject
    if slot.constraint or not fresh or not slot.wording.capitals:
        return None
    shared = (setting.overlap | (clause.stems & slot.value_stems)) - _WEEKDAYS
    both = bool(shared & slot.wording.capitals)
    if both and (clause.swaps or (len(shared) > 1 and (clause.rejects or clause.is_marked))):
        return EXPLICIT, 0.8
    filled = slot.subject & PERSONS or slot.key_stems & shared
    if slot.values or not filled or len(shared - slot.wording.capitals) <= 1:
        return None
    foreign = clause.stems - fresh - slot.subject - slot.value_stems
    if foreign and not clause.asserts:
        return None  # "Ann guides the evening tour" is not news about the morning tour
    return EXPLICIT if clause.rejects or clause.is_marked else IMPLICIT, 0.65


def relocated(setting: Setting) -> Outcome:
    """Match a clause about a move to another place, if the slot has a place."""
    clause, slot = setting.clause, setting.slot
    is_place = slot.wording.located or bool(slot.subject & PLACES)
    named = setting.overlap or (setting.is_latest and (is_place or clause.of_us))
    if not named or not is_place:
        return None
    return None if clause.target <= slot.value_stems else (EXPLICIT, 0.75)


def invalidated(setting: Setting) -> Outcome:
    """Match a clause that quotes the slot's value and calls it wrong."""
    return EXPLICIT, 0.9


def revised(setting: Setting) -> Outcome:
    """Match a clause with wording of change, correction or authority, and a conflicting value of the same kind."""
    clause, slot = setting.clause, setting.slot
    if not setting.refers:
        return None
    if not setting.overlap and not (clause.anaphoric or clause.authority or setting.is_brief):
        return None
    if setting.overlap and setting.is_foreign and not (clause.corrects or clause.authority):
        return None
    new = slot.conflicting(setting.values, loosely=True)
    if new is None or (slot.constraint and not (clause.is_marked or clause.authority)):
        return None
    return EXPLICIT if clause.is_marked else IMPLICIT, 0.9 if setting.overlap else 0.8


def conflicting(setting: Setting) -> Outcome:
    """Match a clause about the slot's subject with another value of the same kind."""
    slot = setting.slot
    if slot.constraint or not setting.overlap or setting.is_foreign:
        return None
    if slot.conflicting(setting.values, loosely=False) is None:
        return None
    return TEMPORAL if slot.is_time_sensitive else IMPLICIT, 0.75


def settled(setting: Setting) -> Outcome:
    """Match a clause that decides a slot with a tentative value, such as a draft or a leaning."""
    slot = setting.slot
    if not slot.tentative:
        return None
    is_at_hand = setting.is_latest and (bool(setting.clause.values) or not slot.values)
    return (EXPLICIT, 0.75) if setting.overlap or is_at_hand else None


def restatus(setting: Setting) -> Outcome:
    """Match a clause that gives the slot's subject another state."""
    clause, slot = setting.clause, setting.slot
    if not slot.is_status or not setting.overlap:
        return None
    if clause.status in slot.lowered:
        return None
    return EXPLICIT if clause.is_marked else TEMPORAL, 0.75


def redefined(setting: Setting) -> Outcome:
    """Match "The <subject> is <something else>", if the subject names the slot."""
    clause, slot = setting.clause, setting.slot
    if slot.constraint or not setting.overlap:
        return None
    frame = clause.status_frame if slot.is_status else clause.copula
    if frame is None:
        return None
    subject, complement = frame
    if slot.is_status and not subject & slot.key_stems:
        return None
    if not subject or not subject <= slot.subject or not complement - slot.value_stems - slot.subject:
        return None
    if slot.values and not slot.conflicting(setting.values, loosely=True) and not slot.wording.symbolic:
        return None
    return (TEMPORAL if slot.is_time_sensitive else EXPLICIT if clause.is_marked else IMPLICIT), 0.7


def redirected(setting: Setting) -> Outcome:
    """Match an instruction with wording of change ("send it to … instead"), unless the value is a mere quantity."""
    slot = setting.slot
    return (EXPLICIT, 0.7) if setting.refers and slot.wording.symbolic and not slot.constraint else None


def chosen(setting: Setting) -> Outcome:
    """Match a decision to use something else for the slot's subject ("let's go with … for the …")."""
    clause, slot = setting.clause, setting.slot
    if slot.constraint or not slot.wording.symbolic:
        return None
    if not clause.stems - slot.value_stems - slot.subject - clause.valued - _SETTLING:
        return None
    if setting.is_named:
        return IMPLICIT, 0.7
    higher = clause.authority is not None and level(clause.authority) >= slot.level
    return (AUTHORITY, 0.65) if higher and setting.is_latest else None


def reverted(setting: Setting) -> Outcome:
    """Match a clause that returns to the slot's former value."""
    clause, slot = setting.clause, setting.slot
    if slot.former is not None and slot.former.is_in(clause.lowered):
        return EXPLICIT, 0.9
    named = slot.former and setting.refers and not setting.is_foreign
    return (EXPLICIT, 0.7) if named else None


def cancelled(setting: Setting) -> Outcome:
    """Match a clause that cancels the slot's subject, or that changes plans if the slot was mentioned last."""
    clause = setting.clause
    if clause.cancels and (setting.overlap or setting.turn_overlap):
        return EXPLICIT, 0.7
    return (EXPLICIT, 0.6) if setting.is_latest and clause.announces else None


def shifted(setting: Setting) -> Outcome:
    """Match a clause that changes the slot's attribute without a new value ("they moved the date")."""
    clause, slot = setting.clause, setting.slot
    if not setting.turn_overlap:
        return None
    kinds = slot.kinds
    named = any(ATTRIBUTES.get(kind, frozenset()) & stems(clause.text) for kind in kinds)
    return (EXPLICIT, 0.6) if named else None


Rule = Callable[[Setting], Outcome]
Rules = Sequence[Rule]
