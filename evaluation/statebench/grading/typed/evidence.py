"""Looks up the ids and quotes that a typed answer cites among current (live) and outdated (dead) evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from evaluation.statebench.grading.typed.quantities import fold, same_value
from evaluation.statebench.language.memo import memo
from evaluation.statebench.language.values import find_values
from evaluation.statebench.records import FrozenAnswer, FrozenEvidence

#: Minimum words of a quote that is not a whole text.
QUOTED_WORDS = 3
Side = Literal["live", "dead"]
#: Evidence of an answer: all live; some dead; some neither; nothing cited.
Standing = Literal["live", "dead", "other", "none"]
_WORDS = re.compile(r"[^\W_]+")


class _Text(NamedTuple):
    side: Side
    words: str  # in the form of `quotable`
    value: str


class Evidence:
    """The frozen evidence of a query. Live evidence states the current answer, dead evidence an outdated answer."""

    def __init__(self, answer: FrozenAnswer) -> None:
        self._answer = answer
        self._sides: dict[str, Side] = {each["id"].casefold(): "live" for each in answer["live"]}
        self._sides |= {each["id"].casefold(): "dead" for each in answer["dead"]}
        self._texts: list[_Text] = []

    def standing(self, cited: Sequence[str]) -> tuple[Standing, list[str]]:
        """Return the worst kind of citation and the citations of outdated evidence.

        From worst to best: "dead" (outdated), "other" (unknown), "live" (current). Without citations: "none".
        """
        if not cited:
            return "none", []
        sides = [self.side(each) for each in cited]
        if dead := [each for each, side in zip(cited, sides, strict=True) if side == "dead"]:
            return "dead", dead
        return ("other" if None in sides else "live"), []

    def side(self, cited: str) -> Side | None:
        """Return whether a cited id or quote is live or dead. None if it is unknown, or found among both."""
        return self._sides.get(cited.strip().casefold()) or self._quoted(quotable(cited))

    def states(self, side: Side, value: str) -> bool:
        """True if a text of the live or the dead evidence states the value, in any form."""
        return any(_states(each, value) for each in self._answer[side])

    def _quoted(self, quote: str) -> Side | None:
        if not self._texts:  # built late: a file that cites ids needs none
            self._texts = [*self._read("live"), *self._read("dead")]
        sides = {text.side for text in self._texts if _matches(quote, text)}
        return sides.pop() if len(sides) == 1 else None

    def _read(self, side: Side) -> Iterable[_Text]:
        for each in self._answer[side]:
            yield _Text(side, quotable(each["text"]), quotable(each.get("value", "")))


@memo
def quotable(text: str) -> str:
    """Return the words of a text with one space around each, to compare quotes. Empty if there are no words."""
    words = _WORDS.findall(fold(text))
    return f" {' '.join(words)} " if words else ""


def _matches(quote: str, text: _Text) -> bool:
    if not quote:
        return False
    if quote in (text.words, text.value):
        return True
    shorter = min(quote, text.words, key=len)
    return shorter.count(" ") > QUOTED_WORDS and (quote in text.words or text.words in quote)


def _states(evidence: FrozenEvidence, value: str) -> bool:
    if (own := evidence.get("value")) is not None and same_value(own, value):
        return True
    words = quotable(value)
    if words and words in quotable(evidence["text"]):
        return True
    return any(same_value(found.text, value) for found in find_values(evidence["text"]))
