"""Detectors behind one interface. `RuleDetector` is the default; `ModelDetector` asks a language model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from evaluation.statebench.detection.clause import Clause, clauses, whole
from evaluation.statebench.detection.rules import (
    EXPLICIT,
    IMPLICIT,
    Match,
    Rules,
    Setting,
    judge,
    replaced,
    rules_for,
)
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.facts.authority import Level
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import Value

THRESHOLD = 0.55  # the least confidence by which a turn replaces a fact
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

    def hears(self, text: str) -> bool:
        """False where words cannot supersede anything, so that nothing has to be looked up for them."""

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Match | None:
        """The slot superseded, None where the turn supersedes nothing."""


class RuleDetector:
    """Rules over entities and values; see `rules`."""

    def hears(self, text: str) -> bool:
        """Whether there is a rule that any clause of a text may satisfy."""
        return _reading(text) is not None

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Match | None:
        """The best match over all clauses and slots."""
        said = _reading(turn.text)
        if said is None or not slots:
            return None
        matches: list[Match] = []
        for clause, on_restated, on_other in said.clauses:
            matches += _matches(clause, on_restated, on_other, slots, said.words)
        if said.across is not None:
            matches += _across(said.across, slots)
        if not matches:
            return None
        best = max(matches, key=_rank)
        if best.confidence < THRESHOLD:
            return None
        return replace(best, kind=EXPLICIT) if best.kind == IMPLICIT and said.explains else best


@dataclass(frozen=True, slots=True)
class Supersedable:
    """What of a turn may supersede something: clauses with the rules for slots they restate, and for others.

    `words` are the stems of all clauses, `across` is the whole turn where it may replace something as a whole.
    """

    clauses: tuple[tuple[Clause, Rules, Rules], ...]
    words: frozenset[str]
    across: Clause | None
    explains: bool


@memo
def _reading(text: str) -> Supersedable | None:
    """None where no rule could apply, whatever the slots."""
    said, everything = clauses(text), whole(text)
    heard = tuple([(clause, *rules) for clause in said if any(rules := rules_for(clause))])
    across = everything if everything is not None and everything.replaces else None
    if not heard and across is None:
        return None
    words = frozenset().union(*[clause.stems for clause in said])
    return Supersedable(heard, words, across, any(_explains(clause) for clause in said))


def _explains(clause: Clause) -> bool:
    """True where a clause says that something else does not hold any more; another clause may say what does."""
    return clause.corrects or clause.cancels or clause.invalidates or clause.rejects


def _rank(match: Match) -> tuple[float, int]:
    return match.confidence, match.slot.order


def _matches(
    clause: Clause, on_restated: Rules, on_other: Rules, slots: Sequence[Slot], words: frozenset[str]
) -> Iterator[Match]:
    """What a clause supersedes. Where it says again what another slot holds, only a correction counts."""
    latest, stems = slots[-1], clause.stems
    overlaps = [stems & slot.subject for slot in slots]
    elliptical = not any(overlaps)
    for slot, overlap in zip(slots, overlaps, strict=True):
        spoken = overlap if words == stems else words & slot.subject
        if not spoken and words.isdisjoint(slot.value_stems) and not (slot is latest and clause.can_point):
            continue
        if (clause.numbered or clause.thing) and _is_another(clause, slot):
            continue
        restated = slot.is_restated(clause.lowered, clause.values)
        rules = on_restated if restated else on_other
        if not rules:
            continue
        setting = Setting(clause, slot, overlap, spoken, slot is latest, restated, elliptical)
        if clause.values and not restated:
            setting.values = _own(clause, slot, slots)
        found = judge(setting, rules)
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


def _across(clause: Clause, slots: Sequence[Slot]) -> Iterator[Match]:
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

    def hears(self, text: str) -> bool:
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
