"""Everything that is read off a turn's words, once per text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from evaluation.statebench import classify
from evaluation.statebench.authority import Level, level
from evaluation.statebench.detection.clause import Clause, clauses, is_question, speaker_of
from evaluation.statebench.lexicon import cue
from evaluation.statebench.values import Value, find_values
from evaluation.statebench.words import stems

_INTERRUPTS = re.compile(
    r"^(?:(?:sorry|wait|oh|ok|okay|um|quick)[, ]+)*(?:hold on|hang on|(?:one|just a) (?:sec"
    r"|second|moment|minute)"
    r"|brb|be right back|something (?:else )?(?:just )?came up|need to step away|excuse me"
    r"|quick (?:interruption|detour|aside)|side ?(?:note|bar)|parking this"
    r"|putting this aside)\b\s*(?:[-–—:,.!]|$)",
    re.IGNORECASE,
)
_RESUMES = cue(
    phrases="""
    back to | returning to | let's (?:return|get back) | continuing | resuming
    | picking (?:\\w+ )?up (?:again|where) | where were we | as we were saying
    """
)
_INJECTS = re.compile(
    r"\bignore (?:all )?(?:previous|prior|earlier) instructions\b|\badmin mode\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Speech:
    """A turn's words.

    `body` is the text without its full stop. `told` is false for questions, injected instructions and talk that is
    not about what holds; `inert` is true where no clause could supersede anything. `keys` identify the typed values.
    `tagged` is the level of the speaker's tag, `quoted` of the authority spoken for; `title` names it.
    """

    text: str
    lowered: str
    body: str
    stems: frozenset[str]
    values: tuple[Value, ...]
    keys: frozenset[tuple[str, str, str]]
    marked: bool
    told: bool
    inert: bool
    interrupts: bool
    resumes: bool
    opens_scope: bool
    closes_scope: bool
    tagged: Level | None
    quoted: Level | None
    title: str | None


@lru_cache(maxsize=65536)
def speech(text: str) -> Speech:
    """The reading of a text."""
    said = clauses(text)
    speaker = speaker_of(text)
    titles = [clause.authority for clause in said if clause.authority]
    values = find_values(text)
    return Speech(
        text=text,
        lowered=text.lower(),
        body=text.lower().rstrip(".! "),
        stems=stems(text),
        values=values,
        keys=frozenset(value.key for value in values),
        marked=any(_is_marked(clause) for clause in said),
        told=_is_told(text),
        inert=not any(_may_supersede(clause) for clause in said),
        interrupts=_INTERRUPTS.match(text) is not None,
        resumes=_RESUMES.search(text.lower()) is not None,
        opens_scope=classify.opens_scope(text),
        closes_scope=classify.closes_scope(text),
        tagged=level(speaker) if speaker else None,
        quoted=max((level(title) for title in titles), default=None),
        title=titles[0] if titles else None,
    )


def _is_marked(clause: Clause) -> bool:
    return clause.is_marked or clause.cancels or clause.invalidates


def _may_supersede(clause: Clause) -> bool:
    return clause.can_point or clause.invalidates or bool(clause.values or clause.names) or clause.asserts


def _is_told(text: str) -> bool:
    return (
        not is_question(text) and not _INJECTS.search(text) and classify.turn_scope(text) == classify.GLOBAL
    )
