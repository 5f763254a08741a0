"""Selects turns and notes for a context, without dead or restricted values, suppositions, questions, digressions.

A value is *dead* if it was superseded or ended, and *live* if a fact or the environment still has it.
"""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.statebench.context.standing import outranked
from evaluation.statebench.context.state import State
from evaluation.statebench.conversation import Focus
from evaluation.statebench.detection.slot import wording
from evaluation.statebench.detection.turn_features import TurnFeatures, turn_features
from evaluation.statebench.facts.authority import level
from evaluation.statebench.facts.classify import is_admitted
from evaluation.statebench.facts.layers import PersistentFact, WorkingSetItem
from evaluation.statebench.facts.scopes import GLOBAL
from evaluation.statebench.language.memo import lazily
from evaluation.statebench.language.overlap import FEW, Need, OverlapIndex, Parts, least_of
from evaluation.statebench.language.words import capitals, key_runs, runs, says

Stems = frozenset[str]
Keys = frozenset[tuple[str, str, str]]
Spoken = tuple[WorkingSetItem, TurnFeatures]  # a turn and its features

_RESTATES = 0.6  # a turn with this share of a dead value's words restates the value


def relevant(state: State, held: list[PersistentFact], *, filter_dead: bool = True) -> list[WorkingSetItem]:
    """Notes, then turns, each oldest first, that a context may show. `filter_dead` drops dead and overruled texts."""
    left_out = {fact.text for fact in state.store.facts.values()} | state.overruled | state.stored
    zone = state.zone if state.items else ""
    notes = [item for item in state.items if _is_at_hand(item, state) and item.is_live(state.now, zone)]
    candidates = [(item, turn_features(item.value)) for item in notes] if notes else []
    candidates += [pair for pair in _attended(state) if pair[1].states and pair[1].text not in left_out]
    reader = state.identity
    shown = [
        pair for pair in candidates if (limit := pair[1].restriction) is None or is_admitted(reader, limit)
    ]
    if filter_dead and shown:
        dead = Dead(state, held)
        shown = [pair for pair in shown if not dead.is_restated(pair[1])]
        below = outranked(shown, held, level(reader.authority))
        return [item for item, _ in shown if item.value not in below]
    return [item for item, _ in shown]


def _attended(state: State) -> Iterable[Spoken]:
    spoken: Iterable[Spoken] = zip(state.turns, state.heard, strict=True)
    if state.of_place:
        spoken = [pair for pair in spoken if _is_at_hand(pair[0], state)]
    if not any(features.digresses for features in state.heard):
        return spoken
    focus = Focus()
    return [(turn, features) for turn, features in spoken if focus.attends(features)]


def _is_at_hand(item: WorkingSetItem, state: State) -> bool:
    return item.scope == GLOBAL or (item.place in state.active and item.is_live(state.now, state.zone))


