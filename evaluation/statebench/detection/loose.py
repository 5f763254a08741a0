"""Rules for free talk, where a clause refers to a slot or dismisses its value, and adds something new."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.statebench.detection.rules import EXPLICIT, IMPLICIT, TEMPORAL, Outcome, Setting
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.language.values import Value
from evaluation.statebench.language.words import stems

_SLIGHT = 3  # content words allowed beside the value in a clause about the slot at hand
_FEW = 2  # content words allowed if the value has the slot's unit
_SHORT = 4  # maximum content words of a name or a state


def repointed(setting: Setting) -> Outcome:
    """Match a clause with a new value of the slot's kind, if its words or the context refer to the slot."""
    clause, slot = setting.clause, setting.slot
    news = clause.is_loud or clause.is_news or clause.settles or setting.beside.brings_news or clause.totals
    if not news and (slot.constraint or not setting.is_latest):
        return None
    new = slot.conflicting(setting.values, loosely=True)
    if new is None or clause.elsewhere - slot.subject:
        return None
    is_sentence = not slot.is_spoken and not slot.is_bare
    if is_sentence and setting.is_foreign:
        return None
    kind = EXPLICIT if news else TEMPORAL if slot.is_time_sensitive else IMPLICIT
    if news and (setting.overlap or setting.turn_overlap):
        return kind, 0.66
    if setting.is_latest:
        rest = clause.stems - clause.valued - slot.subject
        if len(rest) <= (_SLIGHT if news or clause.opens_with_pronoun else 0):
            return kind, 0.62
        if len(rest) <= _FEW and slot.counts(new):
            return kind, 0.62
    return (kind, 0.65) if news and _is_the_only_one(setting, new) else None


def _is_the_only_one(setting: Setting, new: Value) -> bool:
    clause, slot = setting.clause, setting.slot
    if clause.elsewhere or (clause.named and not clause.is_ours) or not setting.is_unique:
        return False
    return new.kind != "number" or clause.totals or slot.counts(new) or len(slot.value_stems) <= 2


def departed(setting: Setting) -> Outcome:
    """Match a clause that says the slot's value is gone, abolished or finished."""
    clause, slot = setting.clause, setting.slot
    held = clause.stems & slot.value_stems
    about = setting.restated or held & slot.wording.capitals or (held and setting.overlap - held)
    if not about or clause.elsewhere - slot.subject - slot.value_stems:
        return None
    codes = {value.canon for value in clause.values if value.kind == "code"}
    if codes and not any(value.canon in codes for value in slot.values):
        return None
    if clause.lowered.rstrip(".") == slot.lowered.rstrip("."):
        return None
    return (EXPLICIT, 0.7) if len(slot.value_stems) <= 2 * _SHORT else None


def corrected(setting: Setting) -> Outcome:
    """Match a clause that corrects a name: the slot's value is a name, and the clause has another name."""
    clause, slot = setting.clause, setting.slot
    fresh = clause.capitals - slot.value_stems - slot.subject
    named = setting.overlap & slot.key_stems and slot.wording.capitals and not slot.values
    return (EXPLICIT, 0.66) if fresh and named and not clause.elsewhere - slot.subject - fresh else None


def appointed(setting: Setting) -> Outcome:
    """Match a clause that gives the slot's role to another person."""
    clause, slot = setting.clause, setting.slot
    fresh = clause.capitals - slot.value_stems - slot.subject
    is_role = clause.role & slot.key_stems and slot.wording.capitals >= slot.value_stems and not slot.values
    return (EXPLICIT, 0.66) if fresh and is_role and not clause.elsewhere - slot.subject - fresh else None


def set_aside(setting: Setting) -> Outcome:
    """Match a clause that prefers something else to the slot's value ("gloss, not matt")."""
    clause, slot = setting.clause, setting.slot
    aside = stems(clause.set_aside or "") & slot.value_stems
    fresh = clause.stems - slot.value_stems - slot.subject
    return (EXPLICIT, 0.66) if aside and fresh and not slot.constraint else None


def progressed(setting: Setting) -> Outcome:
    """Match a clause that gives the slot's subject a new state."""
    clause, slot = setting.clause, setting.slot
    if slot.constraint or slot.wording.typed or len(slot.value_stems) > _SHORT:
        return None
    if clause.elsewhere - slot.subject or not clause.stems - slot.subject - slot.value_stems:
        return None
    named, numbered = slot.wording.names, slot.wording.numbered_key
    if numbered is not None and numbered[1] in clause.stems:
        named = frozenset((numbered[1],))
    if named and named <= clause.stems | setting.turn_overlap:
        return (TEMPORAL if slot.is_status else EXPLICIT), 0.66
    if slot.is_status and clause.status and setting.overlap & slot.key_stems:
        return TEMPORAL, 0.66
    at_hand = setting.is_latest and clause.is_now and not slot.wording.capitals
    return (TEMPORAL, 0.62) if at_hand else None


def substituted(slot: Slot, values: Sequence[Value]) -> str:
    """Return the slot's text with one value replaced by a new value of the same kind. Empty if no value fits."""
    for new in values:
        for old in slot.values:
            # A place is read only in part ("12 Mill" of "12 Mill Lane"), so replacing it would mix two addresses.
            if new.kind != "place" and new.conflicts(old, loosely=True):
                head, _, thing = old.text.partition(" ")
                text = f"{new.text} {thing}" if thing and old.unit and not new.unit else new.text
                new_text = text[:1].upper() + text[1:] if head[:1].isupper() else text
                return slot.text.replace(old.text, new_text, 1)
    return ""


def amended(setting: Setting) -> Outcome:
    """Match a short clause that retracts the last statement: "Nah, the risotto", "500, come to think of it"."""
    clause, slot = setting.clause, setting.slot
    if not setting.is_latest or setting.restated or clause.elsewhere - slot.subject:
        return None
    if not clause.is_fragment:
        return None
    rest = clause.fresh
    if slot.conflicting(setting.values, loosely=True) is not None:
        return EXPLICIT, 0.68
    if clause.values or not rest - slot.subject - slot.value_stems or not slot.is_spoken:
        return None
    return (EXPLICIT, 0.66) if len(rest) <= 2 else None
