"""An attacker that predicts the decision from the words of a timeline and its question (a bag of words)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log

from evaluation.attacks.plan import Example, PublicLine
from evaluation.attacks.statebench.typed import VIEW, decision_of, typed
from evaluation.attacks.statebench.view import Asked, golds, mentioned, values_of
from evaluation.statebench.data.typed_gold import UNCLEAR, VALUE
from evaluation.statebench.grading.typed.quantities import same_value
from evaluation.statebench.records import Response

_WORD = re.compile(r"[a-z]+")


class WordReader:
    """Naive Bayes over words, pairs of words and kinds of events, with Laplace's smoothing.

    If the decision is a value, the value is the last one in the text that shares the most words with the question. The
    prior of a decision is the number of times that it would have been right in the training rows.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        """Learn from the training rows. Features that occur in only one question are ignored."""
        self._times, self._right, everywhere = Counter[str](), Counter[str](), Counter[str]()
        self._found: dict[str, Counter[str]] = {}
        for each in examples:
            for question, truth in zip(VIEW.questions(each.line), golds(each.row), strict=True):
                decision, seen = decision_of(truth), _marks(question)
                gold, value = truth["answer"], _value(question)
                self._times[decision] += 1
                self._right[decision] += decision != VALUE or bool(
                    gold and value and same_value(value, str(gold.get("value")))
                )
                self._found.setdefault(decision, Counter()).update(seen)
                everywhere.update(seen)
        self._known = {mark for mark, times in everywhere.items() if times > 1}
        self._sayable = [decision for decision, times in self._right.items() if times]

    def __call__(self, line: PublicLine) -> Iterator[Response]:
        """Yield, for each question of a row, a response with the most likely decision."""
        for question in VIEW.questions(line):
            seen = _marks(question) & self._known
            decision = max(self._sayable, key=lambda each: self._odds(each, seen), default=UNCLEAR)
            value = _value(question) if decision == VALUE else None
            is_empty = decision == VALUE and value is None
            yield VIEW.nothing(question) if is_empty else typed(question, decision, value)

    def _odds(self, decision: str, seen: set[str]) -> float:
        times, found = self._times[decision], self._found[decision]
        return log(self._right[decision]) + sum(log((found[mark] + 1) / (times + 2)) for mark in sorted(seen))


def _value(question: Asked) -> str | None:
    return next(reversed(values_of((mentioned(question),))), None)


def _marks(question: Asked) -> set[str]:
    texts = [_WORD.findall(text.lower()) for text in question.texts]
    pairs = {" ".join(pair) for text in texts for pair in pairwise(text)}
    asked = {f"?{word}" for word in _WORD.findall(question.prompt.lower())}
    return {
        *pairs,
        *asked,
        *(word for text in texts for word in text),
        *(f"<{kind}>" for kind in question.kinds),
    }
