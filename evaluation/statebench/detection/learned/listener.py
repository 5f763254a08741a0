"""Detector for free talk. It applies the rules, and the learned model where the rules find nothing or are unsure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from evaluation.statebench.detection.clause import clauses
from evaluation.statebench.detection.detector import RuleDetector, Turn, is_another, is_sibling
from evaluation.statebench.detection.differences import differences, told_apart
from evaluation.statebench.detection.learned.features import candidates
from evaluation.statebench.detection.learned.kinds import is_state, sides
from evaluation.statebench.detection.learned.model import Model, bounded, is_free_talk, model, probability
from evaluation.statebench.detection.learned.quantities import quantities
from evaluation.statebench.detection.learned.reading import read
from evaluation.statebench.detection.plain import plain_statement
from evaluation.statebench.detection.rules import EXPLICIT, IMPLICIT, Match, prefers
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.detection.successions import succeeded, succession
from evaluation.statebench.detection.takeovers import taken_over, takeovers
from evaluation.statebench.detection.turn_features import turn_features
from evaluation.statebench.facts.classify import turn_scope
from evaluation.statebench.facts.scopes import DRAFT
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import Value
from evaluation.statebench.language.words import capitals, names, stems

CERTAIN = 0.8  # rule confidence that the model does not veto: 46 of 48 such were right on unseen scenes
_DENIES = re.compile(r"n't\b|\b(?:not?|nor|never|without|instead|gone|so)\b")
_BESIDE = 1  # further words allowed in a turn that names the slot
_HIGHEST, _LEAST = 0.89, 0.55  # confidence of the model's matches
_MOST = 16_384  # cached outcomes; with `_MANY` slots each they take about 20 MB
_MANY = 128  # slots; with more the outcome is not cached
Key = tuple[object, ...]
_Rest = tuple[str, float, str, str, Value | None, bool]  # a match without its slot


class FreeTalkDetector:
    """Detector that applies rules first. A learned model adds matches and rejects uncertain matches of the rules."""

    def __init__(self, learned: Model | None = None) -> None:
        self._rules = RuleDetector()
        self._learned = learned
        self._known = Outcomes()

    def hears(self, text: str) -> bool:
        told_plainly = self._rules.hears(text) or takeovers(text) or succession(text) or differences(text)
        return bool(told_plainly) or self._may_flag(text)

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Sequence[Match]:
        key = self._known.key(turn, slots)
        found = self._known.read(key, slots)
        if found is None:
            found = _without_other_names(turn.text, self._detect(turn, slots))
            self._known.keep(key, slots, found)
        return found

    def _detect(self, turn: Turn, slots: Sequence[Slot]) -> Sequence[Match]:
        found = self._rules.detect(turn, slots)
        if not slots or turn.index < 0:  # index -1 is a signal; the model is trained on talk only
            return found
        if plain := _told_plainly(turn.text, slots):  # plain forms need no check by the model
            return [*plain, *_apart_from(plain, found)]
        if not found:
            return self._find(turn.text, slots) if self._may_flag(turn.text) else ()
        return () if self._is_vetoed(turn.text, slots, found) else found

    def _may_flag(self, text: str) -> bool:
        return may_flag(text) if self._learned is None else _may_flag(text, self._learned)

    def _is_vetoed(self, text: str, slots: Sequence[Slot], found: Sequence[Match]) -> bool:
        learned = self._learned or model()
        if not (is_free_talk(text) if self._learned is None else learned.is_free_talk(text)):
            return False
        thresholds, least = learned.thresholds, learned.thresholds.doubts
        if is_plain(text, found[0]):
            return False
        if not is_certain(text, found[0]):
            if learned.mood(text) < thresholds.calm:
                return True
            least = thresholds.vetoes
        return least > 0 and probability(learned.scores(text, candidates(read(text), slots), found)) < least

    def _find(self, text: str, slots: Sequence[Slot]) -> Sequence[Match]:
        learned, slots = self._learned or model(), candidates(read(text), slots)
        thresholds, scores = learned.thresholds, learned.scores(text, slots, ())
        if probability(scores) < thresholds.flags:
            return ()
        allowed = [
            -math.inf if _is_ruled_out(text, slot, slots) else score
            for slot, score in zip(slots, scores, strict=True)
        ]
        if probability(allowed) < thresholds.flags:
            return ()
        best = max(range(len(slots)), key=lambda at: (allowed[at], at))
        chosen = [
            at for at in range(len(slots)) if at == best or allowed[at] >= allowed[best] - thresholds.beside
        ]
        return [_match(text, slots[at], allowed[at]) for at in sorted(chosen, key=lambda at: -allowed[at])]


def _without_other_names(text: str, found: Sequence[Match]) -> Sequence[Match]:
    told = succession(text)
    if told is None:
        return found
    gone = stems(told.gone)
    return [match for match in found if not match.slot.wording.capitals or gone & match.slot.value_stems]


def _told_plainly(text: str, slots: Sequence[Slot]) -> list[Match]:
    found = [*taken_over(text, slots), *succeeded(text, slots)]
    return found or [*told_apart(text, slots)]


def _apart_from(sure: Sequence[Match], found: Sequence[Match]) -> list[Match]:
    return [
        match
        for match in found
        if all(match.slot is not one.slot and one.evidence not in match.evidence for one in sure)
    ]


def _may_flag(text: str, learned: Model) -> bool:
    if not learned.is_free_talk(text) or not tells_something(text):
        return False
    return learned.mood(text) >= learned.thresholds.mood


@memo
def may_flag(text: str) -> bool:
    return _may_flag(text, model())


def tells_something(text: str) -> bool:
    """True if a text asserts something. Questions, hearsay and texts marked as drafts assert nothing."""
    return turn_scope(text) != DRAFT and bool(clauses(text))


def _is_ruled_out(text: str, slot: Slot, slots: Sequence[Slot]) -> bool:
    told = clauses(text)
    for clause in told:
        if prefers(clause, slot) and slot.is_restated(clause.lowered, clause.values):
            return True  # "Friday instead of Sunday"
        if is_sibling(clause, slot) or is_another(clause, slot):
            return True
    if _offers_nothing(text, slot) or _merely_repeats(text, slot, slots):
        return True
    plain = plain_statement(told[0]) if len(told) == 1 else None
    about = slot.key_stems & slot.value_stems
    if plain is not None and about and plain.names.isdisjoint(slot.key_stems | slot.value_stems):
        return True  # "The discount is 45%"
    is_sentence = bool(about) and not slot.is_spoken
    if is_sentence and stems(text).isdisjoint(slot.subject | slot.value_stems):
        return True  # "The anchor weighs 45 kg" is not news of "the raft is leaking"
    others = capitals(text) - slot.value_stems
    return is_sentence and bool(others) and stems(text).isdisjoint(slot.key_stems)


def _offers_nothing(text: str, slot: Slot) -> bool:
    features = turn_features(text)
    if features.values or quantities(features.lowered):
        return False
    if sides(features.lowered) and not features.resumes:
        return False
    if any(clause.cancels or clause.departs or clause.rejects for clause in features.clauses):
        return False
    said = frozenset().union(*[clause.stems for clause in features.clauses])
    return said <= slot.subject | slot.value_stems


def _merely_repeats(text: str, slot: Slot, slots: Sequence[Slot]) -> bool:
    features = turn_features(text)
    if slot.is_spoken or not slot.is_restated(features.lowered, features.values):
        return False
    offered = quantities(features.lowered) - frozenset().union(*[quantities(one.lowered) for one in slots])
    if offered or _DENIES.search(features.lowered) or features.marked:
        return False
    if any(clause.departs or clause.rejects or clause.settles for clause in features.clauses):
        return False
    known = frozenset().union(*[one.value_stems | one.subject for one in slots])
    return stems(" ".join(names(text))) <= known and not sides(features.lowered)


def is_certain(text: str, match: Match) -> bool:
    """True if a match must not be rejected because of a low mood score (`Model.mood`) of the turn."""
    return match.confidence >= CERTAIN or _beside(text, match) <= (_BESIDE if _names_key(text, match) else 0)


def is_plain(text: str, match: Match) -> bool:
    """True if the model must not reject a match, because the turn has only words of the slot's key and values."""
    return _names_key(text, match) and not _beside(text, match)


