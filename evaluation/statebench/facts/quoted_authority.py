"""On whose authority a clause speaks: "per the CFO", "the board approved". A title in what is spoken of is nobody's."""

from __future__ import annotations

import re

from evaluation.statebench.facts.authority import is_title
from evaluation.statebench.language.lexicon import cue

# "$20 per guest": nobody's word.
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


def quoted_authority(text: str) -> str | None:
    """The title that a clause speaks for.

    Args:
        text: The clause.

    Returns:
        The title with its article or name, as it stands there; None where the clause speaks for nobody.
    """
    quoted = _ON_AUTHORITY.search(text)
    if quoted and is_title(quoted["title"]):
        return quoted["title"]
    if not _ACTS.search(text.lower()):  # few texts hold such a verb
        return None
    acting = _AUTHORITY_ACTS.search(text)
    return acting["title"] if acting and _is_somebody(acting["title"]) else None


def _is_somebody(subject: str) -> bool:
    """True where a subject is somebody with a title ("our finance lead", "VP Ann"), and not "the lead singer"."""
    *before, last = subject.split()
    if is_title(last) or not before:
        return is_title(last)
    return last[0].isupper() and is_title(before[-1])
