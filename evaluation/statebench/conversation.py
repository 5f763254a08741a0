"""Reads the statements of turns as facts: key and value, and whether a statement is new.

A plain statement ("The office address is 9 Oak Lane") is stored as its value, any other statement verbatim.
Questions, wishes, hearsay, suppositions and suggestions are not statements. Digressions nest like the attentional state
of Grosz & Sidner (1986): an interruption opens a digression, a return closes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evaluation.statebench.detection.clause import Clause, clauses
from evaluation.statebench.detection.plain import key_names, plain_statement
from evaluation.statebench.detection.rules import Match
from evaluation.statebench.detection.slot import Slot, wording
from evaluation.statebench.detection.slots import ENVIRONMENT, MOST
from evaluation.statebench.detection.turn_features import TurnFeatures, turn_features
from evaluation.statebench.facts.authority import Level
from evaluation.statebench.facts.scopes import GLOBAL
from evaluation.statebench.language.lexicon import cue
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.overlap import Parts
from evaluation.statebench.language.values import find_values
from evaluation.statebench.language.words import STOPWORDS, capitals, runs, says, stem, stems, tokens

_FEW = 3  # words in the key of a remark
_TELLS = re.compile(r"\b(?:\d+[A-Z]|[A-Z]+\d+)\b|['\"‘“]\w[^'\"’”]+['\"’”]")  # "4B", "A4", 'cedar'
# Proposals, courtesies and stories.
_NO_FACT = cue(
    phrases="""
    let's | let us | should | shall we | why (?:not|don't) | how about | would | i(?:'m| am) (?:sorry|glad|happy
    |afraid|sure) | thanks? | thank you | good (?:morning|afternoon|evening) | hello | was | were | had
    """
)
_PREFERS = cue(
    verbs="use love prefer hate like drive live work run need own play study teach buy sell pay charge lead",
    phrases="allergic | vegetarian | vegan | favou?rite | called | named",
)
_PRONOUN = re.compile(r"^(?:it|that|this|they|those|these|he|she|then|which|who)\b")


class Focus:
    def __init__(self) -> None:
        self._digressing = self._exploring = False

    def attends(self, features: TurnFeatures) -> bool:
        """True if a turn belongs to no digression or exploration. Call it for every turn in order."""
        if not (self._digressing or self._exploring or features.digresses):
            return True
        if features.interrupts:
            self._digressing = True
        elif self._digressing and features.resumes:
            self._digressing = False
        elif self._exploring:
            self._exploring = not features.closes_scope
        elif features.opens_scope:
            self._exploring = True
        return False


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in a turn. `names` are the stems of its key."""

    key: str
    value: str
    names: frozenset[str]
    clause: Clause
    plain: bool


@memo
def statements(text: str) -> tuple[Statement, ...]:
    if not turn_features(text).states:
        return ()
    every_clause = clauses(text)
    stated = [_statement(clause, alone=len(every_clause) == 1, turn=text) for clause in every_clause]
    return tuple([statement for statement in stated if statement is not None])


def _statement(clause: Clause, *, alone: bool, turn: str) -> Statement | None:
    if clause.scope != GLOBAL or clause.only_keeps:
        return None
    plain = plain_statement(clause)
    if plain is not None and not _counts(plain.key):
        return Statement(plain.key, plain.value, plain.names, clause, True)
    words = _key_words(clause) if _tells(clause) else []
    if not words:
        return None
    key = "_".join(words)
    return Statement(key, turn if alone else clause.text, key_names(key), clause, False)


def _counts(key: str) -> bool:
    """True for a key that begins with a number: "Twelve chairs are in the hall" has a quantity but no attribute."""
    values = find_values(key.replace("_", " "))
    return bool(values) and values[0].start == 0 and values[0].kind == "number"


def _tells(clause: Clause) -> bool:
    """True if a clause has content worth storing: a value, a name, a state of affairs, a preference."""
    lowered = clause.lowered
    if clause.is_fragment or _PRONOUN.match(lowered) or _NO_FACT.search(lowered):
        return False
    if clause.values or clause.names or clause.tells_status:
        return True
    if clause.is_directive:
        return True
    return _PREFERS.search(lowered) is not None or _TELLS.search(clause.text) is not None


def _key_words(clause: Clause) -> list[str]:
    about = clause.stems - clause.valued
    words = [word for word in tokens(clause.text) if word not in STOPWORDS and stem(word) in about]
    return list(dict.fromkeys(words))[:_FEW]


def attribute_of(key: str, remark: str) -> str:
    """Remove names from the key of a remark ("live_paris" -> "live"). An empty key is made from the remark's words."""
    named = capitals(remark)
    words = [word for word in key.split("_") if stem(word) not in named]
    if not words:
        valued = stems(" ".join(value.text for value in find_values(remark)))
        spoken = [word for word in tokens(remark) if word not in STOPWORDS]
        words = [word for word in spoken if stem(word) not in named | valued][:_FEW]
    return "_".join(words) or "said"


def is_new(
    statement: Statement, slots: Sequence[Slot], gone: Iterable[Slot], matches: Sequence[Match]
) -> bool:
    """True if the content of a statement is new: in no match (a supersession), and in no present or former slot."""
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
    """Stems, values and character runs of a plain statement, for finding former values that it repeats."""
    if not statement.plain:
        return frozenset()
    value = statement.value
    forms = [found.form for found in find_values(value)]
    return statement.names.union(stems(value), runs(value.lower()), forms)


def _revives(statement: Statement, slot: Slot) -> bool:
    """True if a statement repeats a former value. Such a late mention does not restore the value."""
    if statement.plain:
        return slot.may_be_called(statement.names) and _is_said(statement, slot)
    return says(statement.clause.lowered, slot.lowered) or _is_said(statement, slot)


def _is_said(statement: Statement, slot: Slot) -> bool:
    clause, value, words = statement.clause, statement.value, _words(statement)
    if not words.isdisjoint(slot.subject):
        read = (value.lower(), find_values(value)) if statement.plain else (clause.lowered, clause.values)
        if slot.is_restated(*read):
            return True
    return len(words & slot.value_stems) >= MOST * max(1, len(slot.value_stems))


def _words(statement: Statement) -> frozenset[str]:
    return statement.names | stems(statement.value) if statement.plain else statement.clause.stems


def recorded(key: str, text: str, authority: Level, slots: Iterable[Slot]) -> Iterator[Slot]:
    """Yield slots that a write replaces: their content is equal, or conflicts and has at most the given authority."""
    written = wording(key, text)
    about = written.subject | written.value_stems
    for slot in slots:
        if not slot.key_stems <= about:
            continue
        same = len(slot.value_stems & written.value_stems) >= MOST * max(1, len(slot.value_stems))
        other = slot.conflicting(written.values, loosely=True) is not None
        if same or (slot.level <= authority and (other or (slot.is_status and written.status))):
            yield slot
