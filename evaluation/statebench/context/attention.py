"""Which turns and notes still matter: not what is dead, private, supposed, asked, or a digression.

Digressions nest like the attentional state of Grosz & Sidner (1986): an interruption opens one, a return
closes it.
"""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.statebench.context.state import State
from evaluation.statebench.detection.turn_features import TurnFeatures, turn_features
from evaluation.statebench.facts.classify import may_see
from evaluation.statebench.facts.layers import WorkingSetItem
from evaluation.statebench.facts.scopes import GLOBAL, UNREAL
from evaluation.statebench.language.lazily import lazily
from evaluation.statebench.language.words import capitals, says

Stems = frozenset[str]
Keys = frozenset[tuple[str, str, str]]
Spoken = tuple[WorkingSetItem, TurnFeatures]  # a turn and what is read off it

_RESTATES = 0.6  # share of a dead value's words that make a turn a restatement of it


def relevant(state: State, *, filter_dead: bool = True) -> list[WorkingSetItem]:
    """The turns and notes that may be shown, notes first, each oldest first."""
    recorded = {fact.text for fact in state.store.facts.values()}
    notes = [item for item in state.items if item.scope == GLOBAL and item.is_live(state.now)]
    told = [(item, turn_features(item.value)) for item in notes] if notes else []
    told += [pair for pair in _attended(state) if pair[1].states and pair[1].text not in recorded]
    shown = [pair for pair in told if may_see(state.identity, pair[1].text)]
    if filter_dead and shown:
        dead = Dead(state)
        return [item for item, said in shown if not dead.is_restated(said)]
    return [item for item, _ in shown]


def _attended(state: State) -> Iterable[Spoken]:
    """Turns outside finished or running digressions and exploratory stretches."""
    spoken = zip(state.turns, state.heard, strict=True)
    if not any(said.digresses for said in state.heard):
        return spoken
    attended = []
    digressing = exploring = False
    for turn, said in spoken:
        if not (digressing or exploring or said.digresses):
            attended.append((turn, said))
        elif said.interrupts:
            digressing = True
        elif digressing and said.resumes:
            digressing = False
        elif exploring:
            exploring = not said.closes_scope
        elif said.opens_scope:
            exploring = True
    return attended


class Dead:
    """What is dead in a state: values of superseded facts and replaced environment values. What is only drafted or
    supposed is as good as dead, where it is quoted. What holds in a task, a session or a project only is neither dead
    nor live.
    """

    def __init__(self, state: State) -> None:
        live, gone, unreal = list(state.environment.values.values()), list(state.environment.dead), []
        for fact in state.store.facts.values():
            if fact.is_valid and fact.scope == GLOBAL:
                live.append(fact.text)
            elif not fact.is_valid:
                gone.append(fact.text)
            elif fact.scope in UNREAL:
                unreal.append(fact.text)
        self._live = [turn_features(text) for text in live]
        self._gone = [turn_features(text) for text in dict.fromkeys(gone)] if gone else []
        self._unreal = [turn_features(text) for text in unreal]
        self._rivals = [said for said in self._live if said.values]

    def is_restated(self, features: TurnFeatures) -> bool:
        """True where words say a dead value that no live one repeats, or tell what a live one replaced."""
        for gone in self._gone:
            if self._repeats(features, gone) and not says(self._everything, gone.lowered):
                return True
        for idea in self._unreal:
            if self._repeats(features, idea, verbatim=True) and not says(self._everything, idea.lowered):
                return True
        return bool(self._rivals and features.values) and self._lists_rivals(features)

    def _repeats(self, said: TurnFeatures, gone: TurnFeatures, *, verbatim: bool = False) -> bool:
        """True where words say a value: verbatim or by numbers that nothing live has; also, unless only that is asked,
        by names that are dead, or by most of its words.
        """
        numbers = said.keys & gone.keys
        if numbers and not numbers <= self._held:
            return True
        if gone.lowered in said.lowered and says(said.lowered, gone.lowered):
            return True
        if verbatim:
            return False
        shared = said.stems & gone.stems
        if not shared:
            return False
        if len(shared) > 1 and not (shared & capitals(gone.text)) <= self._known:
            return True
        return self._mostly(shared, said, gone.stems)

    @lazily
    def _everything(self) -> str:
        return "\n".join([said.lowered for said in self._live])

    @lazily
    def _held(self) -> Keys:
        return frozenset().union(*[said.keys for said in self._live])

    @lazily
    def _known(self) -> Stems:
        return frozenset().union(*[said.stems for said in self._live])

    def _lists_rivals(self, said: TurnFeatures) -> bool:
        """True where words name the live value beside others of its kind: they tell the value's history."""
        told = [now for live in self._rivals if live.lowered in said.lowered for now in live.values]
        return bool(told) and any(value.conflicts(now) for now in told for value in said.values)

    def _mostly(self, shared: Stems, said: TurnFeatures, gone: Stems) -> bool:
        """True where most words of a dead value are repeated, and more of them than of any live one."""
        share = len(shared) / len(gone)
        if share < _RESTATES:
            return False
        return all(
            len(said.stems & live.stems) < share * len(live.stems) for live in self._live if live.stems
        )
