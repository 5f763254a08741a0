"""What one clause of a turn does: its mood, its cues of change, the values and words in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from evaluation.statebench.authority import is_title
from evaluation.statebench.classify import DRAFT, GLOBAL, HYPOTHETICAL, turn_scope
from evaluation.statebench.detection import cues
from evaluation.statebench.values import Value, find_values
from evaluation.statebench.words import STOPWORDS, capitals, names, sentences, stem, stems, tokens

_ASSERTS = re.compile(r"\b(?:is|are|was|were|be|been|has|have|will|got|becomes?|became)\b|'s |'ll |'re ")
_CONTRAST = re.compile(r",\s+but\s+", re.IGNORECASE)
# "[VP] …", "[Mike (CFO)]: …", "Mike (CFO): …"
_SPEAKER = re.compile(r"^\s*(?:\[(?P<tag>[^\]]+)\]:?|(?P<who>[A-Z][\w. ]{0,40}\([^)]+\)):)\s*")
_INNER = re.compile(r"\(([^)]+)\)")
_ON_AUTHORITY = re.compile(
    r"\b(?:per|according to|on (?:the )?(?:orders?|instructions?|word|authority) (?:of|from)"
    r"|by order of|as (?:directed|instructed|mandated) by)"
    r"\s+(?:the\s+|our\s+)?(?P<title>[A-Za-z-]+(?:\s[A-Za-z-]+)?)",
    re.IGNORECASE,
)
_AUTHORITY_ACTS = re.compile(
    r"\b(?P<title>(?:the\s+|our\s+)?[A-Za-z-]+(?:\s[A-Z][a-z]+)?)\s+(?:has\s+|have\s+|just\s+|now\s+)*"
    r"(?:says?|said|decided|requires?|required|mandat\w+|approved|signed off|wants? us|ruled"
    r"|ordered|directed|instructed|overruled|overrode"
    r"|capped|set|confirmed|announced|insists?|insisted|authori[sz]ed|vetoed|stepped in)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One assertion. `stems` are its content words without cues; `authority` a title it speaks for."""

    text: str
    lowered: str
    stems: frozenset[str]
    values: tuple[Value, ...]
    names: frozenset[str]
    corrects: bool
    changes: bool
    reverts: bool
    settles: bool
    cancels: bool
    invalidates: bool
    keeps: bool
    anaphoric: bool
    from_to: bool
    rejects: bool
    capitals: frozenset[str]
    asserts: bool
    authority: str | None
    scope: str

    @property
    def can_point(self) -> bool:
        """True where the clause may supersede what it does not name: it changes, settles or rejects."""
        return self.is_marked or self.settles or self.cancels or self.rejects or self.authority is not None

    @property
    def is_marked(self) -> bool:
        """True where the wording itself speaks of change."""
        return self.corrects or self.changes or self.reverts


@lru_cache(maxsize=65536)
def speaker_of(text: str) -> str | None:
    """The title in a speaker's tag at the start of a turn, None where there is no tag."""
    return _speaker(text)[0]


def _speaker(text: str) -> tuple[str | None, int]:
    """(title in the speaker's tag, where the words begin). "Deal 2 (closed): …" is no speaker."""
    tag = _SPEAKER.match(text)
    if not tag:
        return None, 0
    name = tag["tag"] or tag["who"]
    inner = _INNER.search(name)
    title = inner[1] if inner else name
    if tag["who"] and not is_title(title):
        return None, 0
    return (title if inner or is_title(title) else None), tag.end()


@lru_cache(maxsize=65536)
def whole(text: str) -> Clause | None:
    """All clauses of a turn as one, for what is said across them ("it was … .

    It is …"); None for a single clause.
    """
    parts = clauses(text)
    return _clause(" ".join(part.text for part in parts), speaker_of(text)) if len(parts) > 1 else None


@lru_cache(maxsize=65536)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a turn that assert something about the present: no questions, wishes, memories."""
    speaker, start = _speaker(text)
    body = text[start:]
    if cues.SOMETHING_ELSE.search(body.lower()):
        return ()
    parts = [part for sentence in sentences(body) for part in _CONTRAST.split(sentence)]
    whole = turn_scope(body)
    if whole == HYPOTHETICAL and any(
        turn_scope(part) == HYPOTHETICAL and not find_values(part) for part in parts
    ):
        return ()  # "…? Just thinking out loud." colours the whole turn
    return tuple(clause for part in parts if (clause := _clause(part, speaker)) is not None)


def _clause(text: str, speaker: str | None) -> Clause | None:
    lowered = text.lower().replace("’", "'")
    if not is_assertion(lowered):
        return None
    scope = turn_scope(text)
    return Clause(
        text=text,
        lowered=lowered,
        stems=stems(text) - _CUE_STEMS,
        values=find_values(text),
        names=names(text),
        corrects=cues.CORRECTS.search(lowered) is not None,
        changes=cues.CHANGES.search(lowered) is not None,
        reverts=cues.REVERTS.search(lowered) is not None,
        settles=cues.SETTLES.search(lowered) is not None,
        cancels=cues.CANCELS.search(lowered) is not None,
        invalidates=cues.INVALIDATES.search(lowered) is not None,
        keeps=cues.KEEPS.search(lowered) is not None,
        anaphoric=cues.ANAPHORA.search(lowered) is not None,
        from_to=cues.FROM_TO.search(lowered) is not None,
        rejects=cues.REJECTS.search(lowered) is not None,
        capitals=capitals(text),
        asserts=_ASSERTS.search(lowered) is not None,
        authority=speaker or _authority(text),
        scope=scope if scope in (DRAFT, HYPOTHETICAL) else GLOBAL,
    )


def is_assertion(lowered: str) -> bool:
    """False for questions, requests, wishes, proposals, memories of the past, and talk of others."""
    if lowered.endswith("?") or cues.REQUESTS.search(lowered) or cues.ELSEWHERE.search(lowered):
        return False
    if cues.WISHES.search(lowered) and not cues.CANCELS.search(lowered):
        return False
    if cues.PAST_DATES.search(lowered) and not cues.CHANGES.search(lowered):
        return False
    return not cues.RECALLS.search(lowered) or cues.INVALIDATES.search(lowered) is not None


def is_question(text: str) -> bool:
    """True where a turn asks for something and tells nothing that could be stored."""
    return any(
        part.endswith("?") or cues.REQUESTS.search(part.lower()) is not None for part in sentences(text)
    )


def _authority(text: str) -> str | None:
    for pattern in (_ON_AUTHORITY, _AUTHORITY_ACTS):
        found = pattern.search(text)
        if found and is_title(found["title"]):
            return found["title"]
    return None


_CUE_STEMS = frozenset(
    stem(token)
    for token in tokens(
        "actually correction wait change changed switch move moved update updated revise instead now "
        "new latest make go going "
        "back proceed final finalized official decided confirmed approved plan plans by way oh "
        "anyway note good great news bad "
        "today tomorrow starting effective longer anymore remember need want get got getting take "
        "use using set hold off cancel "
        "cancelled keep one thing things way value values"
    )
    if token not in STOPWORDS
)
