"""Finds successions: one clause dismisses the holder of a role, and another clause names the new holder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.statebench.detection.rules import EXPLICIT, Match
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.facts.classify import turn_scope
from evaluation.statebench.facts.scopes import GLOBAL
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import find_values
from evaluation.statebench.language.words import stems

_CONFIDENCE = 0.9
_GOES = (
    r"(?:has |have |had |is |are |was |were |just |now |already |'s |'ve )*"
    r"(?:stepp(?:ed|ing) (?:down|aside|back)|left|leaving|resign(?:ed|ing)|retir(?:ed|ing)|quit|gone|out|pulled out"
    r"|backed out|dropped out|fell through|bowed out|broke(?:n)? down|died|fired|let go|replaced|moved on|withdrawn"
    r"|withdrew|unavailable|closed down|shut down)"
)
_NP = (
    r"(?:(?:[Tt]he|[Aa]n?|[Oo]ur|[Mm]y)\s+[\w'-]+(?:\s[\w'-]+){0,2}?|(?:Dr|Prof|Mr|Mrs|Ms)\.? [A-Z][\w'-]+"
    r"|[A-Z][\w'-]+(?:\s[A-Z][\w'-]+){0,2})"
)
_HOLDS = (
    r"(?:(?:is|are|will be|becomes?|became|has become|'s) (?:now |our |the |my )*(?:new )?(?P<role>[\w' -]+?)"
    r"|(?:now |has |have |will |just |'ll )*(?:(?:takes?|took|taken|taking|steps?|stepped) (?:over|in)|leads?|led|runs?"
    r"|ran|heads?|supplies|supply|does|do|handles?|covers?|manages?|owns?|chairs?|fills? in|replaces?|replaced|teaches"
    r"|drives?|hosts?|reviews?|delivers?)\b(?P<rest>[^.;]*))"
)
_TAIL = (  # "left early" ends nothing, so not any words may follow
    r"(?: (?:us|for good|(?:the |our )?(?:company|team|project|firm|role|job|post|business)|as [\w ]+"
    r"|yesterday|today|this \w+|last \w+))*"
)
_PAIR = re.compile(
    rf"^(?P<gone>{_NP})(?: {_GOES}|'s (?:out|gone|leaving))\b{_TAIL}(?:\s*[;.,–—-]+\s*|\s+)(?:(?:and|so|but)\s+)?"
    rf"(?P<new>{_NP}) ?{_HOLDS}[.!]*$"
)
_NO_NAMES = frozenset(("it", "he", "she", "they", "we", "i", "this", "that", "nobody", "everyone"))


@dataclass(frozen=True, slots=True)
class Succession:
    """The former and the new holder of a role, and the clause that names the new holder."""

    gone: str
    new: str
    clause: str
    about: frozenset[str]


@memo
def succession(text: str) -> Succession | None:
    body = text.strip()
    match = _PAIR.match(body)
    if match is None or body.endswith("?") or turn_scope(body) != GLOBAL:
        return None
    if match["new"].lower() in _NO_NAMES or stems(match["new"]) <= stems(match["gone"]):
        return None
    about = stems(match["role"] or match["rest"] or "")
    return Succession(match["gone"], match["new"], body[match.start("new") :], about)


def succeeded(text: str, slots: Sequence[Slot]) -> Iterator[Match]:
    """Yield a match if exactly one slot names the former holder of a role. The match has the new holder."""
    one = succession(text)
    if one is None:
        return
    gone = stems(one.gone)
    holding = [slot for slot in slots if _holds(slot, gone)]
    named = [slot for slot in holding if not one.about or not slot.subject.isdisjoint(one.about)]
    if len(named) == 1:
        slot = named[0]
        value = one.new if slot.is_bare else one.clause
        yield Match(slot, EXPLICIT, _CONFIDENCE, text, value, is_whole=True)


def _holds(slot: Slot, gone: frozenset[str]) -> bool:
    if slot.constraint or slot.layer != "persistent_facts" or find_values(slot.text):
        return False
    held = slot.value_stems
    return bool(gone) and (gone <= held or (bool(held) and held <= gone))
