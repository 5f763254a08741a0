"""Which turns still matter: not what is dead, private, hypothetical, a mere question, or a finished digression.

Digressions nest like the attentional state of Grosz & Sidner (1986): an interruption opens one, a return closes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from evaluation.statebench import classify
from evaluation.statebench.detection.clause import is_question
from evaluation.statebench.layers import WorkingSetItem
from evaluation.statebench.state import State
from evaluation.statebench.values import Value, find_values
from evaluation.statebench.words import says, stems

_INTERRUPTS = re.compile(
    r"^(?:(?:sorry|wait|oh|ok|okay|um|quick)[, ]+)*(?:hold on|hang on|one (?:sec|second|moment|minute)|just a (?:sec|second|moment|minute)"
    r"|brb|be right back|something (?:else )?(?:just )?came up|need to step away|excuse me|quick (?:interruption|detour|aside)|side ?(?:note|bar)"
    r"|parking this|putting this aside)\b\s*(?:[-–—:,.!]|$)",
    re.IGNORECASE,
)
_RESUMES = re.compile(
    r"\b(?:back to|returning to|let's (?:return|get back)|continuing|resuming|picking (?:\w+ )?up (?:again|where)|where were we|as we were saying)\b",
    re.IGNORECASE,
)
_RESTATES = 0.6  # share of a dead value's words that make a turn a restatement of it
_PRIVATE = re.compile(r"\bignore (?:all )?(?:previous|prior|earlier) instructions\b|\badmin mode\b", re.IGNORECASE)


def relevant_turns(state: State) -> list[WorkingSetItem]:
    """The turns that may be shown, oldest first."""
    dead = Dead(state)
    recorded = {fact.text for fact in state.store}
    return [
        turn
        for turn in _attended(state.turns)
        if turn.value not in recorded
        and not is_question(turn.value)
        and not _PRIVATE.search(turn.value)
        and classify.turn_scope(turn.value) == classify.GLOBAL
        and classify.may_see(state.identity, turn.value)
        and not dead.is_restated(turn.value)
    ]


def relevant_items(state: State) -> list[WorkingSetItem]:
    """The scratch notes that may be shown: live, of no closed scope, not restating what is dead."""
    dead = Dead(state)
    return [
        item
        for item in state.items
        if item.is_live(state.now)
        and item.scope == classify.GLOBAL
        and classify.may_see(state.identity, item.value)
        and not dead.is_restated(item.value)
    ]


def _attended(turns: list[WorkingSetItem]) -> Iterator[WorkingSetItem]:
    """Turns outside finished or running digressions and exploratory stretches."""
    digressing = exploring = False
    for turn in turns:
        text = turn.value
        if _is_interruption(text):
            digressing = True
        elif digressing and _RESUMES.search(text):
            digressing = False
        elif exploring:
            exploring = not classify.closes_scope(text)
        elif classify.opens_scope(text):
            exploring = True
        elif not digressing:
            yield turn


@lru_cache(maxsize=65536)
def _is_interruption(text: str) -> bool:
    return _INTERRUPTS.match(text) is not None


class Dead:
    """What is dead in a state: values of superseded facts and replaced environment values."""

    def __init__(self, state: State) -> None:
        live = [fact.text for fact in state.store if fact.is_valid] + list(state.environment.values.values())
        gone = [fact.text for fact in state.store if not fact.is_valid] + state.environment.dead
        self._live_words = [stems(text) for text in live]
        self._live = [(text.lower(), find_values(text)) for text in live]
        self._live_values = {_key(value) for text in live for value in find_values(text)}
        lowered = [text.lower() for text in live]
        self._gone = [
            (text.lower(), stems(text), [value for value in find_values(text) if _key(value) not in self._live_values])
            for text in dict.fromkeys(gone)
            if not any(text.lower() in alive for alive in lowered)
        ]

    def is_restated(self, text: str) -> bool:
        """True where a text says a dead value, verbatim, by its numbers, or by most of its words."""
        found = find_values(text)
        lowered, words, values = text.lower(), stems(text), {_key(value) for value in found}
        return self._lists_rivals(lowered, found) or any(
            says(lowered, gone)
            or any(_key(value) in values for value in lost)
            or self._mostly(words, gone_words)
            for gone, gone_words, lost in self._gone
        )

    def _lists_rivals(self, lowered: str, found: tuple[Value, ...]) -> bool:
        """True where a text names the live value beside others of its kind: it tells the value's history."""
        return any(
            says(lowered, live) and any(value.conflicts(held) for value in found for held in held_values)
            for live, held_values in self._live
            if held_values
        )

    def _mostly(self, words: frozenset[str], gone: frozenset[str]) -> bool:
        """True where a text repeats most words of a dead value, and more of them than of any live one."""
        share = len(words & gone) / len(gone) if gone else 0.0
        return share >= _RESTATES and all(len(words & live) / max(1, len(live)) < share for live in self._live_words)


def _key(value: Value) -> tuple[str, str, str]:
    return value.kind, value.canon, value.unit
