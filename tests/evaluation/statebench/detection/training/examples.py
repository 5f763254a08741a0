"""Training examples: turns with the slots they might supersede, and the slots they do."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evaluation.statebench.conformance.model.timelines import timeline_of
from evaluation.statebench.conformance.vectors import builtin
from evaluation.statebench.context.replay import replay, replay_all
from evaluation.statebench.detection.detector import RuleDetector, Turn
from evaluation.statebench.detection.learned.features import Observer, candidates, names
from evaluation.statebench.detection.learned.listener import is_certain, is_plain, tells_something
from evaluation.statebench.detection.learned.reading import read
from evaluation.statebench.detection.rules import EXPLICIT, Match
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.generator.tracks import TRACKS, generate
from evaluation.statebench.records import Timeline
from tests.evaluation.statebench import reference_state
from tests.evaluation.statebench.detection.blind import is_same
from tests.evaluation.statebench.detection.training import RULED, Scene
from tests.evaluation.statebench.writing import fact, say, timeline

_VECTORS = 123  # of the suite, those of revision 3: what takeovers settle is nothing to learn
_SEEDS, _EACH, _DRAWN = (
    3,
    14,
    150,
)  # templated timelines: seeds of the generator, timelines a track, drawn ones
_TEMPLATED_WEIGHT = 0.3  # they repeat each other
_RULED_WEIGHT = 0.5  # of turns for which rules were written, see `RULED`
_FOLDS = 8
TEMPLATED = "templated"


@dataclass(frozen=True, slots=True)
class Example:
    """A turn. `moods` are its own features, `slots` those of each slot; `gold` the slots that it supersedes.

    `changes`: whether it supersedes anything; `ruled`: whether the rules say so; `certain`: whether the model should
    hardly doubt the rules; `plain`: whether it must not; `tells`: whether the turn asserts anything.
    """

    of: str
    fold: int
    text: str
    moods: tuple[str, ...]
    slots: tuple[tuple[str, ...], ...]
    gold: frozenset[int]
    changes: bool
    ruled: bool
    certain: bool
    tells: bool
    plain: bool = False
    weight: float = 1.0

    @property
    def can_be_learned(self) -> bool:
        """False if the turn supersedes something that is not a slot."""
        return bool(self.gold) or not self.changes


def fold_of(name: str, scene: Scene) -> int:
    """The fold of the cross-validation that a scene belongs to.

    Args:
        name: The name of its set.
        scene: The scene.
    """
    return zlib.crc32(f"{name}/{scene['id']}".encode()) % _FOLDS


class _Teacher:
    """A detector that returns the changes noted in a scene, and records the possible ones of each turn."""

    def __init__(self, name: str, scene: Scene) -> None:
        self._rules, self._scene = RuleDetector(), scene
        self._of, self._fold = name, fold_of(name, scene)
        self.examples: list[Example] = []

    def hears(self, text: str) -> bool:
        return True

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Sequence[Match]:
        changed = [change["old"] for change in self._scene["changes"] if change["turn"] == turn.index]
        near = candidates(read(turn.text), slots)
        gold = {slot.id: slot for old in changed for slot in _holders(old, near)}
        found = self._rules.detect(turn, slots)
        self.examples.append(
            _example(turn.text, near, found, self._of, self._fold, frozenset(gold), bool(changed))
        )
        return [Match(slot, EXPLICIT, 0.9, turn.text) for slot in gold.values()]


def _holders(old: str, slots: Sequence[Slot]) -> list[Slot]:
    """The slots with a value; else those that had it before they were refilled."""
    holding = [slot for slot in slots if is_same(old, slot.text)]
    return (
        holding[-1:]
        or [slot for slot in slots if any(is_same(old, former) for former in slot.former or ())][-1:]
    )


def _example(
    text: str,
    slots: Sequence[Slot],
    found: Sequence[Match],
    of: str,
    fold: int,
    gold: frozenset[str],
    changes: bool,
) -> Example:
    words = read(text)
    observer = Observer(words, slots, found)
    return Example(
        of=of,
        fold=fold,
        text=text,
        moods=words.names,
        slots=tuple(_names(observer, at, of) for at in range(len(slots))),
        gold=frozenset(at for at, slot in enumerate(slots) if slot.id in gold),
        changes=changes,
        ruled=bool(found),
        certain=bool(found) and is_certain(text, found[0]),
        tells=tells_something(text),
        plain=bool(found) and is_plain(text, found[0]),
        weight=_TEMPLATED_WEIGHT if of == TEMPLATED else _RULED_WEIGHT if of in RULED else 1.0,
    )


def _names(observer: Observer, at: int, of: str) -> tuple[str, ...]:
    """The features of a slot. Features of rules are used only for turns that no rule was made for."""
    knows = of == TEMPLATED or of in RULED
    found = [name for key in observer.observed(at) for name in names(key)]
    return tuple(name for name in found if not (knows and name.startswith("rule")))


def free_talk(scenes: Iterable[tuple[str, Scene]]) -> Iterator[Example]:
    """The turns of scenes, in the states after all earlier changes were understood."""
    for name, scene in scenes:
        teacher = _Teacher(name, scene)
        facts = [fact(given["key"], given["value"]) for given in scene["facts"]]
        replay(timeline(*map(say, scene["turns"]), facts=facts, query="?"), detector=teacher)
        yield from teacher.examples


class _Recorder(RuleDetector):
    """The rules, recording each turn they judge: on templated talk they are the teacher."""

    def __init__(self) -> None:
        self.examples: dict[object, Example] = {}

    def hears(self, text: str) -> bool:
        super().hears(text)
        return True

    def detect(self, turn: Turn, slots: Sequence[Slot]) -> Sequence[Match]:
        found = super().detect(turn, slots)
        if slots and turn.index >= 0:
            near, gold = candidates(read(turn.text), slots), frozenset(match.slot.id for match in found)
            example = _example(turn.text, near, found, TEMPLATED, -1, gold, bool(found))
            key = (turn.text, *[(slot.key, slot.text) for slot in near])
            if example.can_be_learned:
                self.examples[key] = example
        return found


def templated_talk() -> list[Example]:
    """The turns of templated timelines, each once: of the release, the generator and the conformance suite."""
    recorder = _Recorder()
    for row in _templated():
        for _ in replay_all(row, detector=recorder):
            pass
    return list(recorder.examples.values())


def _templated() -> Iterator[Timeline]:
    yield from reference_state.dev()
    for seed in range(_SEEDS):
        yield from generate(list(TRACKS), _EACH, seed)
    yield from (vector["timeline"] for vector in builtin()[:_VECTORS])
    yield from (timeline_of(1, number) for number in range(_DRAWN))
