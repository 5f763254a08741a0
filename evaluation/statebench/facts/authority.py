"""Authority: four levels decide who may overrule whom. The seniority of a title decides who may read a fact.

policy > manager > employee > guest. Equal or higher authority may supersede; lower may not.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

from evaluation.statebench.language.lexicon import cue
from evaluation.statebench.language.memo import memo

# "$20 per guest" is a unit, not an authority.
_EACH = r"(?! (?:guest|head|lead|intern|trainee|contractor|consultant|vendor|owner)\b)"
_ON_AUTHORITY = re.compile(
    rf"\b(?:per{_EACH}|according to|on (?:the )?(?:orders?|instructions?|word|authority) (?:of|from)"
    r"|by order of|as (?:directed|instructed|mandated) by)"
    r"\s+(?:the\s+|our\s+)?(?P<title>[A-Za-z-]+(?:\s[A-Za-z-]+)?)",
    re.IGNORECASE,
)
_ACTS_VERBS = (
    "says?|said|decided|requires?|required|mandat\\w+|approved|signed off|wants? us|ruled|ordered|directed"
    "|instructed|overruled|overrode|capped|cut|raised|lowered|reduced|changed|moved|extended|set|confirmed|announced"
    "|insists?|insisted|authori[sz]ed|vetoed"
    "|stepped in"
)
_HAPPENS = r"(?:cut|raised|lowered|reduced|changed|moved|extended|set)"  # to it, where "from" or "to" follows
_ACTS = cue(phrases=_ACTS_VERBS.replace("|", " | "))
_AUTHORITY_ACTS = re.compile(
    r"\b(?P<title>(?:the\s+|our\s+)?(?:vice\s+)?[A-Za-z-]+(?:\s[A-Z][a-z]+)??)\s+(?:has\s+|have\s+|just\s+|now\s+)*"
    rf"(?!{_HAPPENS} (?:from|to)\b)(?:{_ACTS_VERBS})\b",
    re.IGNORECASE,
)


class Level(IntEnum):
    """Authority levels of the specification, comparable with `>=`."""

    GUEST = 0
    EMPLOYEE = 1
    MANAGER = 2
    POLICY = 3


# Whole lower-case word of a title -> seniority; the highest word counts.
SENIORITY: dict[str, int] = {
    "policy": 100,
    "board": 95,
    "owner": 90,
    "founder": 90,
    "ceo": 90,
    "president": 90,
    "chief": 85,
    "executive": 80,
    "c_level": 80,
    "c-level": 80,
    "c-suite": 80,
    "leadership": 60,
    "vp": 70,
    "svp": 75,
    "evp": 75,
    "director": 60,
    "head": 55,
    "manager": 50,
    "admin": 50,
    "lead": 40,
    "supervisor": 40,
    "system": 40,
    "counsel": 40,
    "senior": 32,
    "guest": 10,
    "intern": 10,
    "trainee": 10,
    "contractor": 10,
    "consultant": 10,
    "external": 5,
    "unverified": 5,
    "anonymous": 5,
    "unknown": 5,
    "vendor": 5,
    "rumor": 5,
    "rumour": 5,
}
# "Account Executive", "Vice President": words with another meaning in combination.
_COMPOUNDS = ((re.compile(r"\baccount executive\b"), "employee"), (re.compile(r"\bvice president\b"), "vp"))
_CHIEF = re.compile(r"c[a-z]{1,2}o")  # CEO, CFO, CTO, CHRO …
_WORD = re.compile(r"[a-z][a-z_-]*")
_EMPLOYEE = 30
# A permission that consists of a rank.
_GRANT = re.compile(
    r"\s*(?:(?:clearance|rank|read|access|grant(?:ed)?)(?: (?:as|to|for))?[:\s]+)?"
    r"(?P<title>[a-z][a-z -]*?)s?\s*(?P<above>\+|(?:and|or) (?:above|higher))?\s*$"
)
_NO_RANKS = frozenset(("admin", "system", "policy", "owner", "lead"))  # also used of software and documents
_THRESHOLDS = ((80, Level.POLICY), (45, Level.MANAGER), (20, Level.EMPLOYEE))


@lru_cache(maxsize=4096)
def seniority(title: str | None) -> int:
    """Seniority of a title, role or authority label, 0 to 100. A title without a known rank gets an employee's (30)."""
    text = _without_compounds((title or "").lower())
    known = [rank for word in _WORD.findall(text) if (rank := _rank(word)) is not None]
    senior = [rank for rank in known if rank > _EMPLOYEE]
    return max(senior) if senior else min(known, default=_EMPLOYEE)


def _without_compounds(text: str) -> str:
    for pattern, other in _COMPOUNDS:
        text = pattern.sub(other, text)
    return text


@memo
def level(title: str | None) -> Level:
    """Level of a title. C-level, board, executives and policies are `POLICY`; VPs, directors, managers `MANAGER`."""
    rank = seniority(title)
    return next((name for threshold, name in _THRESHOLDS if rank >= threshold), Level.GUEST)


def is_title(text: str) -> bool:
    """True if a text names an authority, that is, has a word of `SENIORITY`."""
    return any(_rank(word) is not None for word in _WORD.findall(text.lower()))


@lru_cache(maxsize=4096)
def granted(permission: str) -> int:
    """Seniority granted by a permission that is a rank: "VP+", "clearance: director and above". Otherwise 0."""
    match = _GRANT.match(permission.lower())
    if match is None or not (match["above"] or match["title"] not in _NO_RANKS):
        return 0
    words = _WORD.findall(_without_compounds(match["title"]))
    ranks = [_rank(word) for word in words]
    return seniority(match["title"]) if words and None not in ranks else 0


def _rank(word: str) -> int | None:
    if word in SENIORITY:
        return SENIORITY[word]
    return SENIORITY["chief"] if _CHIEF.fullmatch(word) else None


def quoted_authority(text: str) -> str | None:
    """The title that a clause quotes as its authority, verbatim with article or name. None if it quotes no title."""
    quoted = _ON_AUTHORITY.search(text)
    if quoted and is_title(quoted["title"]):
        return quoted["title"]
    if not _ACTS.search(text.lower()):  # cheap test first: few texts have such a verb
        return None
    acting = _AUTHORITY_ACTS.search(text)
    return acting["title"] if acting and _is_somebody(acting["title"]) else None


def _is_somebody(subject: str) -> bool:
    """True if a subject is a person with a title ("our finance lead", "VP Ann"; not "the lead singer")."""
    *before, last = subject.split()
    if is_title(last) or not before:
        return is_title(last)
    return last[0].isupper() and is_title(before[-1])
