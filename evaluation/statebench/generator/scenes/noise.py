"""Generates unrelated talk that changes nothing: turns about slots of other objects, up to a length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evaluation.core.rng import Stream
from evaluation.statebench.generator.scenes.acts import Act, Kind, Role
from evaluation.statebench.generator.scenes.cast import Cast, Objects, Slot, nouns_of
from evaluation.statebench.generator.scenes.phrases import SAID
from evaluation.statebench.generator.scenes.values import draw_value
from evaluation.statebench.generator.scenes.vocabulary import LABELS, OTHER_TITLES, Domain, Noun

OBJECTS, PEOPLE, VALUES = 40, 30, 50  # per timeline; values per slot
#: First number of a slot of unrelated talk.
FIRST_SLOT = 10
_KINDS = (
    *(Kind.SET,) * 4,
    *(Kind.PROPOSE,) * 2,
    Kind.CORRECT,
    Kind.WITHDRAW,
    Kind.ROLLBACK,
    Kind.RECALL,
    Kind.HEARSAY,
    Kind.ASK,
    Kind.SUPPOSE,
)


class Aside(NamedTuple):
    """A turn about a slot that no question is about."""

    kind: Kind
    slot: int
    value: int  # index
    text: str

    @property
    def act(self) -> Act:
        return Act(self.kind, self.slot, Role.BYSTANDER, self.value)


class Noise:
    def __init__(
        self, matter: str, noun: Noun, domain: Domain, objects: Objects, cast: Cast, draw: Stream
    ) -> None:
        """Draw slots for unused `objects`. Half of the slots have the plot's `noun`. `cast` keeps names unique."""
        self._draw = draw
        others = [*nouns_of(matter, domain), *domain.quantities]
        things = [objects.new() for _ in range(min(OBJECTS, objects.left))]
        called = [(noun if number % 2 else draw.choice(others), thing) for number, thing in enumerate(things)]
        self.slots = [Slot(f"{noun.text} {thing}", thing, noun) for noun, thing in called]
        self._speakers = [f"[{cast.new_name()} ({draw.choice(OTHER_TITLES)})]: " for _ in range(PEOPLE)]
        self._values = [_values_of(slot.noun, draw) for slot in self.slots]
        self._phrases = [
            [(kind, [_phrased(text, slot) for text in SAID[kind]]) for kind in _KINDS] for slot in self.slots
        ]

    def asides(self, tokens: int) -> Iterator[Aside]:
        """Yield turns with at least `tokens` whitespace-separated tokens in total."""
        # One draw of 64 bits is split into all choices of an aside: long timelines have thousands of them.
        bits, spent = self._draw.bits, 0
        slots, speakers = len(self.slots), len(self._speakers)
        while spent < tokens:
            die = bits()
            at = (die & 0xFFFF) * slots >> 16
            kind, phrases = self._phrases[at][(die >> 16 & 0xFFFF) * len(_KINDS) >> 16]
            values = self._values[at]
            value = (die >> 32 & 0xFFF) * len(values) >> 12
            said = phrases[(die >> 44 & 0x3FF) * len(phrases) >> 10].replace("{v}", values[value])
            text = self._speakers[(die >> 54) * speakers >> 10] + said
            spent += text.count(" ") + 1
            yield Aside(kind, FIRST_SLOT + at, value, text)


def _values_of(noun: Noun, draw: Stream) -> list[str]:
    if noun.kind in LABELS:
        return list(LABELS[noun.kind])
    return [draw_value(draw, noun) for _ in range(VALUES)]


def _phrased(text: str, slot: Slot) -> str:
    return text.replace("{slot}", slot.text).replace("{Slot}", slot.text[0].upper() + slot.text[1:])
