"""Splits a text into words: tokens, stems, content words, proper names. Results are cached by text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache

from evaluation.statebench.language.memo import memo

_TOKEN = re.compile(r"[A-Za-z0-9]+(?:['’][a-z]+)?")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)(?<!['\"])\b(?:[A-Z][a-z]*[A-Z]\w*|[A-Z][a-z]+)(?:\s[A-Z][a-z]+)*")
_RUN = re.compile(r"\w+")
_SENTENCE = re.compile(
    r"(?<=[.!?])\s+(?=[A-Z0-9\"'\[$])|\s+[–—]\s+|(?<=[A-Za-z]{3})\s+-\s+(?=[A-Za-z])|;\s+|\n+"
)

STOPWORDS = frozenset(
    """
    a an the this that these those there here it its it's i i'm i'd i'll i've me my mine we we're we'll we've
    us our ours you you're your yours he she they them their his her him who whom which what when where why
    how
    is are was were be been being am do does did done doing have has had having will would shall should can
    could may might must ll re ve d s t m
    and or but nor so if then than as at by for from in into of on onto to with without within about over
    under up down out off again further until till while during before after above below between through per
    via
    not no yes n't don't doesn't didn't isn't aren't wasn't won't can't cannot
    just only also too very really quite all any some each every both few more most other such same own
    let let's lets please ok okay well oh hey hi hello thanks thank sure
    """.split()
)


@memo
def stem(word: str) -> str:
    """Return a light English stem: "meetings", "Meeting" -> "meet"; "pricing", "prices" -> "pric"."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for suffix in ("ing", "ed"):
        if word.endswith(suffix) and len(word) > len(suffix) + 2:
            word = word[: -len(suffix)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    # One object per stem: sets of them compare faster.
    return sys.intern(word[:-1] if len(word) > 3 and word.endswith("e") else word)


@memo
def tokens(text: str) -> tuple[str, ...]:
    return tuple(map(str.lower, _TOKEN.findall(text.replace("_", " "))))


@memo
def runs(text: str) -> frozenset[str]:
    """Return the runs of letters, digits and underscores in a text.

    A text that contains a phrase as whole words has all runs of the phrase.
    """
    return frozenset(_RUN.findall(text))


@memo
def key_runs(text: str) -> frozenset[str]:
    """Return the `runs` of a phrase without stop words, or all runs if it has only stop words."""
    return runs(text) - STOPWORDS or runs(text)


@memo
def stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, {*tokens(text)} - STOPWORDS))


@lru_cache(maxsize=65536)
def names(text: str) -> frozenset[str]:
    """Return proper names in lower case: capitalised words that are not at the start of a sentence."""
    return frozenset(match.lower() for match in _NAME.findall(text))


@memo
def capitals(text: str) -> frozenset[str]:
    """Return the stems of all capitalised words, also at the start of a sentence."""
    capitalised = (
        token for token in _TOKEN.findall(text) if token[0].isupper() and token.lower() not in STOPWORDS
    )
    return frozenset(stem(token) for token in capitalised)


@lru_cache(maxsize=65536)
def sentences(text: str) -> tuple[str, ...]:
    """Split a text into sentences, also at dashes and semicolons."""
    return tuple(filter(None, map(str.strip, _SENTENCE.split(text))))


@lru_cache(maxsize=65536)
def bounded_pattern(phrase: str) -> re.Pattern[str]:
    """Compile a pattern that does not find a phrase inside a longer word or number: "$45" is not in "$450"."""
    lead = r"(?<!\w)" if _is_word(phrase[:1]) else ""
    trail = r"(?!\w)" if _is_word(phrase[-1:]) else ""
    return re.compile(lead + re.escape(phrase) + trail)


def says(text: str, phrase: str) -> bool:
    """True if a text contains a phrase as whole words. Both must be in lower case."""
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        is_in_word = at > 0 and _is_word(text[at - 1]) and _is_word(phrase[:1])
        if not is_in_word and not (end < len(text) and _is_word(text[end]) and _is_word(phrase[-1:])):
            return True
        at = text.find(phrase, at + 1)
    return False


def starts(text: str, phrase: str, pattern: re.Pattern[str]) -> Iterator[int]:
    """Yield the positions at which `pattern`, which begins with `phrase`, matches. Faster than the pattern alone."""
    at = text.find(phrase)
    while at >= 0:
        match = pattern.match(text, at)
        if match:
            yield at
        at = text.find(phrase, match.end() if match else at + 1)


def first_start(text: str, phrase: str, pattern: re.Pattern[str]) -> int | None:
    return next(starts(text, phrase, pattern), None)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


@memo
def count_tokens(text: str) -> int:
    """Count whitespace-separated tokens. This is the default tokenizer."""
    return len(text.split())
