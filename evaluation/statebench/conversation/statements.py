"""Statements: clauses of a turn that say what holds, with a key and a value as they would be written down.

A plain statement ("The office address is 9 Oak Lane") gives its value; any other is kept as it was said. Questions,
wishes, hearsay, suppositions and suggestions are no statements.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.statebench.detection.clause import Clause, clauses
from evaluation.statebench.detection.plain import key_names, plain_statement
from evaluation.statebench.detection.turn_features import turn_features
from evaluation.statebench.facts.scopes import GLOBAL
from evaluation.statebench.language.lexicon import cue
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.words import STOPWORDS, stem, tokens

_FEW = 3  # words of the key of what is kept as it was said
_TELLS = re.compile(r"\b(?:\d+[A-Z]|[A-Z]+\d+)\b|['\"‘“]\w[^'\"’”]+['\"’”]")  # "4B", "A4", 'cedar'
# What somebody puts up for discussion, says of himself, or tells as a story.
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


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that somebody says holds. `names` are the words of its key as they compare."""

    key: str
    value: str
    names: frozenset[str]
    clause: Clause
    plain: bool


@memo
def statements(text: str) -> tuple[Statement, ...]:
    """The statements of a turn, in order."""
    if not turn_features(text).states:
        return ()
    every_clause = clauses(text)
    stated = [_statement(clause, alone=len(every_clause) == 1, turn=text) for clause in every_clause]
    return tuple([statement for statement in stated if statement is not None])


def _statement(clause: Clause, *, alone: bool, turn: str) -> Statement | None:
    if clause.scope != GLOBAL or clause.only_keeps:
        return None
    plain = plain_statement(clause)
    if plain is not None:
        return Statement(plain.key, plain.value, plain.names, clause, True)
    words = _key_words(clause) if _tells(clause) else []
    if not words:
        return None
    key = "_".join(words)
    return Statement(key, turn if alone else clause.text, key_names(key), clause, False)


def _tells(clause: Clause) -> bool:
    """True where a clause holds something to write down: a value, a name, a state of affairs, a preference."""
    lowered = clause.lowered
    if clause.is_fragment or _PRONOUN.match(lowered) or _NO_FACT.search(lowered):
        return False
    if clause.values or clause.names or clause.tells_status:
        return True
    if clause.is_directive:
        return True
    return _PREFERS.search(lowered) is not None or _TELLS.search(clause.text) is not None


def _key_words(clause: Clause) -> list[str]:
    """The first words that say what a clause is about, its values left out."""
    about = clause.stems - clause.valued
    words = [word for word in tokens(clause.text) if word not in STOPWORDS and stem(word) in about]
    return list(dict.fromkeys(words))[:_FEW]
