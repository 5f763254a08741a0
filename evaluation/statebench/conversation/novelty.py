"""Whether a statement says something that no slot holds yet, and which statements a record makes superfluous."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evaluation.statebench.conversation.statements import Statement
from evaluation.statebench.detection.rules import Match
from evaluation.statebench.detection.slot import Slot, wording
from evaluation.statebench.detection.slots import ENVIRONMENT, MOST
from evaluation.statebench.facts.authority import Level
from evaluation.statebench.language.overlap import Parts
from evaluation.statebench.language.values import find_values
from evaluation.statebench.language.words import runs, says, stems


def is_new(
    statement: Statement, slots: Sequence[Slot], gone: Iterable[Slot], matches: Sequence[Match]
) -> bool:
    """Whether a statement becomes a fact of its own.

    Args:
        statement: What somebody says holds.
        slots: The slots that are there already.
        gone: Slots as they were before they were refilled.
        matches: What the turn supersedes.

    Returns:
        False where its words supersede something, or a slot holds its key or says the same, or said it before.
    """
    clause = statement.clause
    if matches and any(clause.text in match.evidence or match.evidence in clause.text for match in matches):
        return False
    if statement.names in [slot.key_stems for slot in slots]:
        return False
    if any(_revives(statement, slot) for slot in gone):
        return False
    held = (slot for slot in slots if slot.layer == ENVIRONMENT) if statement.plain else slots
    words = _words(statement)
    return not any(
        _is_said(statement, slot)
        for slot in held
        if not (words.isdisjoint(slot.subject) and words.isdisjoint(slot.value_stems))
    )


def parts(statement: Statement) -> Parts:
    """What a plain statement says beside the words of its clause, which former values are looked up by."""
    if not statement.plain:
        return frozenset()
    value = statement.value
    forms = [found.form for found in find_values(value)]
    return statement.names.union(stems(value), runs(value.lower()), forms)


def _revives(statement: Statement, slot: Slot) -> bool:
    """True where a statement says again what a slot held before: the latest mention brings nothing back."""
    if statement.plain:
        return slot.may_be_called(statement.names) and _is_said(statement, slot)
    return says(statement.clause.lowered, slot.lowered) or _is_said(statement, slot)


def _is_said(statement: Statement, slot: Slot) -> bool:
    """True where a statement repeats the values of a slot about the same thing, or most of its words.

    Of a plain one its key and value count: the same clause may name what it was before.
    """
    clause, value, words = statement.clause, statement.value, _words(statement)
    if not words.isdisjoint(slot.subject):
        read = (value.lower(), find_values(value)) if statement.plain else (clause.lowered, clause.values)
        if slot.is_restated(*read):
            return True
    return len(words & slot.value_stems) >= MOST * max(1, len(slot.value_stems))


def _words(statement: Statement) -> frozenset[str]:
    """The stems by which a statement speaks of a slot."""
    return statement.names | stems(statement.value) if statement.plain else statement.clause.stems


def recorded(key: str, text: str, authority: Level, slots: Iterable[Slot]) -> Iterator[Slot]:
    """The spoken slots that a record takes the place of.

    It says the same, or on no lower authority something else about the same.

    Args:
        key: The key of the record.
        text: Its value.
        authority: The level of whoever wrote it.
        slots: Slots that statements filled.
    """
    written = wording(key, text)
    about = written.subject | written.value_stems
    for slot in slots:
        if not slot.key_stems <= about:
            continue
        same = len(slot.value_stems & written.value_stems) >= MOST * max(1, len(slot.value_stems))
        other = slot.conflicting(written.values, loosely=True) is not None
        if same or (slot.level <= authority and (other or (slot.is_status and written.status))):
            yield slot