def _names_key(text: str, match: Match) -> bool:
    return not turn_features(text).stems.isdisjoint(match.slot.key_stems)


def _beside(text: str, match: Match) -> int:
    features, slot = turn_features(text), match.slot
    valued = stems(" ".join([*(value.text for value in features.values), match.value or ""]))
    others = features.stems - slot.subject - slot.value_stems - valued
    return len([word for word in others if not is_state(word)])


def _match(text: str, slot: Slot, score: float) -> Match:
    features = turn_features(text)
    kind = EXPLICIT if features.marked else IMPLICIT
    confidence = _LEAST + (_HIGHEST - _LEAST) / (1 + math.exp(-bounded(score)))
    return Match(slot, kind, round(confidence, 4), text)


class Outcomes:
    """Cache of matches by turn and slots. It stores positions of slots, which `read` turns back into slots."""

    def __init__(self) -> None:
        self._kept: dict[Key, tuple[tuple[int, _Rest], ...]] = {}

    def key(self, turn: Turn, slots: Sequence[Slot]) -> Key:
        """Return a cache key of all data that matches depend on. Empty if there are too many slots for the cache."""
        if len(slots) > _MANY:
            return ()
        return (turn.text, turn.index < 0, *[slot.mark for slot in slots])

    def read(self, key: Key, slots: Sequence[Slot]) -> Sequence[Match] | None:
        kept = self._kept.get(key)
        return None if kept is None else [Match(slots[at], *rest) for at, rest in kept]

    def keep(self, key: Key, slots: Sequence[Slot], found: Sequence[Match]) -> None:
        if not key:
            return
        if len(self._kept) >= _MOST:
            self._kept.clear()
        at = {slot: number for number, slot in enumerate(slots)} if found else {}
        self._kept[key] = tuple([(at[one.slot], _rest(one)) for one in found])


def _rest(match: Match) -> _Rest:
    return match.kind, match.confidence, match.evidence, match.value, match.filler, match.is_whole
