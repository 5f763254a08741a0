"""One clause of a turn, with its mood, values, words and wording of change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

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
    return lazily(lambda clause: cue.search(clause.lowered) is not None)


class NamedThing(NamedTuple):
    """A thing with a name: "fee of the Moss ward" has the attribute {fee}, the name moss and the noun ward."""

    attribute: frozenset[str]
    name: str
    noun: str


def thing(lowered: str) -> Thing | None:
    """Return the stems of a noun and its verb if the text begins with them ("The pool closes"), else None."""
    match = frames.THING.match(lowered)
    return (stem(match["noun"]), stem(match["verb"])) if match else None


def numbered(lowered: str) -> Numbered | None:
    """Return the noun and the number if the text begins with a numbered thing ("Pump 3 is …"), else None."""
    match = frames.NUMBERED.match(lowered)
    return (match["noun"], match["number"]) if match else None


def _framed(match: re.Match[str] | None) -> Frame | None:
    return (stems(match["subject"]), stems(match["complement"])) if match else None


@memo
def named_things(text: str) -> tuple[NamedThing, ...]:
    """Return the things that a text identifies by name, as in "of the Moss ward"."""
    return tuple(
        [
            NamedThing(stems(match["attribute"] or ""), match["name"].lower(), stem(match["noun"]))
            for match in frames.NAMED_THING.finditer(text)
        ]
    )


class Clause:
    """One assertion of a conversation turn. Properties are computed on first use.

    `speaker` is the title at the start of the turn, such as "manager". `stems` are the stems of the words with
    meaning, without wording of change. `values` are amounts, dates and other typed values.
    """

    def __init__(self, text: str, lowered: str, speaker: str | None) -> None:
        self.text, self.lowered, self.speaker = text, lowered, speaker
        self.stems = stems(text) - _CUE_STEMS
        self.values: tuple[Value, ...] = find_values(text)

    @lazily
    def valued(self) -> frozenset[str]:
        return stems(" ".join(value.text for value in self.values))

    @lazily
    def names(self) -> frozenset[str]:
        return names(self.text)

    @lazily
    def capitals(self) -> frozenset[str]:
        return capitals(self.text)

    @lazily
    def scope(self) -> str:
        scope = turn_scope(self.text)
        return scope if scope in (DRAFT, HYPOTHETICAL) else GLOBAL

    @lazily
    def authority(self) -> str | None:
        """Return the title of the speaker, else a title that the clause quotes. Returns None if there is no title."""
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
        """True if the clause rules something out ("does not work") or reports a departure ("resigned")."""
        return cues.REJECTS.search(self.lowered) is not None and "never" not in self.lowered

    @lazily
    def departs(self) -> bool:
        """True if something is gone, over or no longer in use."""
        return cues.DEPARTS.search(self.lowered) is not None and "never" not in self.lowered

    @lazily
    def elsewhere(self) -> frozenset[str]:
        """Return stems of words about other people or places, as in "my neighbour" or "in Leith"."""
        others = " ".join(match[0] for match in cues.OTHERS.finditer(self.lowered))
        places = " ".join(match["place"] for match in frames.LOCATED.finditer(self.text))
        return (stems(others) | stems(places)) - self.valued

    def number_of(self, noun: str) -> str | None:
        """Return the number after a noun in the clause ("oven two", "table 9"), else None."""
        at = self.lowered.find(noun + " ")
        if at < 0:
            return None
        named = find_values(self.lowered[at + len(noun) :][:12])
        return named[0].canon if named and named[0].kind == "number" and named[0].start < 3 else None

    @lazily
    def pairs(self) -> frozenset[str]:
        """Return the stem of each word joined with the next word: "kicks off" gives "kickoff"."""
        spoken = tokens(self.text)
        return frozenset([stem(one) + other for one, other in pairwise(spoken)])

    @lazily
    def named(self) -> frozenset[str]:
        return stems(" ".join(self.names)) - self.valued

    @lazily
    def about(self) -> frozenset[str]:
        """Return the stems of all words except values and wording of change."""
        return self.stems - self.valued - cues.CHANGE_STEMS

    @lazily
    def opening(self) -> tuple[str, ...]:
        return tokens(self.lowered)[:2]

    @lazily
    def fresh(self) -> frozenset[str]:
        """Return the stems of all words except values and wording of retraction ("sorry", "oops")."""
        return self.stems - self.valued - _TAKING_BACK

    @lazily
    def is_fragment(self) -> bool:
        """True if the clause is a retraction of a few words without a verb ("Nah, the risotto")."""
        return self.amends and len(self.fresh) <= _SLIGHT and not self.asserts

    @lazily
    def is_brief(self) -> bool:
        return self.is_fragment or (len(self.fresh) <= 1 and not self.asserts)

    @lazily
    def role(self) -> frozenset[str]:
        """Return the stems of the role that the clause gives to a person. Empty if it gives no role."""
        match = frames.APPOINTS.search(self.text)
        return stems(match["role"]) if match else frozenset()

    @lazily
    def naming(self) -> frozenset[str]:
        return self.stems | self.pairs

    @lazily
    def possessed(self) -> frozenset[str]:
        """Return the stems of the nouns after "its" and "their"."""
        owned = frames.POSSESSED.finditer(self.lowered)
        return stems(" ".join(match["noun"] for match in owned))

    @lazily
    def relatives(self) -> frozenset[str]:
        """Return the stems of words for relatives and acquaintances in the clause."""
        return stems(" ".join(match[0] for match in cues.RELATIVES.finditer(self.lowered)))

    @lazily
    def status(self) -> str:
        match = STATUS.search(self.lowered)
        return match[0] if match else ""

    @lazily
    def tells_status(self) -> bool:
        """True if the clause reports a state of affairs rather than requesting one."""
        return bool(self.status) and not self.is_directive and "please" not in self.lowered

    @lazily
    def copula(self) -> Frame | None:
        """Return the stems of subject and complement of "the <subject> is <complement>", else None."""
        return _framed(frames.COPULA.match(self.lowered))

    @lazily
    def status_frame(self) -> Frame | None:
        """Return the stems of subject and complement of "the <subject> has been <complement>", else None."""
        return _framed(frames.STATUS_FRAME.match(self.lowered))

    @lazily
    def set_aside(self) -> str | None:
        """Return the text after "not", "instead of" or "rather than", which names a rejected value, else None."""
        parts = frames.SETS_ASIDE.split(self.lowered, maxsplit=1)
        return parts[1] if len(parts) > 1 else None

    @lazily
    def numbered(self) -> Numbered | None:
        return numbered(self.lowered)

    @lazily
    def thing(self) -> Thing | None:
        return thing(self.lowered)

    @lazily
    def target(self) -> frozenset[str]:
        match = frames.MOVES_TO.search(self.text)
        return stems(match["place"]) if match else frozenset()

    @lazily
    def is_marked(self) -> bool:
        """True if the wording corrects or changes something, or returns to a former value."""
        return self.corrects or self.changes or self.reverts

    @lazily
    def is_loud(self) -> bool:
        """True if the wording changes or cancels something, or if a person with a title makes the statement."""
        return self.is_marked or self.cancels or self.authority is not None

    @lazily
    def replaces(self) -> bool:
        """True if the clause may name an old value and its replacement."""
        if self.corrects and len(self.values) > 1:
            return True
        if (self.departs or self.corrects or self.rejects) and self.capitals:
            return True
        beside = self.from_to or self.rejects or (self.promises and bool(self.capitals))
        return beside and (self.from_to or self.settles or self.changes or self.is_directive)

    @lazily
    def only_keeps(self) -> bool:
        return self.keeps and not (
            self.from_to or self.cancels or self.reverts or self.invalidates or self.departs
        )

    @lazily
    def can_point(self) -> bool:
        """True if the wording alone may replace a fact that the clause does not name ("cancel that")."""
        return self.is_loud or self.settles or self.rejects


@lru_cache(maxsize=65536)
def speaker_of(text: str) -> str | None:
    """Return the title in the speaker's tag at the start of a turn, else None."""
    return _speaker(text)[0]


