"""Limits stated in words: constraints in facts, and restrictions on who may see a value."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluation.statebench.facts.authority import is_title, seniority
from evaluation.statebench.language.lexicon import cue
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.words import stems, tokens

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
_DEFAULT_CLEARANCE = 70  # VPs and above, for a restriction without an audience
_GROUP_WORDS = frozenset(stems("team teams department staff personnel members group only leadership"))


def limit_of(key: str, text: str) -> str | None:
    """Kind of limit (`budget`, `deadline`, `capacity`, `policy`) that the words of a fact state, else None."""
    lowered = f"{key.replace('_', ' ')}: {text}".lower()
    if not _LIMITS.search(lowered):
        return None
    return next(name for name, pattern in _CONSTRAINT_TYPES if pattern.search(lowered))


@dataclass(frozen=True, slots=True)
class Restriction:
    """The readers who may see a value: those of a minimum seniority, or members of groups (stems of group names)."""

    seniority: int | None
    groups: frozenset[str]


@memo
def restriction(text: str) -> Restriction | None:
    """The restriction in a value's tag. Returns None for a public value."""
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
