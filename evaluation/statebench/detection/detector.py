"""Detectors of superseded facts: `RuleDetector` uses rules (the default), `ModelDetector` asks a language model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from evaluation.statebench.detection.candidates import Candidates
from evaluation.statebench.detection.clause import Clause, NamedThing, named_things
from evaluation.statebench.detection.loose import substituted
from evaluation.statebench.detection.plain import Plain, key_names
from evaluation.statebench.detection.rules import EXPLICIT, IMPLICIT, Match, Rules, Setting, judge, replaced
from evaluation.statebench.detection.slot import ASPECTS, Slot
from evaluation.statebench.detection.supersedable import Supersedable
from evaluation.statebench.detection.turn_features import turn_features
from evaluation.statebench.facts.authority import Level
from evaluation.statebench.language.values import find_values
from evaluation.statebench.language.words import STOPWORDS, says, stem, stems

THRESHOLD = 0.55  # minimum confidence for a turn to replace a fact
_BESIDE = 0.65  # minimum confidence for a second fact of one turn
_NAMED = 0.95  # minimum confidence of a plain statement of change with a slot's exact key
_BONUS = 0.01  # confidence added per stem shared with the slot, so that the best-named slot wins


@dataclass(slots=True)
class Turn:
    """One conversation turn. `level` is the authority of its speaker, or a higher authority that it quotes."""

    index: int
    speaker: str
    text: str
    ts: str
    level: Level


@dataclass(slots=True)
class Detection:
    """A fact that a turn supersedes. `turn_index` counts the conversation turns from 0 in order of time."""

    turn_index: int
    event_index: int
    fact_id: str
    key: str
    kind: str
    evidence: str
    confidence: float


class Detector(Protocol):
    """Finds the slots that a turn supersedes. A slot is a part of the state with one value."""

    def hears(self, text: str) -> bool:
        """True if a text may supersede something. Other texts need no call of `detect`."""

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Sequence[Match]:
        """Return at most one match per slot, the most confident first. `slots` are in order of their last mention."""


class RuleDetector:
    def hears(self, text: str) -> bool:
        return turn_features(text).supersedable is not None

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Sequence[Match]:
        """Return a match for each slot that the turn supersedes, the most confident match first."""
        reading = turn_features(turn.text).supersedable
        if reading is None or not slots:
            return ()
        matches: list[Match] = []
        for clause, on_restated, on_other, plain in reading.clauses:
            exact = _exact(plain, slots) if plain is not None else None
            if plain is None or exact is None:
                matches += _matches(clause, on_restated, on_other, _spoken_of(plain, slots), reading)
            elif not _is_mere_word(clause, plain, exact):
                found = _matches(clause, on_restated, on_other, slots, reading)
                matches += _on_named(clause, plain, exact, found)
        if reading.across is not None:
            matches += _across(reading.across, slots, turn.text)
        if not matches:
            return ()
        if len(matches) > 1:
            matches.sort(key=_rank, reverse=True)
        return _apart(matches, explains=reading.explains)


def _apart(matches: Sequence[Match], *, explains: bool) -> list[Match]:
    chosen: list[Match] = []
    for match in matches:
        if match.confidence < (_BESIDE if chosen else THRESHOLD):
            break
        if not any(match.slot is other.slot or _is_one(match, other) for other in chosen):
            is_explained = match.kind == IMPLICIT and explains
            chosen.append(replace(match, kind=EXPLICIT) if is_explained else match)
    return chosen


def _is_one(match: Match, other: Match) -> bool:
    if match.evidence not in other.evidence and other.evidence not in match.evidence:
        return False
    return not (_fills_apart(match, other) and _fills_apart(other, match))


def _fills_apart(match: Match, other: Match) -> bool:
    if match.filler is None:
        return says(match.evidence.lower(), match.slot.lowered)
    if other.filler is not None and match.filler.key == other.filler.key:
        return False
    return other.filler is not None or match.filler.kind not in {value.kind for value in other.slot.values}


def _rank(match: Match) -> tuple[float, int]:
    return match.confidence, match.slot.order


def _matches(
    clause: Clause, on_restated: Rules, on_other: Rules, slots: Sequence[Slot], reading: Supersedable
) -> Iterator[Match]:
    """Yield a match for each slot that the clause supersedes.

    The rules `on_restated` apply to slots whose value the clause repeats, and `on_other` to all other slots.
    """
    if not slots:
        return
    latest, words, naming = slots[-1], reading.words, clause.naming
    is_alone, anywhere = words == clause.stems, _is_pointed_at(clause, is_latest=False)
    spoken_in = naming if is_alone else words
    beside = Candidates(clause, slots, brings_news=reading.brings_news)
    for slot in slots:
        subject = slot.subject
        if (
            spoken_in.isdisjoint(subject)
            and not (anywhere or not words.isdisjoint(slot.value_stems))
            and not (slot is latest and _is_pointed_at(clause, is_latest=True))
        ):
            continue
        if is_another(clause, slot):
            continue
        restated = slot.is_restated(clause.lowered, clause.values)
        rules = on_restated if restated else on_other
        if not rules:
            continue
        overlap = naming & subject
        spoken = overlap if is_alone else words & subject
        news = beside.news_to(slot) if clause.values and not restated else ()
        setting = Setting(clause, slot, overlap, spoken, slot is latest, restated, beside, news)
        match = judge(setting, rules)
        if match is None:
            continue
        filler = slot.conflicting(news, loosely=True)
        is_told_apart = restated or _corrects(clause) or (filler is not None and slot.counts(filler))
        if not is_told_apart and any(other is not slot for other in beside.restated):
            continue
        sure = round(match.confidence + _BONUS * min(len(overlap), 4), 4)
        exchanged = substituted(slot, news) if slot.is_spoken and clause.is_brief else ""
        yield Match(slot, match.kind, sure, match.evidence, exchanged, filler)


def _exact(plain: Plain, slots: Sequence[Slot]) -> Slot | None:
    names = plain.names
    for slot in reversed(slots):
        if slot.key_stems == names:
            return slot
    return None


def _spoken_of(plain: Plain | None, slots: Sequence[Slot]) -> Sequence[Slot]:
    if plain is None:
        return slots
    return [slot for slot in slots if slot.wording.tentative or not slot.is_bare or _may_mean(plain, slot)]


def _may_mean(plain: Plain, slot: Slot) -> bool:
    if plain.names.isdisjoint(slot.key_stems | slot.value_stems):
        return False
    if plain.names.isdisjoint(slot.key_stems):
        return True
    aspect = key_names(plain.key.rpartition("_")[2])
    return not slot.is_of_another(plain.names, has_aspect=aspect <= slot.key_stems)


def _is_mere_word(clause: Clause, plain: Plain, slot: Slot) -> bool:
    if _says_same(plain.value, slot) or clause.only_keeps:
        return True
    news = plain.changes or clause.is_loud or slot.changes_with_time
    return not news and slot.is_bare


def _says_same(value: str, slot: Slot) -> bool:
    lowered = value.lower()
    if lowered == slot.lowered:
        return True
    return stems(value) <= slot.value_stems and slot.is_restated(lowered, find_values(value))


def _on_named(clause: Clause, plain: Plain, slot: Slot, found: Iterable[Match]) -> Iterator[Match]:
    own = max((match for match in found if match.slot is slot), key=_rank, default=None)
    is_change = plain.changes or clause.is_marked
    if own is not None:  # agreement with a rule must not lower the confidence
        sure = max(own.confidence, _NAMED) if is_change else own.confidence
        yield replace(own, value=plain.value, confidence=sure)
    elif is_change:
        yield Match(slot, EXPLICIT, _NAMED, clause.text, plain.value)


def _is_pointed_at(clause: Clause, *, is_latest: bool) -> bool:
    if is_latest and (clause.can_point or clause.is_news or clause.amends or clause.values):
        return True
    return bool(clause.values and clause.is_news)


def is_another(clause: Clause, slot: Slot) -> bool:
    """True if a clause is about a different thing of the same kind: "pump 5" for the slot of "pump 3"."""
    keyed = slot.wording.numbered_key
    if keyed is not None and clause.number_of(keyed[0]) not in (None, keyed[1]):
        return True
    one, other = clause.numbered, slot.wording.numbered
    if one is not None and other is not None and one[0] == other[0] and one[1] != other[1]:
        return True
    if slot.is_spoken and is_sibling(clause, slot):
        return True
    if is_of_another(clause.text, slot):
        return True
    this, that = clause.thing, slot.wording.thing
    if this is None or that is None or this[1] != that[1]:
        return False
    return this[0] not in slot.subject and that[0] not in clause.stems


def is_of_another(text: str, slot: Slot) -> bool:
    """True if a text names things and none belongs to the slot: "fee of the Fern line" for "fee_of_moss_line"."""
    named = named_things(text)
    return bool(named) and all(_is_elsewhere(each, slot) for each in named)


def _is_elsewhere(named: NamedThing, slot: Slot) -> bool:
    words = slot.key.lower().split("_")
    if named.name in words or named.name in slot.lowered:
        return False
    if others := named_things(slot.text):
        return all(other.name != named.name for other in others)
    kinds = [stem(word) for word in words]
    if named.noun in kinds[1:]:
        return True
    rest = slot.key_stems - named.attribute
    return bool(named.attribute) and named.attribute <= slot.key_stems and bool(rest - ASPECTS)


def is_sibling(clause: Clause, slot: Slot) -> bool:
    """True if the clause and the slot begin with the same word and differ in the next: "dial south", "dial north"."""
    this, that = clause.opening, slot.wording.opening
    if len(this) < 2 or len(that) < 2 or this[0] != that[0] or this[0] in STOPWORDS or this[1] == that[1]:
        return False
    told_apart = {this[1], that[1]}.isdisjoint(STOPWORDS)
    return told_apart and this[1] not in slot.lowered and that[1] not in clause.lowered


def _corrects(clause: Clause) -> bool:
    return clause.corrects or clause.reverts or clause.from_to


def _across(clause: Clause, slots: Sequence[Slot], text: str) -> Iterator[Match]:
    for slot in slots:
        seen_off = clause.departs or clause.corrects or clause.rejects
        partly = seen_off and not slot.values and slot.wording.capitals & clause.stems
        if partly or slot.is_restated(clause.lowered, clause.values):
            overlap, beside = clause.stems & slot.subject, Candidates(clause, slots)
            setting = Setting(clause, slot, overlap, frozenset(), False, True, beside)
            if outcome := replaced(setting):
                yield Match(slot, *outcome, text)


class ModelDetector:
    """Detector that asks a language model which fact a turn supersedes. `complete` maps a prompt to a completion.

    A completion should be a JSON object {"fact": key or null, "evidence": text, "confidence": 0..1}. Any other
    completion counts as no detection.
    """

    def __init__(self, complete: Callable[[str], str]) -> None:
        self._complete = complete

    def hears(self, text: str) -> bool:
        return True

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Sequence[Match]:
        if not slots:
            return ()
        try:
            answer = json.loads(self._complete(self._prompt(turn, slots)))
            slot = next(slot for slot in slots if slot.key == answer["fact"])
            return (Match(slot, EXPLICIT, float(answer["confidence"]), str(answer["evidence"])),)
        except (ValueError, KeyError, TypeError, StopIteration):
            return ()

    @staticmethod
    def _prompt(turn: Turn, slots: Sequence[Slot]) -> str:
        facts = "\n".join(f"- {slot.key}: {slot.text}" for slot in slots)
        return (
            f"Known facts:\n{facts}\n\nA {turn.speaker} now says: {turn.text!r}\n\n"
            "Does this supersede one of the facts? Hypotheses, questions, drafts and reminders do not.\n"
            'Answer with one JSON object: {"fact": <key or null>, "evidence": <words of the turn>, '
            '"confidence": <0 to 1>}'
        )
