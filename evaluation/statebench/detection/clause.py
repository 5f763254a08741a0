"""What one clause of a turn does: its mood, its cues of change, the values and words in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from evaluation.statebench.detection import cues, frames
from evaluation.statebench.detection.cues import STATUS
from evaluation.statebench.facts.authority import is_title, quoted_authority
from evaluation.statebench.facts.classify import turn_scope
from evaluation.statebench.facts.scopes import DRAFT, GLOBAL, HYPOTHETICAL
from evaluation.statebench.language.memo import lazily, memo
from evaluation.statebench.language.values import Value, find_values
from evaluation.statebench.language.words import STOPWORDS, capitals, names, sentences, stem, stems, tokens

Frame = tuple[frozenset[str], frozenset[str]]  # stems of subject and complement

Numbered = tuple[str, str]
Thing = tuple[str, str]

_ASSERTS = re.compile(r"\b(?:is|are|was|were|be|been|has|have|will|got|becomes?|became)\b|'s |'ll |'re ")
_CONTRAST = re.compile(r",\s+but\s+", re.IGNORECASE)
# "[VP] …", "[Mike (CFO)]: …", "Mike (CFO): …"
_SPEAKER = re.compile(r"^\s*(?:\[(?P<tag>[^\]]+)\]:?|(?P<who>[A-Z][\w. ]{0,40}\([^)]+\)):)\s*")
_TAKING_BACK = stems(
    "nah nope sorry second thought thoughts come think changed mind first better rather ach oops hmm"
)
_SLIGHT = 3  # content words beside a value that a fragment may have
_ASKED_FOR = re.compile(r", (?:would|will|could|can) you(?: please)?[.?!]*$")
_INNER = re.compile(r"\(([^)]+)\)")


def _cued(cue: re.Pattern[str]) -> lazily[bool]:
    """A property of a clause: whether its words hold a cue."""
    return lazily(lambda clause: cue.search(clause.lowered) is not None)


def thing(lowered: str) -> Thing | None:
    """(stem of a noun, stem of its verb) of a text that opens with them, None for all others."""
    match = frames.THING.match(lowered)
    return (stem(match["noun"]), stem(match["verb"])) if match else None


def numbered(lowered: str) -> Numbered | None:
    """(noun, number) of a text that speaks of a numbered thing, None for all others."""
    match = frames.NUMBERED.match(lowered)
    return (match["noun"], match["number"]) if match else None


def _framed(match: re.Match[str] | None) -> Frame | None:
    return (stems(match["subject"]), stems(match["complement"])) if match else None


class Clause:
    """One assertion of a turn. What is read off its words is read when a rule first asks for it.

    `speaker` is the title in the turn's tag. `stems` are the content words without cues. `values` are the typed
    values, in order.
    """

    def __init__(self, text: str, lowered: str, speaker: str | None) -> None:
        self.text, self.lowered, self.speaker = text, lowered, speaker
        self.stems = stems(text) - _CUE_STEMS
        self.values: tuple[Value, ...] = find_values(text)

    @lazily
    def valued(self) -> frozenset[str]:
        """Stems of the typed values."""
        return stems(" ".join(value.text for value in self.values))

    @lazily
    def names(self) -> frozenset[str]:
        """Proper names, see `words.names`."""
        return names(self.text)

    @lazily
    def capitals(self) -> frozenset[str]:
        """Stems of capitalised words, see `words.capitals`."""
        return capitals(self.text)

    @lazily
    def scope(self) -> str:
        """draft, hypothetical, or global for all others."""
        scope = turn_scope(self.text)
        return scope if scope in (DRAFT, HYPOTHETICAL) else GLOBAL

    @lazily
    def authority(self) -> str | None:
        """The title that the clause speaks for: its speaker's, else one that it quotes."""
        return self.speaker or quoted_authority(self.text)

    corrects = _cued(cues.CORRECTS)
    changes = _cued(cues.CHANGES)
    reverts = _cued(cues.REVERTS)
    settles = _cued(cues.SETTLES)
    cancels = _cued(cues.CANCELS)
    invalidates = _cued(cues.INVALIDATES)
    keeps = _cued(cues.KEEPS)
    swaps = _cued(cues.SWAPS)
    announces = _cued(cues.ANNOUNCES)
    anaphoric = _cued(cues.ANAPHORA)
    from_to = _cued(cues.FROM_TO)
    asserts = _cued(_ASSERTS)
    is_directive = _cued(frames.DIRECTIVE)
    promises = _cued(frames.WILL)
    of_us = _cued(frames.WE)

    is_now = _cued(frames.IS_NOW)
    totals = _cued(frames.TOTALS)
    amends = _cued(cues.AMENDS)
    is_news = _cued(cues.NEWS)
    had_told = _cued(cues.HAD_TOLD)
    is_ours = _cued(frames.OURS)
    opens_with_pronoun = _cued(frames.PRONOUN)

    @lazily
    def rejects(self) -> bool:
        """True where something cannot stay, or somebody goes."""
        return cues.REJECTS.search(self.lowered) is not None and "never" not in self.lowered

    @lazily
    def departs(self) -> bool:
        """True where something is said to be gone or over; what never goes does not."""
        return cues.DEPARTS.search(self.lowered) is not None and "never" not in self.lowered

    @lazily
    def elsewhere(self) -> frozenset[str]:
        """Stems of the people and places that the clause speaks of and that are not ours."""
        others = " ".join(match[0] for match in cues.OTHERS.finditer(self.lowered))
        places = " ".join(match["place"] for match in frames.LOCATED.finditer(self.text))
        return (stems(others) | stems(places)) - self.valued

    def number_of(self, noun: str) -> str | None:
        """The number that tells a thing from others of its kind ("oven two", "table 9"); None where there is none."""
        at = self.lowered.find(noun + " ")
        if at < 0:
            return None
        named = find_values(self.lowered[at + len(noun) :][:12])
        return named[0].canon if named and named[0].kind == "number" and named[0].start < 3 else None

    @lazily
    def pairs(self) -> frozenset[str]:
        """Words that two of the clause make together: "kicks off" is a kickoff."""
        spoken = tokens(self.text)
        return frozenset([stem(one) + other for one, other in pairwise(spoken)])

    @lazily
    def named(self) -> frozenset[str]:
        """Stems of the proper names that are no values."""
        return stems(" ".join(self.names)) - self.valued

    @lazily
    def about(self) -> frozenset[str]:
        """Stems that are neither values nor words of change."""
        return self.stems - self.valued - cues.CHANGE_STEMS

    @lazily
    def opening(self) -> tuple[str, ...]:
        """The first two words."""
        return tokens(self.lowered)[:2]

    @lazily
    def fresh(self) -> frozenset[str]:
        """Stems that are neither values nor words by which something is taken back."""
        return self.stems - self.valued - _TAKING_BACK

    @lazily
    def is_fragment(self) -> bool:
        """True for a few words without a verb of their own that take something back."""
        return self.amends and len(self.fresh) <= _SLIGHT and not self.asserts

    @lazily
    def is_brief(self) -> bool:
        """True for a fragment, or a value that is all that is said."""
        return self.is_fragment or (len(self.fresh) <= 1 and not self.asserts)

    @lazily
    def role(self) -> frozenset[str]:
        """Stems of the role that the clause gives to somebody."""
        match = frames.APPOINTS.search(self.text)
        return stems(match["role"]) if match else frozenset()

    @lazily
    def naming(self) -> frozenset[str]:
        """The stems and pairs by which the clause may name something."""
        return self.stems | self.pairs

    @lazily
    def possessed(self) -> frozenset[str]:
        """Stems of what others have, by "its" and "their"."""
        owned = frames.POSSESSED.finditer(self.lowered)
        return stems(" ".join(match["noun"] for match in owned))

    @lazily
    def relatives(self) -> frozenset[str]:
        """Stems of the relatives and acquaintances that the clause speaks of."""
        return stems(" ".join(match[0] for match in cues.RELATIVES.finditer(self.lowered)))

    @lazily
    def status(self) -> str:
        """The state of affairs that the clause names."""
        match = STATUS.search(self.lowered)
        return match[0] if match else ""

    @lazily
    def tells_status(self) -> bool:
        """True where the clause tells a state of affairs and does not ask for one."""
        return bool(self.status) and not self.is_directive and "please" not in self.lowered

    @lazily
    def copula(self) -> Frame | None:
        """Of "the <subject> is <complement>" the stems of both, None where the clause says no such thing."""
        return _framed(frames.COPULA.match(self.lowered))

    @lazily
    def status_frame(self) -> Frame | None:
        """The same of "the <subject> has been <complement>"."""
        return _framed(frames.STATUS_FRAME.match(self.lowered))

    @lazily
    def set_aside(self) -> str | None:
        """The words that another value is preferred to ("…, not Monday"), None where nothing is compared."""
        parts = frames.SETS_ASIDE.split(self.lowered, maxsplit=1)
        return parts[1] if len(parts) > 1 else None

    @lazily
    def numbered(self) -> Numbered | None:
        """The numbered thing that the clause speaks of, see `frames.NUMBERED`."""
        return numbered(self.lowered)

    @lazily
    def thing(self) -> Thing | None:
        """The thing that the clause opens with and what is said of it, see `frames.THING`."""
        return thing(self.lowered)

    @lazily
    def target(self) -> frozenset[str]:
        """Stems of the place to which something moves."""
        match = frames.MOVES_TO.search(self.text)
        return stems(match["place"]) if match else frozenset()

    @lazily
    def is_marked(self) -> bool:
        """True where the wording itself speaks of change."""
        return self.corrects or self.changes or self.reverts

    @lazily
    def is_loud(self) -> bool:
        """True where the clause changes something, calls it off, or speaks on somebody's authority."""
        return self.is_marked or self.cancels or self.authority is not None

    @lazily
    def replaces(self) -> bool:
        """True where the clause may set a new value beside an old one, and offers the new one."""
        if self.corrects and len(self.values) > 1:
            return True
        if (self.departs or self.corrects or self.rejects) and self.capitals:
            return True
        beside = self.from_to or self.rejects or (self.promises and bool(self.capitals))
        return beside and (self.from_to or self.settles or self.changes or self.is_directive)

    @lazily
    def only_keeps(self) -> bool:
        """True where the clause says that something stays, and nothing else."""
        return self.keeps and not (
            self.from_to or self.cancels or self.reverts or self.invalidates or self.departs
        )

    @lazily
    def can_point(self) -> bool:
        """True where the clause may supersede what it does not name: it changes, settles or rejects."""
        return self.is_loud or self.settles or self.rejects


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


