"""A single comparison, and the function that makes one.

A checker is called with (answer, expected, vector). It may raise AnswerError.

Args:
    answer: What the implementation answered.
    expected: What the vector expects, in the shape that the expectation takes.
    vector: The vector as a whole.

Returns:
    One check per comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.statebench.conformance.checks.reading import CheckedAnswer


@dataclass(frozen=True, slots=True)
class Check:
    """What was expected, whether it holds, and what was seen (empty: the expectation says it all).

    `of` names the vector's expectation behind it.
    """

    expectation: str
    passed: bool
    seen: str
    of: str = ""


#: (answer, what the vector expects, the vector) -> its checks. May raise AnswerError.
Checker = Callable[[CheckedAnswer, Any, Mapping[str, Any]], Iterator[Check]]
