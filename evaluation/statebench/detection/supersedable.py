"""Finds the clauses of a turn that may supersede a slot, and the rules that each clause may satisfy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from evaluation.statebench.detection.clause import Clause, clauses, whole
from evaluation.statebench.detection.loose import (
    amended,
    appointed,
    corrected,
    departed,
    progressed,
    repointed,
    set_aside,
)
from evaluation.statebench.detection.plain import Plain, plain_statement
from evaluation.statebench.detection.rules import (
    Rule,
    Rules,
    cancelled,
    chosen,
    conflicting,
    invalidated,
    redefined,
    redirected,
    refilled,
    relocated,
    replaced,
    restatus,
    reverted,
    revised,
    settled,
    shifted,
)
from evaluation.statebench.facts.scopes import GLOBAL


@dataclass(frozen=True, slots=True)
class Supersedable:
    """The clauses of a turn, each with its rules. `across`: the turn as one clause, if that may replace a value."""

    clauses: tuple[tuple[Clause, Rules, Rules, Plain | None], ...]
    words: frozenset[str]
    across: Clause | None
    explains: bool
    brings_news: bool


def supersedable(text: str) -> Supersedable | None:
    """Return the clauses of a turn that may supersede something, or None if no rule can apply to any slot."""
    every_clause, everything = clauses(text), whole(text)
    heard = tuple(
        [
            (clause, *rules, plain)
            for clause in every_clause
            if any([*(rules := rules_for(clause)), plain := plain_statement(clause)])
        ]
    )
    across = everything if everything is not None and everything.replaces else None
    if not heard and across is None:
        return None
    words = frozenset().union(*[clause.stems for clause in every_clause])
    return Supersedable(
        heard,
        words,
        across,
        any(_explains(clause) for clause in every_clause),
        any(clause.is_loud or clause.departs or clause.rejects for clause in every_clause),
    )


def _explains(clause: Clause) -> bool:
    return clause.corrects or clause.cancels or clause.invalidates or clause.rejects


class Entry(NamedTuple):
    """A rule, and a condition on the clause that must be checked before the rule is called."""

    needs: Callable[[Clause], object]
    rule: Rule


# Rules for clauses that restate the slot's value, and for all others; the first that applies wins.
ON_RESTATED = (
    Entry(lambda clause: clause.replaces, replaced),
    Entry(lambda clause: clause.invalidates, invalidated),
    Entry(lambda clause: clause.tells_status, restatus),
    Entry(lambda clause: clause.departs or clause.cancels, departed),
)
ON_OTHER = (
    Entry(lambda clause: clause.reverts, reverted),
    Entry(lambda clause: clause.values and (clause.is_loud or clause.settles), revised),
    Entry(lambda clause: clause.target, relocated),
    Entry(lambda clause: clause.capitals, refilled),
    Entry(lambda clause: clause.settles, settled),
    Entry(lambda clause: clause.values, conflicting),
    Entry(lambda clause: clause.tells_status, restatus),
    Entry(lambda clause: clause.copula or clause.status_frame, redefined),
    Entry(lambda clause: clause.is_directive and clause.is_loud, redirected),
    Entry(lambda clause: clause.settles, chosen),
    Entry(lambda clause: clause.cancels or clause.announces, cancelled),
    Entry(lambda clause: clause.changes, shifted),
    Entry(lambda clause: clause.departs or clause.cancels, departed),
    Entry(lambda clause: clause.amends, amended),
    Entry(lambda clause: clause.role, appointed),
    Entry(lambda clause: clause.set_aside, set_aside),
    Entry(lambda clause: clause.corrects or clause.invalidates, corrected),
    Entry(lambda clause: clause.values, repointed),
    Entry(lambda clause: clause.is_news, progressed),
)


@lru_cache(maxsize=65536)
def rules_for(clause: Clause) -> tuple[Rules, Rules]:
    """Return the rules that the clause may satisfy: for slots whose value it repeats, and for all other slots."""
    if clause.scope != GLOBAL or clause.only_keeps:
        return (), ()
    restated, other = (
        tuple([entry.rule for entry in entries if entry.needs(clause)]) for entries in (ON_RESTATED, ON_OTHER)
    )
    return restated, other
