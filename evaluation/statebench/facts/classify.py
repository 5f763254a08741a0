"""What a fact or a turn is: scope, constraint, and who may see it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from evaluation.statebench.facts.authority import is_title, seniority
from evaluation.statebench.facts.layers import IdentityRole, Source
from evaluation.statebench.facts.scopes import DRAFT, GLOBAL, HYPOTHETICAL, SESSION, TASK
from evaluation.statebench.language.lexicon import cue
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.words import stems, tokens

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
_OPENS_SCOPE = cue(
    verbs="brainstorm", phrases="exploratory | hypothetical(?:ly)? | what-if | role-?play | sandbox | dry run"
)
_CLOSES_SCOPE = cue(
    phrases="""
    that's enough | enough (?:of|with) | back to (?:reality|business|real) | for real | real commitments?
    | done exploring
    """
)

_LIMITS = cue(
    verbs="cap require exceed",
    phrases="""
    max(?:imum)? | min(?:imum)? | limit(?:s|ed)? | ceiling | cannot | can't | must | may not
    | no more than | at most | at least | no (?:single|one) | mandatory | only (?:if|with|after)
    | prohibited | forbidden | not allowed | without (?:\\w+ ){0,2}approval
    | needs? (?:\\w+ ){0,2}approval | deadline | due | frozen | freeze
    """,
)
_CONSTRAINT_TYPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "deadline",
        re.compile(r"\b(?:deadline|due|no later than|must (?:ship|launch|arrive|be done|be ready|finish))\b"),
    ),
    ("budget", re.compile(r"\b(?:budget|spend(?:ing)?|cost|discount|price|pricing)\b|[$€£]")),
    (
        "capacity",
        re.compile(
            r"\b(?:capacity|hours|headcount|engineers|people|persons|seats|guests|participants|inventory|units"
            r"|allocation|staff|(?<!on )holds?|carr(?:y|ies)|fits?|accommodates?|handles?|sleeps|room for"
            r"|takes? (?:at most|no more than|up to|a maximum))\b"
        ),
    ),
    ("policy", re.compile(r"")),
)

# "[RESTRICTED: floor prices restricted to VP+] …" or "Restricted to managers: …"
_RESTRICTED = re.compile(
    r"\s*(?:\[RESTRICTED:\s*(?P<reason>[^\]]*?)\s*\]|(?P<plain>(?:restricted|confidential) to [^:\]]+):)",
    re.IGNORECASE,
)
_AUDIENCE = re.compile(
    r"(?:restricted|confidential|limited|available|visible) (?:only )?to\s+(?P<audience>.+)$"
    r"|(?P<only>.+?) only$",
    re.IGNORECASE,
)
_SCOPE_TAG = re.compile(r"\s*\[SCOPE:\s*(?P<scope>[^\]]*?)\s*\]", re.IGNORECASE)
_DEFAULT_CLEARANCE = 70  # a restriction that names no audience is for VPs and above
_GROUP_WORDS = frozenset(stems("team teams department staff personnel members group only leadership"))


@lru_cache(maxsize=65536)
def turn_scope(text: str) -> str:
    """global, task, session, draft or hypothetical, by the wording of a turn."""
    lowered = text.lower()
    return next((scope for scope, pattern in _SCOPES if pattern.search(lowered)), GLOBAL)


@lru_cache(maxsize=65536)
def opens_scope(text: str) -> bool:
    """True where a turn opens a stretch of exploratory talk."""
    return _OPENS_SCOPE.search(text.lower()) is not None


@lru_cache(maxsize=65536)
def closes_scope(text: str) -> bool:
    """True where a turn ends a stretch of exploratory talk."""
    return _CLOSES_SCOPE.search(text.lower()) is not None


def item_scope(text: str) -> str:
    """The scope tag of a working-set item, `global` where it has none."""
    tag = _SCOPE_TAG.match(text)
    return tag["scope"] if tag else GLOBAL


def constraint_type(key: str, text: str, source: Source) -> str | None:
    """What kind of constraint a fact is, where it limits what may be done.

    Args:
        key: Its key.
        text: Its value.
        source: Where it comes from.

    Returns:
        `budget`, `deadline`, `capacity` or `policy`; None for a plain fact.
    """
    return _constraint_type(key, text, source.type == "policy")


@lru_cache(maxsize=65536)
def _constraint_type(key: str, text: str, is_policy: bool) -> str | None:
    lowered = f"{key.replace('_', ' ')}: {text}".lower()
    if not _LIMITS.search(lowered):
        return "policy" if is_policy else None
    return next(name for name, pattern in _CONSTRAINT_TYPES if pattern.search(lowered))


@dataclass(frozen=True, slots=True)
class Restriction:
    """Who may see a value: readers of this seniority, or members of these groups (stems of their names)."""

    seniority: int | None
    groups: frozenset[str]

    def admits(self, reader: IdentityRole) -> bool:
        """True where the reader may see it."""
        if self.seniority is not None and reader.seniority < self.seniority:
            return False
        if not self.groups:
            return self.seniority is not None
        own = stems(f"{reader.department or ''} {reader.authority} {' '.join(reader.permissions)}")
        return bool(self.groups & own)


@memo
def restriction(text: str) -> Restriction | None:
    """The restriction that a value states in its tag, None for a public value."""
    tag = _RESTRICTED.match(text)
    if not tag:
        return None
    match = _AUDIENCE.search(tag["reason"] or tag["plain"])
    audience = (match["audience"] or match["only"]) if match else ""
    ranked = [title for word in tokens(audience) if is_title(title := word.removesuffix("s"))]
    if "c-suite" in audience.lower():
        ranked = ["c-suite"]
    groups = frozenset() if ranked and "leadership" not in ranked else stems(audience) - _GROUP_WORDS
    rank = max((seniority(word) for word in ranked), default=None)
    if rank is None and not groups:
        rank = _DEFAULT_CLEARANCE
    return Restriction(rank, groups)


def may_see(reader: IdentityRole, text: str) -> bool:
    """Whether a reader may see a value; a permission "all" opens everything.

    Args:
        reader: Who asks.
        text: The value, with the restriction that it states.
    """
    limit = restriction(text)
    return limit is None or "all" in reader.permissions or limit.admits(reader)