@memo
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a turn that assert something about the present: no questions, wishes, memories."""
    speaker, start = _speaker(text)
    body = text[start:]
    if cues.SOMETHING_ELSE.search(body.lower()):
        return ()
    parts = [part for sentence in sentences(body) for half in _halves(sentence) for part in _joined(half)]
    whole = turn_scope(body)
    if whole == HYPOTHETICAL and any(
        turn_scope(part) == HYPOTHETICAL and not find_values(part) for part in parts
    ):
        return ()  # "…? Just thinking out loud." colours the whole turn
    asserted = [clause for part in parts if (clause := _clause(part, speaker)) is not None]
    return tuple(
        [
            clause
            for n, clause in enumerate(asserted)
            if not clause.had_told or _is_taken_up(asserted[n + 1 :])
        ]
    )


def _is_taken_up(later: Sequence[Clause]) -> bool:
    """Whether a clause says anew what had been told: "I had told you 2pm; make that 4pm". Alone that is past."""
    return any(clause.values and (clause.opens_with_pronoun or clause.is_marked) for clause in later)


def _halves(sentence: str) -> list[str]:
    """The parts of a sentence around "but", and around the colon after who tells it."""
    told = frames.TOLD.match(sentence) or frames.AMENDED.match(sentence)
    if told and cues.NAMELESS.search(told[0].lower()):
        told = None  # "Somebody told me this: the …" is hearsay to its end
    parts = [sentence[: told.end()], sentence[told.end() :]] if told else [sentence]
    return [half for part in parts for half in _CONTRAST.split(part)]


def _joined(half: str) -> Sequence[str]:
    """The clauses that "and" joins; what hearsay joins without a comma is all hearsay."""
    parts = frames.JOINED.split(half)
    heard = len(parts) > 1 and half[len(parts[0])] != "," and cues.HEARSAY.search(parts[0].lower())
    return [half] if heard else parts


def _clause(text: str, speaker: str | None) -> Clause | None:
    lowered = text.lower().replace("’", "'")
    asked = _ASKED_FOR.search(lowered)
    if asked is not None:  # "Ring me at seven, would you?" is an order
        text, lowered = text[: asked.start()], lowered[: asked.start()]
    return Clause(text, lowered, speaker) if is_assertion(lowered) else None


def is_assertion(lowered: str) -> bool:
    """False for questions, requests, wishes, proposals, memories of the past, and talk of others."""
    if lowered.endswith("?") or cues.REQUESTS.search(lowered) or cues.ELSEWHERE.search(lowered):
        return False
    if cues.WISHES.search(lowered) and not cues.CANCELS.search(lowered):
        return False
    if frames.INVERTED.match(lowered) or frames.SUPPOSED.match(lowered):
        return False
    if frames.REMINDS.match(lowered) and not find_values(lowered):
        return False
    if cues.HEARSAY.search(lowered):
        return False
    if cues.PAST_DATES.search(lowered) and not (cues.CHANGES.search(lowered) or cues.DEPARTS.search(lowered)):
        return False
    return not cues.RECALLS.search(lowered) or cues.INVALIDATES.search(lowered) is not None


def is_question(text: str) -> bool:
    """True where a turn asks for something and tells nothing that could be stored."""
    return any(
        part.endswith("?") or cues.REQUESTS.search(part.lower()) is not None for part in sentences(text)
    )


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
