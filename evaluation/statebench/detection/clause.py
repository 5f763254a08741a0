"""What one clause of a turn does: its mood, its cues of change, the values and words in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from evaluation.statebench.authority import is_title
from evaluation.statebench.classify import DRAFT, GLOBAL, HYPOTHETICAL, turn_scope
from evaluation.statebench.values import Value, find_values
from evaluation.statebench.words import STOPWORDS, capitals, names, sentences, stem, stems, tokens

# --- cues: general English for changing, correcting, settling and keeping things -----------------------------------

_CORRECTS = re.compile(
    r"\b(?:actually|correction|corrected|scratch (?:that|the)|strike that|no,? wait|wait,|oops|my (?:mistake|bad|error)|misspoke"
    r"|mis(?:read|typed|stated|quoted|counted|heard|remembered)|i meant|meant to say|i was wrong|got (?:that|it|this) wrong"
    r"|(?:was|were|is|are) (?:wrong|incorrect|a typo|mistaken|outdated|stale)|typo|should (?:have (?:been|said|read)|read|say)"
    r"|disregard|ignore (?:what|that|my|the|those)|forget (?:what|that|about|the|my)|on second thou?ght?s?|turns out"
    r"|to be precise|not [\w$%,.-]+(?: [\w$%,.-]+)?,? but|i take (?:that|it) back|let me (?:fix|correct|rephrase)"
    r"|(?:make|let's make) (?:that|it)|change (?:that|it)|rather than|instead)\b"
)
_CHANGES = re.compile(
    r"\b(?:chang(?:e[sd]?|ing)|switch(?:e[sd]|ing)?|mov(?:e[sd]?|ing)|shift(?:s|ed|ing)?|replac(?:e[sd]?|ing)|swap(?:s|ped|ping)?"
    r"|updat(?:e[sd]?|ing)|revis(?:e[sd]?|ing)|adjust(?:s|ed|ing)?|instead|no longer|not \w+ anymore|any ?more|reschedul(?:e[sd]?|ing)"
    r"|postpon(?:e[sd]?|ing)|push(?:es|ed|ing)? (?:\w+ )?(?:back|out|up|to)|delay(?:s|ed|ing)?|bump(?:s|ed|ing)?|slip(?:s|ped|ping)?"
    r"|(?:bring|brought|pull|pulled|mov(?:e|ed)) (?:\w+ )?(?:forward|in|up)|extend(?:s|ed|ing)?|shorten(?:s|ed)?|lengthen(?:s|ed)?"
    r"|increas(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|rais(?:e[sd]?|ing)|lower(?:s|ed|ing)?|cut(?:s|ting)?|trim(?:med)?|slash(?:ed)?"
    r"|reduc(?:e[sd]?|ing)|dropp(?:ed|ing)|doubl(?:e[sd]?|ing)|tripl(?:e[sd]?|ing)|halv(?:e[sd]?|ing)|upgrad(?:e[sd]?|ing)|downgrad(?:e[sd]?|ing)"
    r"|went (?:up|down)|(?:jump|climb|rose|fell|grew|shrank|went)(?:ed)? (?:to|from)|rose|fell|bec(?:ame|omes?|oming)|turned into"
    r"|cancel(?:s|led|ed|ling|ing)?|call(?:ed|ing)? (?:it |that )?off|withdr(?:aw|ew|awn)|revok(?:e[sd]?|ing)|rescind(?:s|ed)?|scrap(?:s|ped|ping)?"
    r"|abandon(?:s|ed)?|terminat(?:e[sd]?|ing)|suspend(?:s|ed)?|paus(?:e[sd]?|ing)|on hold|hold off|held off|shelv(?:e[sd]?|ing)|axed"
    r"|overrid(?:e[s]?|ing|den)|overrod?e|overrul(?:e[sd]?|ing)|supersed(?:e[sd]?|ing)|amend(?:s|ed)?|renam(?:e[sd]?|ing)|relocat(?:e[sd]?|ing)"
    r"|reassign(?:s|ed)?|reallocat(?:e[sd]?|ing)|transfer(?:s|red)?|(?:hand|handed|take|took|taken|taking) over|step(?:ped|ping)? (?:down|in)"
    r"|as of|effective|starting|beginning|from (?:now|today|tomorrow|this|next|here|\w+day) on|from now|going forward|moving forward|henceforth"
    r"|until further notice|change of plans?|bad news|ended up|gone up|gone down|new(?:ly)?|now|latest|just (?:got|heard|came|learned|been|confirmed)"
    r"|expired|lapsed|out of date|no good|off the table|fell through|backed out|pulled out|bail(?:ed)?|dead|rolled? (?:over|out) to|redirect(?:ed)?)\b"
)
_REVERTS = re.compile(
    r"\b(?:back to|return(?:s|ed|ing)? to|revert(?:s|ed|ing)?|go(?:es|ing)? back|went back|restor(?:e[sd]?|ing)|roll(?:s|ed|ing)? back"
    r"|undo|undid|reinstat(?:e[sd]?|ing)|after all|stick(?:ing)? with|original (?:plan|one|choice|option|date|idea|time))\b"
)
_SETTLES = re.compile(
    r"\b(?:final(?:ly|i[sz]ed|i[sz]e)?|official(?:ly)?|settled|decided|decision|confirmed|agreed|sign(?:ed|ing)?(?: off)?|approved|locked (?:in|down)?"
    r"|go(?:ing)? with|went with|proceed(?:ing)? with|let's (?:do|go|use|take|have|make|set|send|ship|put|hold)|we'll (?:do|go|use|be|take|have)"
    r"|we will (?:do|go|use|be|take|have)|we're (?:doing|using|going|taking)|i'll (?:take|have|go|use)|chose|chosen|pick(?:ed|ing)?|opt(?:ed|ing)? for"
    r"|landed on|committed|commit(?:ting)?|set in stone|it's (?:going to be|gonna be)|book(?:ed)?|will be)\b"
)
_CANCELS = re.compile(
    r"\b(?:cancel(?:s|led|ed|ling|ing)?|call(?:ed|ing)? (?:\w+ )?off|withdr(?:aw|ew|awn)|revok(?:e[sd]?|ing)|rescind(?:s|ed)?"
    r"|scrap(?:s|ped|ping)?|abandon(?:s|ed)?|hold(?:ing)? off|held off|suspend(?:s|ed)?|terminat(?:e[sd]?|ing)|overrid(?:e[s]?|ing|den)"
    r"|overrul(?:e[sd]?|ing)|change of plans?|bad news|scratch (?:that|the)|drop (?:it|that|the)|forget (?:it|that|about)|no longer"
    r"|switch(?:e[sd]|ing)? to|replac(?:e[sd]?|ing)|fell through|off the table|expired)\b"
)
_INVALIDATES = re.compile(
    r"\b(?:incorrect|wrong|outdated|invalid(?:ated)?|no longer (?:valid|true|applies|holds|correct)|obsolete|recalculat\w*|void|moot)\b"
)
_KEEPS = re.compile(
    r"\b(?:still|stay(?:s|ing|ed)?|remain(?:s|ed|ing)?|unchanged|the same|same (?:as|time|place|price|date)|as (?:planned|agreed|before|discussed|is|usual)"
    r"|no changes?|nothing(?:'s| is| has)? chang\w*|(?:has|have|did|is|are|was|will|do|does|had)(?: not|n't) (?:chang\w*|mov\w*|been|going)"
    r"|(?:stands|holds)|keep(?:s|ing)?|kept|not (?:chang|mov|switch|touch|cancel|updat|replac)\w*|won't (?:chang|mov|be)\w*"
    r"|(?:to )?(?:re)?confirm(?:ing)?(?: again)?|(?:as|like) i (?:said|mentioned)|remember|reminder|just to (?:confirm|be clear)|on track)\b"
)
_RECALLS = re.compile(
    r"\b(?:used to|back (?:then|in|when)|previous(?:ly)?|formerly|originally|at (?:the|that) time|once (?:was|had|upon)|histor(?:y|ical|ically)|old days)\b"
)
_PAST_DATE = re.compile(
    r"\b(?:last (?:year|quarter|month|week|weekend|night|spring|summer|fall|winter|time|\w+day)(?!'s)|in (?:19|20)\d\d"
    r"|(?:years?|months?|weeks?|days?) ago|earlier (?:this|last|we|in)|yesterday)\b"
)
# Why the old value cannot stay: said beside a new one, it replaces.
_REJECTS = re.compile(
    r"\b(?:veto(?:e[sd])?|reject(?:s|ed)?|rul(?:e[sd]?|ing) out|turn(?:s|ed)? down|too \w+|(?:does|did|will|do|can|is|was)(?: not|n't) (?:work|fit|available|an option)"
    r"|won't (?:work|do|fit)|unavailable|on leave|out sick|(?:has |have )?(?:left|quit|resigned|retired|departed)|sold out|broke[n]?|ran out|out of|fell through"
    r"|tak(?:es?|ing|en) over|took over|step(?:s|ped|ping)? (?:in|up|down)|hand(?:s|ed|ing)? (?:\w+ )?over|cover(?:s|ing)? for|fill(?:s|ing)? in)\b"
)
_SOMETHING_ELSE = re.compile(
    r"\b(?:that|this|it|they|those)(?:'s| is| was| are|'re| were) (?:(?:for|about|on) )?(?:an?(?:nother)? |the )?(?:different|another|separate|unrelated|other)\b"
)
_REPORTS_WISH = re.compile(
    r"\b(?:wants?|wanted|would (?:like|love|prefer)|hop(?:es?|ing|ed)|wish(?:es|ed)?|push(?:ing)? for|ask(?:s|ed|ing)? (?:for|about|if|whether|us|me)"
    r"|suggest(?:s|ed|ing|ion)?|propos(?:e[sd]?|ing|al)|float(?:s|ed|ing)|pitch(?:ed)?|rumou?rs?|rumou?red|heard (?:that|a)|there's talk|gossip|speculat\w+|guess(?:es|ing|ed)?"
    r"|recommend(?:s|ed|ing)?|think(?:s|ing)? (?:about|of|we|it|they)|thought (?:about|of)|consider(?:s|ed|ing)?|request(?:s|ed|ing)?|prefers?|offer(?:s|ed|ing)?|lobb(?:y|ied)\w*|argu(?:e[sd]?|ing))\b"
)
_REQUESTS_INFO = re.compile(
    r"\b(?:can|could|would|will) you\b|\b(?:tell|show|remind|send) me\b|\bi(?:'d like| need| want) to (?:know|see)\b"
)
_ELSEWHERE = re.compile(
    r"\b(?:unrelated|different (?:topic|project|client|customer|team|matter|subject)|another (?:project|client|customer|team|company|vendor|topic|matter)"
    r"|competitors? (?:has|have|just|is|are|was|\w+ed)|competitors?'s?|other (?:project|client|customer|team|company|office|vendor)|separate(?:ly)?|my (?:friend|neighbou?r|cousin|brother|sister|wife|husband|kid|son|daughter|dog|cat)"
    r"|some(?:one|body)(?: else)?'s|their own)\b"
)
_ANAPHORA = re.compile(r"\b(?:that|it|this|them|those|the (?:first|earlier|previous|old|other) one)\b")
_FROM_TO = re.compile(
    r"\bfrom\b.+\bto\b|->|→|\bnot\b.+\bbut\b|\binstead of\b|\brather than\b|\bin place of\b|\breplac\w+\b.+\bwith\b|\bwas\b.+\bis\b"
)

_CONTRAST = re.compile(r",\s+but\s+", re.IGNORECASE)
# "[VP] …", "[Mike (CFO)]: …", "Mike (CFO): …"
_SPEAKER = re.compile(r"^\s*(?:\[(?P<tag>[^\]]+)\]:?|(?P<who>[A-Z][\w. ]{0,40}\([^)]+\)):)\s*")
_INNER = re.compile(r"\(([^)]+)\)")
_ON_AUTHORITY = re.compile(
    r"\b(?:per|according to|on (?:the )?(?:orders?|instructions?|word|authority) (?:of|from)|by order of|as (?:directed|instructed|mandated) by)"
    r"\s+(?:the\s+|our\s+)?(?P<title>[A-Za-z-]+(?:\s[A-Za-z-]+)?)",
    re.IGNORECASE,
)
_AUTHORITY_ACTS = re.compile(
    r"\b(?P<title>(?:the\s+|our\s+)?[A-Za-z-]+(?:\s[A-Z][a-z]+)?)\s+(?:has\s+|have\s+|just\s+|now\s+)*"
    r"(?:says?|said|decided|requires?|required|mandat\w+|approved|signed off|wants? us|ruled|ordered|directed|instructed|overruled|overrode"
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
    authority: str | None
    scope: str

    @property
    def can_point(self) -> bool:
        """True where the clause may supersede what it does not name: it changes, settles, rejects or commands."""
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
    """All clauses of a turn as one, for what is said across them ("it was … . It is …"); None for a single clause."""
    parts = clauses(text)
    return _clause(" ".join(part.text for part in parts), speaker_of(text)) if len(parts) > 1 else None


@lru_cache(maxsize=65536)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a turn that assert something about the present; questions, wishes and memories are left out."""
    speaker, start = _speaker(text)
    body = text[start:]
    if _SOMETHING_ELSE.search(body.lower()):
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
        corrects=_CORRECTS.search(lowered) is not None,
        changes=_CHANGES.search(lowered) is not None,
        reverts=_REVERTS.search(lowered) is not None,
        settles=_SETTLES.search(lowered) is not None,
        cancels=_CANCELS.search(lowered) is not None,
        invalidates=_INVALIDATES.search(lowered) is not None,
        keeps=_KEEPS.search(lowered) is not None,
        anaphoric=_ANAPHORA.search(lowered) is not None,
        from_to=_FROM_TO.search(lowered) is not None,
        rejects=_REJECTS.search(lowered) is not None,
        capitals=capitals(text),
        authority=speaker or _authority(text),
        scope=scope if scope in (DRAFT, HYPOTHETICAL) else GLOBAL,
    )