class Dead:
    """Recognises texts that restate a dead value: of a superseded or ended fact, or replaced in the environment.

    Drafted, supposed or hidden values, and values valid only elsewhere, count as dead if a text quotes them verbatim.
    """

    def __init__(self, state: State, held: list[PersistentFact]) -> None:
        self._facts = state.store.facts.values()
        live, gone, unreal = list(state.environment.values.values()), list(state.environment.dead), []
        seen = set(held) if state.active else None
        for fact in state.store.facts.values():
            if not fact.is_valid:
                gone.append(fact.text)
            elif fact.scope == GLOBAL if seen is None else fact in seen:
                live.append(fact.text)
            else:
                unreal.append(fact.text)
        self._live = [*map(turn_features, live)]
        self._words = words = _Live(self._live)
        self._gone = OverlapIndex(words.of_gone, _offered, map(turn_features, dict.fromkeys(gone)))
        self._unreal = OverlapIndex(words.of_unreal, _offered, map(turn_features, unreal)) if unreal else None
        self._rivals = [features for features in self._live if features.values]

    def is_restated(self, features: TurnFeatures) -> bool:
        """True if a text states a dead value that no live value repeats, or lists the history of a live value."""
        words, lowered, spoken = self._words, features.lowered, features.stems
        for gone in self._gone.find(features):
            if not features.keys and gone.lowered not in lowered and gone.stems.isdisjoint(spoken):
                continue
            if words.repeats(features, gone) and (
                not says(words.everything, gone.lowered) or self._is_told_of_dead(features, gone.lowered)
            ):
                return True
        for idea in self._unreal.find(features) if self._unreal is not None else ():
            if words.repeats(features, idea, verbatim=True) and not says(words.everything, idea.lowered):
                return True
        return bool(self._rivals and features.values) and self._lists_rivals(features)

    def _is_told_of_dead(self, features: TurnFeatures, value: str) -> bool:
        """True if a text plainly gives `value` to a key that had this value once but has it no longer."""
        told = features.given.get(value)
        return told is not None and any(
            names in told and not is_valid for names, is_valid in self._keys_of(value).items()
        )

    def _keys_of(self, value: str) -> dict[Stems, bool]:
        keys: dict[Stems, bool] = {}
        for fact in self._facts:
            if fact.text.lower() == value:
                names = wording(fact.key, fact.text).key_stems
                keys[names] = keys.get(names, False) or fact.is_valid
        return keys

    def _lists_rivals(self, features: TurnFeatures) -> bool:
        """True if a text names a live value and conflicting values of the same kind, as a history does."""
        rivals = [now for live in self._rivals if live.lowered in features.lowered for now in live.values]
        return bool(rivals) and any(value.conflicts(now) for now in rivals for value in features.values)


class _Live:
    def __init__(self, live: list[TurnFeatures]) -> None:
        self._live = live
        self._asked: Stems | None = None  # last argument of `_best_live`
        self._best = 0.0

    @lazily
    def everything(self) -> str:
        return "\n".join([features.lowered for features in self._live])

    @lazily
    def held(self) -> Keys:
        return frozenset().union(*[features.keys for features in self._live])

    @lazily
    def known(self) -> Stems:
        return frozenset().union(*[features.stems for features in self._live])

    def of_gone(self, gone: TurnFeatures) -> list[Need]:
        """Parts of a dead value that a text must contain to be a candidate restatement."""
        foreign = capitals(gone.text) - self.known
        return [*self.of_unreal(gone), (foreign, 1), (gone.stems, least_of(_RESTATES, len(gone.stems)))]

    def of_unreal(self, idea: TurnFeatures) -> list[Need]:
        """Like `of_gone`, for a value that counts as restated only verbatim."""
        said = key_runs(idea.lowered)
        return [(idea.keys - self.held, 1), (said, len(said))]

    def repeats(self, features: TurnFeatures, gone: TurnFeatures, *, verbatim: bool = False) -> bool:
        """True if a text repeats `gone` verbatim or by its numbers. Unless `verbatim`, names or most words suffice."""
        if features.keys and gone.keys and not features.keys & gone.keys <= self.held:
            return True
        if gone.lowered in features.lowered and says(features.lowered, gone.lowered):
            return True
        if verbatim:
            return False
        shared = features.stems & gone.stems
        if not shared:
            return False
        if len(shared) > 1 and not (shared & capitals(gone.text)) <= self.known:
            return True
        return self._mostly(shared, features, gone.stems)

    def _mostly(self, shared: Stems, features: TurnFeatures, gone: Stems) -> bool:
        share = len(shared) / len(gone)
        return share >= _RESTATES and self._best_live(features.stems) < share

    def _best_live(self, words: Stems) -> float:
        """Greatest share of a live value's words that are in `words`. Shares below `_RESTATES` may be ignored."""
        # Called for each dead value with the same words in turn.
        if self._asked is not words:
            few = len(self._live) <= FEW
            near = [live.stems for live in self._live if live.stems] if few else self._live_stems.find(words)
            shares = [len(words & live) / len(live) for live in near]
            self._asked, self._best = words, max(shares, default=0.0)
        return self._best

    @lazily
    def _live_stems(self) -> OverlapIndex[Stems, Stems]:
        return OverlapIndex(_of_live, frozenset, {live.stems for live in self._live if live.stems})


def _of_live(words: Stems) -> list[Need]:
    return [(words, least_of(_RESTATES, len(words)))]


def _offered(features: TurnFeatures) -> Parts:
    return features.stems.union(features.keys, runs(features.lowered))
