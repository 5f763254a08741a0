"""Determines the decision that a response states. Texts are in the normal form of their rubric."""

from __future__ import annotations

import re
from collections.abc import Mapping

from evaluation.statebench.language.words import bounded_pattern, first_start

Decision = tuple[str | None, bool]  # (decision or None if not recognised, True if expected)

_YES = ("yes", "go ahead", "proceed", "approved", "can do", "will do")
_NO = ("no", "don't", "do not", "cannot", "should not", "shouldn't", "stop", "hold off")
_NO_2 = (*_NO, "not possible", "not permitted", "exceeds")
_REFUSALS = (
    "not specified",
    "not provided",
    "no information",
    "cannot determine",
    "insufficient",
    "unclear",
    "not available",
    "not mentioned",
    "unknown",
)
_SUBSTANTIVE_WORDS = 5
_NOWHERE = 999  # judge 2.0.0 gives an absent signal this position

_OPENING = re.compile(r"^\W*(yes|no)\b(?! (?:problem|doubt|worries|longer|later|more|less)\b)")
_NEGATION = re.compile(r"\b(?:not|never|without|nor|no longer|neither)\b[^.;!?]{0,25}$")
_CLAUSE_END = re.compile(r"[.;!?](?:\s|$)|\bbut\b|\bnow\b|\binstead\b(?! of)")
_BOUNDED_YES, _BOUNDED_NO = (
    {signal: bounded_pattern(signal) for signal in signals} for signals in (_YES, _NO_2)
)
_STRICT_NO = {"no": re.compile(r"\bno\b(?=\s*(?:[.,;:!?)–—-]|$))")} | {
    signal: bounded_pattern(signal)
    for signal in (
        *(f"{verb} not" for verb in ("do", "should", "can", "must", "may")),
        *("stop", "hold off", "declined", "rejected", "denied"),
    )
}


def decide_released(response: str, expected: str) -> Decision:
    """Decide like judge 1.0.2. Both texts are in `released_form`.

    The first signal for yes or no decides, even inside a word. Any other expected decision must occur in the
    response.
    """
    if expected not in ("yes", "no"):
        return _quoted(response, expected)
    yes = min((at for signal in _YES if (at := response.find(signal)) >= 0), default=None)
    no = min((at for signal in _NO if (at := response.find(signal)) >= 0), default=None)
    if yes is None and no is None:
        return None, False
    decision = "yes" if no is None or (yes is not None and yes < no) else "no"
    return decision, decision == expected


def decide_bounded(response: str, expected: str) -> Decision:
    """Decide like judge 2.0.0. Both texts are in `released_form`.

    Signals for yes and no are whole words, and an explicit yes or no has priority. A long text without signals is a yes
    unless it refuses to answer. An expected decision other than yes or no must occur in the response.
    """
    if expected not in ("yes", "no"):
        return _quoted(response, expected)
    yes, no = _first(response, _BOUNDED_YES), _first(response, _BOUNDED_NO)
    if yes is None and no is None:
        long = len(response.split()) >= _SUBSTANTIVE_WORDS
        decision = "yes" if long and not any(refusal in response for refusal in _REFUSALS) else None
    elif yes is None or no is None:
        decision = "no" if yes is None else "yes"
    else:
        decision = _settle(response, yes, no)
    return decision, decision == expected


def decide_strict(response: str, expected: str) -> Decision:
    """Decide yes or no by our own rules. Both texts are in `strict_form`.

    A yes or no at the start decides, else the first signal. A negated signal for yes is a no ("not approved").
    """
    if opening := _OPENING.match(response):
        return opening[1], opening[1] == expected
    no, yes = _first(response, _STRICT_NO), _first(response, _BOUNDED_YES)
    if yes is None:
        decision = None if no is None else "no"
    else:
        denied = (no is not None and no < yes) or _NEGATION.search(response[:yes]) is not None
        decision = "no" if denied else "yes"
    return decision, decision == expected


def contradicts(response: str, expected: str) -> bool:
    """True if the response decides the opposite of the yes or no that opens `expected`. Both are in `strict_form`."""
    opening = _OPENING.match(expected)
    decision, same = decide_strict(response, opening[1]) if opening else (None, True)
    return decision is not None and not same


def last_clause(text: str) -> str:
    """Return the last clause of a text. A negation in an earlier clause should have no effect."""
    return _CLAUSE_END.split(text)[-1]


def _quoted(response: str, expected: str) -> Decision:
    return (expected, True) if expected in response else (None, False)


def _settle(response: str, yes: int, no: int) -> str:
    said_no, said_yes = (bounded_pattern(word).search(response) for word in ("no", "yes"))
    if bool(said_no) != bool(said_yes):
        return "no" if said_no else "yes"
    return "no" if min(no, _NOWHERE) < min(yes, _NOWHERE) else "yes"


def _first(response: str, signals: Mapping[str, re.Pattern[str]]) -> int | None:
    present = [
        first_start(response, signal, pattern) for signal, pattern in signals.items() if signal in response
    ]
    return min((start for start in present if start is not None), default=None)
