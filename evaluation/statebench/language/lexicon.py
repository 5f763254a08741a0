"""Compiles cue patterns from readable lists of verbs and phrases. Verbs match in all their forms."""

from __future__ import annotations

import re

_BAR = re.compile(r"\s+\|\s+")
_LEADING_CHOICE = re.compile(r"\(\?:(?P<choices>[^()]+)\)(?P<optional>\??)(?P<rest>.*)")
_QUANTIFIERS = frozenset("?*+{")
_VOWELS = "aeiou"
# Longer verbs that double their last consonant, against the rule in `_may_double`.
_DOUBLING = frozenset(("refer", "transfer", "commit", "admit", "cancel"))
_IRREGULAR: dict[str, tuple[str, ...]] = {
    "become": ("become", "becomes", "became", "becoming"),
    "bring": ("bring", "brings", "brought", "bringing"),
    "cut": ("cut", "cuts", "cutting"),
    "fall": ("fall", "falls", "fell", "fallen", "falling"),
    "grow": ("grow", "grows", "grew", "grown", "growing"),
    "hold": ("hold", "holds", "held", "holding"),
    "keep": ("keep", "keeps", "kept", "keeping"),
    "leave": ("leave", "leaves", "left", "leaving"),
    "override": ("override", "overrides", "overrode", "overridden", "overriding"),
    "rise": ("rise", "rises", "rose", "risen", "rising"),
    "say": ("say", "says", "said", "saying"),
    "set": ("set", "sets", "setting"),
    "shrink": ("shrink", "shrinks", "shrank", "shrunk", "shrinking"),
    "take": ("take", "takes", "took", "taken", "taking"),
    "think": ("think", "thinks", "thinking"),
    "undo": ("undo", "undoes", "undid", "undone", "undoing"),
    "withdraw": ("withdraw", "withdraws", "withdrew", "withdrawn", "withdrawing"),
}


def forms(verb: str) -> tuple[str, ...]:
    """Return the forms of an English verb: "switch" -> switch, switches, switched, switching."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return verb, verb + "s", verb + "d", verb[:-1] + "ing"
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"
    third = verb + ("es" if verb.endswith(("s", "x", "ch", "sh")) else "s")
    plain = (verb, third, verb + "ed", verb + "ing")
    return (*plain, verb + verb[-1] + "ed", verb + verb[-1] + "ing") if _may_double(verb) else plain


def cue(*, verbs: str = "", phrases: str = "") -> re.Pattern[str]:
    """Compile a pattern for whole words: verbs in any form (separated by spaces) and phrases (separated by " | ")."""
    words = [re.escape(form) for verb in verbs.split() for form in forms(verb)]
    spoken = [" ".join(phrase.split()) for phrase in _BAR.split(phrases.strip()) if phrase]
    branches = _by_first_letter([way for phrase in [*spoken, *words] for way in _ways(phrase)])
    return re.compile(rf"\b(?:{'|'.join(branches)})(?!\w)")


def _ways(phrase: str) -> list[str]:
    """Expand a leading choice: "(?:is|are) late" -> "is late", "are late"."""
    choice = _LEADING_CHOICE.match(phrase)
    if choice is None:
        return [phrase]
    openings = [*choice["choices"].split("|"), *([""] if choice["optional"] else [])]
    return [way for opening in openings for way in _ways(opening + choice["rest"])]


def _by_first_letter(ways: list[str]) -> list[str]:
    """Group patterns by first letter, so that a regex tries at most one branch for most words of a text."""
    branches: dict[str, list[str]] = {}
    for way in ways:
        if way[0].isalpha() and way[1:2] not in _QUANTIFIERS:
            branches.setdefault(way[0], []).append(way[1:])
        else:
            branches[way] = [""]
    return [f"{first}(?:{'|'.join(rests)})" for first, rests in branches.items()]


def _may_double(verb: str) -> bool:
    """True if a verb ends in one vowel and one consonant, like "stop". Both spellings ("stoped") are then accepted."""
    consonant = verb[-1] not in f"{_VOWELS}wxy"
    return verb in _DOUBLING or (consonant and verb[-2] in _VOWELS and verb[-3:-2] not in _VOWELS)
