"""Properties of a turn's words, computed once per text."""

from __future__ import annotations

import re

from evaluation.statebench.detection.clause import Clause, clauses, is_question, speaker_of
from evaluation.statebench.detection.plain import plain_statement
from evaluation.statebench.detection.supersedable import Supersedable, supersedable
from evaluation.statebench.facts import classify
from evaluation.statebench.facts.authority import Level, level
from evaluation.statebench.facts.limits import Restriction, restriction
from evaluation.statebench.facts.scopes import GLOBAL
from evaluation.statebench.language.lexicon import cue
from evaluation.statebench.language.memo import lazily, memo
from evaluation.statebench.language.values import Value, find_values
from evaluation.statebench.language.words import stems

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


class TurnFeatures:
    """Properties of a turn's text. `body`: lower-case text without the full stop. `keys`: `Value.key` of all values."""

    def __init__(self, text: str) -> None:
        self.text, self.lowered = text, text.lower()
        self.body = self.lowered.rstrip(".! ")
        self.stems: frozenset[str] = stems(text)
        self.values: tuple[Value, ...] = find_values(text)
        self.keys = frozenset([value.key for value in self.values])

    @lazily
    def clauses(self) -> tuple[Clause, ...]:
        return clauses(self.text)

    @lazily
    def supersedable(self) -> Supersedable | None:
        return supersedable(self.text)

    @lazily
    def given(self) -> dict[str, list[frozenset[str]]]:
        """Map each plainly stated value to the stems of its subject: "The venue is Oslo" maps "oslo" to "venue"."""
        given: dict[str, list[frozenset[str]]] = {}
        for clause in self.clauses:
            if (plain := plain_statement(clause)) is not None:
                given.setdefault(plain.value.lower(), []).append(plain.names)
        return given

    @lazily
    def restriction(self) -> Restriction | None:
        """Return which readers may see the turn. None means all readers."""
        return restriction(self.text)

    @lazily
    def marked(self) -> bool:
        return any(clause.is_marked or clause.cancels or clause.invalidates for clause in self.clauses)

    @lazily
    def states(self) -> bool:
        """True if the turn is a statement. False for questions, injected instructions, drafts and suppositions."""
        text = self.text
        return not is_question(text) and not _INJECTS.search(text) and classify.turn_scope(text) == GLOBAL

    @lazily
    def digresses(self) -> bool:
        return self.interrupts or self.opens_scope

    @lazily
    def interrupts(self) -> bool:
        return _INTERRUPTS.match(self.text) is not None

    @lazily
    def resumes(self) -> bool:
        return _RESUMES.search(self.lowered) is not None

    @lazily
    def opens_scope(self) -> bool:
        return classify.OPENS_SCOPE.search(self.lowered) is not None

    @lazily
    def closes_scope(self) -> bool:
        return classify.CLOSES_SCOPE.search(self.lowered) is not None

    @lazily
    def tagged(self) -> Level | None:
        """Return the authority level of the speaker's title, or None without a title."""
        speaker = speaker_of(self.text)
        return level(speaker) if speaker else None

    @lazily
    def titles(self) -> tuple[str, ...]:
        return tuple([clause.authority for clause in self.clauses if clause.authority])

    @lazily
    def quoted(self) -> Level | None:
        """Return the highest authority level of the titles that the clauses quote, or None without a title."""
        return max(map(level, self.titles), default=None)


@memo
def turn_features(text: str) -> TurnFeatures:
    """Return the properties of a text. They are cached, because the same turns are read for many queries."""
    return TurnFeatures(text)
