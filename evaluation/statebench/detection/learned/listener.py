"""The detector that hears free talk: the rules, and the learned model where they are silent or unsure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evaluation.statebench.detection.clause import clauses
from evaluation.statebench.detection.detector import RuleDetector, Turn, is_sibling
from evaluation.statebench.detection.learned.model import Model, bounded, is_free_talk, model, probability
from evaluation.statebench.detection.plain import plain_statement
from evaluation.statebench.detection.rules import EXPLICIT, IMPLICIT, Match, prefers
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.detection.turn_features import turn_features
from evaluation.statebench.facts.classify import turn_scope
from evaluation.statebench.facts.scopes import DRAFT
from evaluation.statebench.language.words import capitals, stems

NEAREST = 12  # slots that the model looks at: those spoken of last
CERTAIN = 0.8  # confidence of a rule that the model does not doubt: on unseen scenes 46 of 48 such were right
_BESIDE = 1  # words that a turn may have beside the slot that it names, to be plain
_HIGHEST, _LEAST = 0.89, 0.55  # confidence that a match of the model carries


class FreeTalkDetector:
    """Rules first. The model says what a turn supersedes where they find nothing, and doubts what they guess."""

    def __init__(self, learned: Model | None = None) -> None:
        self._rules = RuleDetector()
        self._learned = learned

    def hears(self, text: str) -> bool:
        """Whether a rule or the model may find anything in a text."""
        return self._rules.hears(text) or self._is_free_talk(text)

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Sequence[Match]:
        """The slots that a turn supersedes.

        Args:
            turn: What somebody said.
            slots: The slots of the state, the one spoken of last at the end.

        Returns:
            The matches of the rules, the surest first; where they have none, those of the model.
        """
        found = self._rules.detect(turn, slots)
        if not slots or turn.index < 0:  # a signal is no talk
            return found
        if (found and is_certain(turn.text, found[0])) or not self._is_free_talk(turn.text):
            return found
        if turn_scope(turn.text) == DRAFT or not clauses(turn.text):  # hearsay and questions leave no clause
            return found
        return self._weigh(turn, slots[-NEAREST:], found)

    def _is_free_talk(self, text: str) -> bool:
        return is_free_talk(text) if self._learned is None else self._learned.is_free_talk(text)

    def _weigh(self, turn: Turn, slots: Sequence[Slot], found: Sequence[Match]) -> Sequence[Match]:
        learned = self._learned or model()
        thresholds = learned.thresholds
        news = learned.news(turn.text)
        if news < (thresholds.vetoes if found else thresholds.flags):
            return ()
        scores = learned.scores(turn.text, slots, found)
        if not found:
            scores = [
                -math.inf if _is_ruled_out(turn.text, slot) else score
                for slot, score in zip(slots, scores, strict=True)
            ]
        likely = probability(news, scores)
        if found:
            return found if likely >= thresholds.vetoes else ()
        if likely < thresholds.flags:
            return ()
        best = max(range(len(slots)), key=lambda at: (scores[at], at))
        least = math.log(thresholds.beside / (1 - thresholds.beside))
        chosen = [best, *[at for at in range(len(slots)) if at != best and scores[at] >= least]]
        return [_match(turn.text, slots[at], scores[at]) for at in sorted(chosen, key=lambda at: -scores[at])]


def _is_ruled_out(text: str, slot: Slot) -> bool:
    """True where a turn prefers what the slot holds, or speaks of another thing than the sentence that it holds."""
    told = clauses(text)
    for clause in told:
        if prefers(clause, slot) and slot.is_restated(clause.lowered, clause.values):
            return True  # "Friday instead of Sunday"
        if is_sibling(clause, slot):
            return True
    plain = plain_statement(told[0]) if len(told) == 1 else None
    about = slot.key_stems & slot.value_stems
    if plain is not None and about and plain.names.isdisjoint(slot.key_stems | slot.value_stems):
        return True  # "The discount is 45%"
    is_sentence = bool(about) and not slot.is_spoken
    others = capitals(text) - slot.value_stems
    return is_sentence and bool(others) and stems(text).isdisjoint(slot.key_stems)


def is_certain(text: str, match: Match) -> bool:
    """Whether the model may not doubt what a rule finds: it is sure, or the turn speaks of that slot and hardly more.

    Args:
        text: The turn.
        match: What the rule found.
    """
    if match.confidence >= CERTAIN:
        return True
    features, slot = turn_features(text), match.slot
    valued = stems(" ".join([value.text for value in features.values]))
    others = features.stems - slot.subject - slot.value_stems - valued
    return len(others) <= (_BESIDE if features.stems & slot.key_stems else 0)


def _match(text: str, slot: Slot, score: float) -> Match:
    """What the model found, no surer than a rule would be; the whole turn is the evidence."""
    features = turn_features(text)
    kind = EXPLICIT if features.marked else IMPLICIT
    confidence = _LEAST + (_HIGHEST - _LEAST) / (1 + math.exp(-bounded(score)))
    return Match(slot, kind, round(confidence, 4), text)
