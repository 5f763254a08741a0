"""Detectors behind one interface. `RuleDetector` is the default; `ModelDetector` asks a language model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from evaluation.statebench.authority import Level
from evaluation.statebench.classify import GLOBAL
from evaluation.statebench.detection.clause import Clause, clauses, whole
from evaluation.statebench.detection.rules import EXPLICIT, IMPLICIT, Match, Setting, judge, replaced
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.speech import Speech
from evaluation.statebench.values import Value

THRESHOLD = 0.55
_BONUS = 0.01  # per stem by which a clause names the slot, so that the best-named slot wins


@dataclass(slots=True)
class Turn:
    """What somebody said; `level` is the highest authority the words carry."""

    index: int
    speaker: str
    text: str
    ts: str
    level: Level


@dataclass(slots=True)
class Detection:
    """A turn supersedes a fact. `turn_index` counts conversation turns in order of time, from 0."""

    turn_index: int
    event_index: int
    fact_id: str
    key: str
    kind: str
    evidence: str
    confidence: float


class Detector(Protocol):
    """Says what a turn supersedes among the slots of a state, the one spoken of last at the end."""

    def hears(self, said: Speech) -> bool:
        """False where words cannot supersede anything, so that nothing has to be looked up for them."""

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Match | None:
        """The slot superseded, None where the turn supersedes nothing."""


class RuleDetector:
    """Rules over entities and values; see `rules`."""

    def hears(self, said: Speech) -> bool:
        """Whether any clause changes, settles, values or asserts something."""
        return not said.inert

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Match | None:
        """The best match over all clauses and slots."""
        said = clauses(turn.text)
        if not said or not slots:
            return None
        words = said[0].stems if len(said) == 1 else frozenset().union(*[clause.stems for clause in said])
        matches = [match for clause in said for match in _matches(clause, slots, words)]
        if (everything := whole(turn.text)) is not None:
            matches += _across(everything, slots)
        best = max(matches, key=_rank, default=None)
        if best is None or best.confidence < THRESHOLD:
            return None
        explains = best.kind == IMPLICIT and any(_explains(clause) for clause in said)
        return replace(best, kind=EXPLICIT) if explains else best


def _explains(clause: Clause) -> bool:
    """True where a clause says that something else does not hold any more; another clause may say what does."""
    return clause.corrects or clause.cancels or clause.invalidates or clause.rejects


def _rank(match: Match) -> tuple[float, int]:
    return match.confidence, match.slot.order


def _matches(clause: Clause, slots: Sequence[Slot], words: frozenset[str]) -> Iterable[Match]:
    """What a clause supersedes. Where it says again what another slot holds, only a correction counts."""
    if clause.scope != GLOBAL or clause.only_keeps:
        return
    latest = slots[-1]
    overlaps = [clause.stems & slot.subject for slot in slots]
    elliptical = not any(overlaps)
    for slot, overlap in zip(slots, overlaps, strict=True):
        spoken = words & slot.subject
        if _is_another(clause, slot):
            continue
        if not spoken and words.isdisjoint(slot.value_stems) and not (slot is latest and clause.can_point):
            continue
        restated = slot.is_restated(clause.lowered, clause.values)
        setting = Setting(clause, slot, overlap, spoken, slot is latest, restated, elliptical)
        if clause.values and not restated:
            setting.values = _own(clause, slot, slots)
        found = judge(setting)
        if found is None or (not restated and not _corrects(clause) and _restates_other(clause, slot, slots)):
            continue
        sure = round(found.confidence + _BONUS * min(len(overlap), 4), 4)
        yield Match(slot, found.kind, sure, found.evidence)


def _is_another(clause: Clause, slot: Slot) -> bool:
    """True where the same is said of another thing: "pump 5" for "pump 3", "the sauna closes" for "the pool"."""
    one, other = clause.numbered, slot.wording.numbered
    if one is not None and other is not None and one[0] == other[0] and one[1] != other[1]:
        return True
    this, that = clause.thing, slot.wording.thing
    if this is None or that is None or this[1] != that[1]:
        return False
    return this[0] not in slot.subject and that[0] not in clause.stems


def _corrects(clause: Clause) -> bool:
    return clause.corrects or clause.reverts or clause.from_to


def _restates_other(clause: Clause, slot: Slot, slots: Sequence[Slot]) -> bool:
    return any(other is not slot and other.is_restated(clause.lowered, clause.values) for other in slots)


def _own(clause: Clause, slot: Slot, slots: Sequence[Slot]) -> tuple[Value, ...]:
    """The values of a clause that belong to no other slot."""
    return tuple(
        value
        for value in clause.values
        if not any(value.is_same(held) for other in slots if other is not slot for held in other.values)
    )


def _across(clause: Clause, slots: Sequence[Slot]) -> Iterable[Match]:
    """What a turn replaces as a whole: one clause repeats the old value, another gives the new one."""
    for slot in slots:
        if slot.is_restated(clause.lowered, clause.values):
            setting = Setting(clause, slot, clause.stems & slot.subject, frozenset(), False, True)
            if found := replaced(setting):
                yield Match(slot, *found, clause.text)


class ModelDetector:
    """Asks a model, given as a function prompt -> completion, to name the fact a turn supersedes.

    The completion has to be a JSON object {"fact": key or null, "evidence": text, "confidence": 0..1};
    anything else counts as no detection.
    """

    def __init__(self, complete: Callable[[str], str]) -> None:
        self._complete = complete

    def hears(self, said: Speech) -> bool:
        """Everything: the model decides."""
        return True

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Match | None:
        """One question to the model per turn."""
        if not slots:
            return None
        try:
            answer = json.loads(self._complete(self._prompt(turn, slots)))
            slot = next(slot for slot in slots if slot.key == answer["fact"])
            return Match(slot, EXPLICIT, float(answer["confidence"]), str(answer["evidence"]))
        except (ValueError, KeyError, TypeError, StopIteration):
            return None

    @staticmethod
    def _prompt(turn: Turn, slots: Sequence[Slot]) -> str:
        facts = "\n".join(f"- {slot.key}: {slot.text}" for slot in slots)
        return (
            f"Known facts:\n{facts}\n\nA {turn.speaker} now says: {turn.text!r}\n\n"
            "Does this supersede one of the facts? Hypotheses, questions, drafts and reminders do not.\n"
            'Answer with one JSON object: {"fact": <key or null>, "evidence": <words of the turn>, '
            '"confidence": <0 to 1>}'
        )
