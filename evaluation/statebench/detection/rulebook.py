"""Which rule is asked when: the order of the rules, with what a clause must have for each."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from evaluation.statebench.detection.clause import Clause
from evaluation.statebench.detection.loose import (
    amended,
    appointed,
    corrected,
    departed,
    progressed,
    repointed,
    set_aside,
)
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


class Entry(NamedTuple):
    """A rule with what a clause must have for it, whatever the slot. The rule itself does not ask for that again."""

    needs: Callable[[Clause], object]
    rule: Rule


# What a clause that says again what the slot holds can do to it, and any other clause; the first that applies wins.
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
    """The rules that a clause may satisfy: on slots that it restates, and on all others."""
    if clause.scope != GLOBAL or clause.only_keeps:
        return (), ()
    restated, other = (
        tuple([entry.rule for entry in entries if entry.needs(clause)]) for entries in (ON_RESTATED, ON_OTHER)
    )
    return restated, other