def is_assertion(lowered: str) -> bool:
    """False for a question, a request, somebody's wish or proposal, a memory of the past, and talk of others."""
    if lowered.endswith("?") or _REQUESTS_INFO.search(lowered) or _ELSEWHERE.search(lowered):
        return False
    if _REPORTS_WISH.search(lowered) and not _CANCELS.search(lowered):
        return False
    if _PAST_DATE.search(lowered) and not _CHANGES.search(lowered):
        return False
    return not _RECALLS.search(lowered) or _INVALIDATES.search(lowered) is not None


def is_question(text: str) -> bool:
    """True where a turn asks for something and tells nothing that could be stored."""
    return any(part.endswith("?") or _REQUESTS_INFO.search(part.lower()) is not None for part in sentences(text))


def _authority(text: str) -> str | None:
    for pattern in (_ON_AUTHORITY, _AUTHORITY_ACTS):
        found = pattern.search(text)
        if found and is_title(found["title"]):
            return found["title"]
    return None


_CUE_STEMS = frozenset(
    stem(token)
    for token in tokens(
        "actually correction wait change changed switch move moved update updated revise instead now new latest make go going "
        "back proceed final finalized official decided confirmed approved plan plans by way oh anyway note good great news bad "
        "today tomorrow starting effective longer anymore remember need want get got getting take use using set hold off cancel "
        "cancelled keep one thing things way value values"
    )
    if token not in STOPWORDS
)
