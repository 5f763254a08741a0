"""Searches responses for phrases. Each `*_matcher` makes a function that finds its phrase in a normalised response."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

from evaluation.core.errors import RowError
from evaluation.statebench.data.truth import Mention
from evaluation.statebench.language.words import bounded_pattern, first_start, starts

Matcher = Callable[[str], bool]

# "do not go" ~ "don't go" …: each pair rewrites the phrase independently (both released judges).
_PARAPHRASES = tuple(
    (re.compile(rf"{a} (\w+)"), rf"{b} \1")
    for long, short in (("do not", "don't"), ("cannot", "can't"), ("should not", "shouldn't"))
    for a, b in ((long, short), (short, long))
)
_NEGATES = re.compile(r"(?:not|n't) ")
_QUOTES = (("’", "'"), ("‘", "'"), ("ʼ", "'"), ("“", '"'), ("”", '"'))
_CONTRACTIONS = (("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("n't", " not"))


def released_form(text: str) -> str:
    return text.lower().strip()


def strict_form(text: str) -> str:
    """Normalise a text: NFKC, straight quotes, lower case, single spaces, contractions expanded."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        for curly, straight in _QUOTES:
            text = text.replace(curly, straight)
    text = " ".join(text.lower().split())
    if "n't" in text or "cannot" in text:
        for short, long in _CONTRACTIONS:
            text = text.replace(short, long)
    return text


@lru_cache(maxsize=65536)
def substring_matcher(phrase: str) -> Matcher:
    """Make a matcher like judge 1.0.2, which finds substrings. An empty phrase is found in every response."""
    phrase = released_form(phrase)
    if phrase.startswith("regex:"):
        return _regex(phrase[6:])
    if "|" in phrase:
        return _any_of([_contains(part.strip()) for part in phrase.split("|")])
    return _any_of([_contains(variant) for variant in _variants(phrase)])


@lru_cache(maxsize=65536)
def bounded_matcher(phrase: str) -> Matcher:
    """Make a matcher like judge 2.0.0, which finds whole words. An empty phrase is never found."""
    phrase = released_form(phrase)
    if phrase.startswith("regex:"):
        return _regex(phrase[6:])
    parts = [part.strip() for part in phrase.split("|")] if "|" in phrase else _variants(phrase)
    return _any_of([_bounded(part, bounded_pattern(part)) for part in parts if part])


@lru_cache(maxsize=65536)
def strict_matcher(mention: Mention) -> Matcher:
    """Make our matcher, which finds whole words and numbers, alternatives, and regular expressions in any case."""
    if mention.is_regex or mention.phrase.startswith("regex:"):
        return _regex(mention.phrase.removeprefix("regex:").strip(), re.IGNORECASE)
    return _any_of([_bounded(part, _strict_pattern(part)) for part in strict_wordings(mention)])


def alternatives(mention: Mention) -> list[str]:
    return [part for text in (mention.phrase, *mention.alternatives) for part in text.split("|")]


@lru_cache(maxsize=65536)
def _strict_pattern(phrase: str) -> re.Pattern[str]:
    """Like `bounded_pattern`, but a number does not match inside a longer number: "500" is not in "1,500"."""
    lead = r"(?<!\d[.,])" if phrase[:1].isdigit() else ""
    trail = r"(?!,\d{3})(?!\.\d*[1-9])" if phrase[-1:].isdigit() else ""
    return re.compile(lead + bounded_pattern(phrase).pattern + trail)


@lru_cache(maxsize=65536)
def strict_wordings(mention: Mention) -> tuple[str, ...]:
    """Return the wordings of a phrase of the ground truth in `strict_form`. Empty for a regular expression."""
    if mention.is_regex or mention.phrase.startswith("regex:"):
        return ()
    return tuple(form for part in alternatives(mention) if (form := strict_form(part)))


def strict_starts(wordings: Iterable[str], response: str) -> list[int]:
    """Return the positions of the wordings in a response, grouped by wording. All texts are in `strict_form`."""
    return [start for part in wordings for start in starts(response, part, _strict_pattern(part))]


def _variants(phrase: str) -> list[str]:
    rewritten = (
        [pattern.sub(other, phrase) for pattern, other in _PARAPHRASES] if _NEGATES.search(phrase) else []
    )
    return list(dict.fromkeys([phrase, *rewritten]))


def _contains(needle: str) -> Matcher:
    return lambda response: needle in response


def _bounded(needle: str, pattern: re.Pattern[str]) -> Matcher:
    # The substring test is far cheaper and settles nearly every case.
    return lambda response: needle in response and first_start(response, needle, pattern) is not None


def _any_of(matchers: list[Matcher]) -> Matcher:
    if len(matchers) == 1:
        return matchers[0]
    return lambda response: any(matches(response) for matches in matchers)


def _regex(source: str, flags: re.RegexFlag = re.NOFLAG) -> Matcher:
    try:
        pattern = re.compile(source, flags)
    except re.error as error:
        raise RowError(f"the ground truth has an invalid regular expression {source!r}: {error}") from error
    return lambda response: pattern.search(response) is not None