@memo
def speaker_name(text: str) -> str:
    """Return the speaker's name in the tag at the start of a turn, without the title. Empty if there is no tag."""
    tag = _SPEAKER.match(text)
    return _INNER.sub("", tag["tag"] or tag["who"]).strip() if tag else ""


def _speaker(text: str) -> tuple[str | None, int]:
    """Return the title in the speaker's tag, or None, and the index after the tag. "Deal 2 (closed): …" has no tag."""
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
    """Join all clauses of a turn ("it was … . It is …") into one. Returns None for fewer than two clauses."""
    parts = clauses(text)
    return _clause(" ".join(part.text for part in parts), speaker_of(text)) if len(parts) > 1 else None


@memo
def clauses(text: str) -> tuple[Clause, ...]:
    """Split a turn into clauses that assert something about the present, without questions, wishes and memories."""
    speaker, start = _speaker(text)
    body = text[start:]
    if cues.SOMETHING_ELSE.search(body.lower()):
        return ()
    parts = [part for sentence in sentences(body) for half in _halves(sentence) for part in _joined(half)]
    whole = turn_scope(body)
    if whole == HYPOTHETICAL and any(
        turn_scope(part) == HYPOTHETICAL and not find_values(part) for part in parts
    ):
        return ()  # "…? Just thinking out loud." makes the whole turn hypothetical
    asserted = [clause for part in parts if (clause := _clause(part, speaker)) is not None]
    return tuple(
        [
            clause
            for n, clause in enumerate(asserted)
            if not clause.had_told or _is_taken_up(asserted[n + 1 :])
        ]
    )


def _is_taken_up(later: Sequence[Clause]) -> bool:
    return any(clause.values and (clause.opens_with_pronoun or clause.is_marked) for clause in later)


def _halves(sentence: str) -> list[str]:
    told = frames.TOLD.match(sentence) or frames.AMENDED.match(sentence)
    if told and cues.NAMELESS.search(told[0].lower()):
        told = None  # "Somebody told me this: the …" is hearsay to its end
    parts = [sentence[: told.end()], sentence[told.end() :]] if told else [sentence]
    return [half for part in parts for half in _CONTRAST.split(part)]


def _joined(half: str) -> Sequence[str]:
    """Split a sentence at "and". If the first part is hearsay and no comma follows, do not split."""
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
    """False if a lower-case text is a question, request, wish, proposal, memory, hearsay or about others, else True."""
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
    """True if a sentence of a turn is a question or a request for information."""
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
