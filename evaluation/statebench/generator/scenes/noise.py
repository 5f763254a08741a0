"""Other people's business: turns about the same kinds of slots of other objects, as many as a length takes.

They change nothing: what they settle, propose or take back belongs to slots that nothing is asked about, and no plot
depends on them. They name their slot each time, and the plots told among them name theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evaluation.core.rng import Stream
from evaluation.statebench.generator.scenes.acts import Act, Kind, Role
from evaluation.statebench.generator.scenes.cast import Cast, Objects, Slot, nouns_of
from evaluation.statebench.generator.scenes.phrases import SAID
from evaluation.statebench.generator.scenes.values import draw_value
from evaluation.statebench.generator.scenes.vocabulary import LABELS, OTHER_TITLES, Domain, Noun

OBJECTS, PEOPLE, VALUES = 40, 30, 50  # at hand for a timeline; values of a slot
#: The first number of a slot that nothing is asked about.
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
    """A turn about a slot that nothing is asked about."""

    kind: Kind
    slot: int  # its number
    value: int  # its number
    text: str

    @property
    def act(self) -> Act:
        """What it is as an act of a plot, for the oracle."""
        return Act(self.kind, self.slot, Role.BYSTANDER, self.value)


class Noise:
    """The asides of a timeline, drawn one after the other."""

    def __init__(
        self, matter: str, noun: Noun, domain: Domain, objects: Objects, cast: Cast, draw: Stream
    ) -> None:
        """
        Args:
            matter: What the plot is about.
            noun: What its slots are called: so are half of these.
            domain: The domain.
            objects: Those that are left.
            cast: The people of the plot, who say none of this.
            draw: The random stream.
        """
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
        """Asides of at least so many whitespace tokens together, none where none are asked for."""
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
