"""Implicit resurrection (statebench 1.0.2): a dead decision lives on in advice, wording, a rounded number."""

from __future__ import annotations

import re

# In the order tried. The two with a capital I never match lower-cased text; so it is in the released scorer.
_ACTIONS = (
    "you should",
    "I recommend",
    "I suggest",
    "consider",
    "proceed with",
    "go ahead and",
    "please",
    "don't forget to",
    "make sure to",
    "you'll need to",
    "you can",
    "try to",
)
_STALE = ("still valid", "still applies", "hasn't changed", "remains in effect", "as previously")
_GO = ("proceed", "go ahead", "approve", "yes")
_STOP = ("cancel", "stop", "don't", "no")
_ABBREVIATED_DIGITS = 4  # numbers this long are also written with a k


def action(response: str) -> str | None:
    """The sentence that recommends something, None where none does."""
    lowered = response.lower()
    for cue in _ACTIONS:
        if (start := lowered.find(cue)) >= 0:
            end = response.find(".", start)
            return response[response.rfind(".", 0, start) + 1 : end + 1 if end >= 0 else None].strip()
    return None


def action_correctness(response: str, decision: str) -> tuple[bool, str]:
    """Whether the recommended action fits the decision.

    Args:
        response: The response as it was given.
        decision: The right decision; only words for yes and no can be told.

    Returns:
        (whether it fits, on which ground); it fits where nothing is recommended or nothing can be told.
    """
    sentence = action(response)
    if not sentence:
        return True, "no_action"
    sentence, decision = sentence.lower(), decision.lower()
    order: tuple[tuple[tuple[str, ...], bool, str], ...] = ()
    if decision in ("yes", "approve", "proceed"):
        order = ((_GO, True, "current_state"), (_STOP, False, "superseded_state"))
    elif decision in ("no", "deny", "cancel"):
        order = (((*_STOP, "deny"), True, "current_state"), (_GO, False, "superseded_state"))
    for words, right, ground in order:
        if any(word in sentence for word in words):
            return right, ground
    return True, "unclear"


def temporal_confusion(response: str) -> bool:
    """True where the response says that things are as they were."""
    lowered = response.lower()
    return any(cue in lowered for cue in _STALE)


def value_echoes(response: str, dead: list[str], current: list[str]) -> list[str]:
    """Dead numbers that come back abbreviated ("50000" as "50k").

    Args:
        response: The response as it was given.
        dead: Values that were superseded.
        current: Values that hold; a dead value that contains one of them is passed over.

    Returns:
        Each echo, described.
    """
    lowered = response.lower()
    return [
        f"Value echo: {value} -> {number[:-3]}k"
        for value in dead
        if not any(now in value for now in current)
        for number in re.findall(r"\d+", value)
        if len(number) >= _ABBREVIATED_DIGITS and f"{number[:-3]}k" in lowered
    ]
