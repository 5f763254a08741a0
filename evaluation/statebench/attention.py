"""Which turns and notes still matter: not what is dead, private, supposed, asked, or a digression.

Digressions nest like the attentional state of Grosz & Sidner (1986): an interruption opens one, a return
closes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.statebench import classify
from evaluation.statebench.layers import WorkingSetItem
from evaluation.statebench.speech import Speech, speech
from evaluation.statebench.state import State
from evaluation.statebench.words import capitals, says

Stems = frozenset[str]

_RESTATES = 0.6  # share of a dead value's words that make a turn a restatement of it


def relevant(state: State, *, filter_dead: bool = True) -> list[WorkingSetItem]:
    """The turns and notes that may be shown, notes first, each oldest first."""
    items = [item for item in state.items if item.scope == classify.GLOBAL and item.is_live(state.now)]
    recorded = {fact.text for fact in state.store}
    turns = [
        turn for turn in _attended(state.turns) if turn.value not in recorded and speech(turn.value).told
    ]
    shown = [item for item in (*items, *turns) if classify.may_see(state.identity, item.value)]
    if not filter_dead or not shown:
        return shown
    dead = Dead(state)
    return [item for item in shown if not dead.is_restated(speech(item.value))]


def _attended(turns: list[WorkingSetItem]) -> Iterator[WorkingSetItem]:
    """Turns outside finished or running digressions and exploratory stretches."""
    digressing = exploring = False
    for turn in turns:
        said = speech(turn.value)
        if said.interrupts:
            digressing = True
        elif digressing and said.resumes:
            digressing = False
        elif exploring:
            exploring = not said.closes_scope
        elif said.opens_scope:
            exploring = True
        elif not digressing:
            yield turn


class Dead:
    """What is dead in a state: values of superseded facts and replaced environment values."""

    def __init__(self, state: State) -> None:
        live, gone = list(state.environment.values.values()), list(state.environment.dead)
        for fact in state.store:
            (live if fact.is_valid else gone).append(fact.text)
        self._live = [speech(text) for text in live]
        self._gone = []
        if gone:
            held = frozenset().union(*[said.keys for said in self._live])
            everything = "\n".join([said.lowered for said in self._live])
            known = frozenset().union(*[said.stems for said in self._live])
            self._gone = [
                (said.lowered, said.stems, said.keys - held, capitals(text) - known)
                for text in dict.fromkeys(gone)
                if not says(everything, (said := speech(text)).lowered)
            ]

    def is_restated(self, said: Speech) -> bool:
        """True where words say a dead value: verbatim, by its numbers or names, or by most of its words."""
        for gone, words, lost, names in self._gone:
            if not lost.isdisjoint(said.keys) or says(said.lowered, gone):
                return True
            shared = said.stems & words
            if shared and (self._mostly(shared, said, words) or (len(shared) > 1 and shared & names)):
                return True
        return bool(said.values) and self._lists_rivals(said)

    def _lists_rivals(self, said: Speech) -> bool:
        """True where words name the live value beside others of its kind: they tell the value's history."""
        told = [live for live in self._live if live.lowered in said.lowered]
        return any(value.conflicts(now) for live in told for value in said.values for now in live.values)

    def _mostly(self, shared: Stems, said: Speech, gone: Stems) -> bool:
        """True where most words of a dead value are repeated, and more of them than of any live one."""
        share = len(shared) / len(gone)
        if share < _RESTATES:
            return False
        return all(
            len(said.stems & live.stems) < share * len(live.stems) for live in self._live if live.stems
        )
