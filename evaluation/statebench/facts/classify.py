"""Classification of facts and turns: scope, constraint, audience."""

from __future__ import annotations

import re
from functools import lru_cache

from evaluation.statebench.facts.authority import granted
from evaluation.statebench.facts.fact_text import FactText
from evaluation.statebench.facts.layers import IdentityRole, Source
from evaluation.statebench.facts.limits import Restriction, restriction
from evaluation.statebench.facts.scopes import DRAFT, GLOBAL, HYPOTHETICAL, SESSION, TASK
from evaluation.statebench.language.lexicon import cue
from evaluation.statebench.language.words import stems

_SCOPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (TASK, cue(phrases="(?:for|within|during) (?:the purposes? of )?this (?:task|exercise|mock-?up|ticket)")),
    (SESSION, cue(phrases="for this (?:session|conversation|chat)")),
    (
        DRAFT,
        cue(
            verbs="draft",
            phrases="""
            tentative(?:ly)? | preliminary | provisional(?:ly)? | placeholder | work in progress | wip
            | not (?:yet )?final | pencill?ed? in | subject to (?:approval|review)
            """,
        ),
    ),
    (
        HYPOTHETICAL,
        cue(
            verbs="suppose wonder brainstorm",
            phrases="""
            what if | what about | imagine | hypothetical(?:ly|s)? | theoretical(?:ly)? | in theory
            | thinking out loud | think(?:ing)? aloud
            | just (?:thinking|exploring|curious|wondering|an idea|a thought) | thought experiment
            | exploratory | for the sake of argument | let's say | say we | maybe | perhaps | possibly
            | potentially | could | might | would be | if (?:we|they|he|she|it|you|i|only|the) | were to
            | unless | in case | toying with | play(?:ing)? with the idea | dream(?:ing)? of | wish
            """,
        ),
    ),
)
OPENS_SCOPE = cue(
    verbs="brainstorm", phrases="exploratory | hypothetical(?:ly)? | what-if | role-?play | sandbox | dry run"
)
CLOSES_SCOPE = cue(
    phrases="""
    that's enough | enough (?:of|with) | back to (?:reality|business|real) | for real | real commitments?
    | done exploring
    """
)

_SCOPE_TAG = re.compile(r"\s*\[SCOPE:\s*(?P<scope>[^\]]*?)\s*\]", re.IGNORECASE)


@lru_cache(maxsize=65536)
def turn_scope(text: str) -> str:
    """Scope of a turn by its wording: global, task, session, draft or hypothetical."""
    lowered = text.lower()
    return next((scope for scope, pattern in _SCOPES if pattern.search(lowered)), GLOBAL)


def item_scope(text: str) -> str:
    tag = _SCOPE_TAG.match(text)
    return tag["scope"] if tag else GLOBAL


def constraint_type(read: FactText, source: Source) -> str | None:
    """Kind of constraint (`budget`, `deadline`, `capacity`, `policy`) of a fact that limits something, else None."""
    return read.limit or ("policy" if source.type == "policy" else None)


def may_see(reader: IdentityRole, text: str) -> bool:
    """True if a reader may see a value, whose text may restrict its readers. The permission "all" grants everything."""
    limit = restriction(text)
    return limit is None or is_admitted(reader, limit)


def _clearance(reader: IdentityRole) -> int:
    return max([reader.seniority, *[granted(str(one)) for one in reader.permissions]])


def is_admitted(reader: IdentityRole, limit: Restriction) -> bool:
    if "all" in reader.permissions:
        return True
    if limit.seniority is not None and _clearance(reader) < limit.seniority:
        return False
    if not limit.groups:
        return limit.seniority is not None
    own = stems(f"{reader.department or ''} {reader.authority} {' '.join(reader.permissions)}")
    return bool(limit.groups & own)
