"""Renaming: the names, values, ids and steps that one text has of its own, so that it shares none with its relatives.

Texts of a unit (an episode and its twin, the rows under each condition, the lengths of a ladder) tell the same story.
From revision 3 of the generator each tells it under a renaming of its own, drawn from the seed of the version: every
map is a bijection and can be undone by who knows its salt, which the grading record keeps, so that pairs stay pairs.

    tag.07 -> tag.41           parity stays: odd tags are never ordered about (see `distractors`)
    amber-0042 -> teal-3917    the word, and each digit by its place: values that differ in a digit go on doing so
    item0042,item0107          each member, sorted again
    nova-137 -> vega-502       like a colour
    12 -> 315                  a count moves by a constant
    U00AB12 -> U7F30C9         ids; `U000000` stays free, as no line has it
    step=17 -> step=25         in order, with other gaps
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Final

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.modes import COLORS, STARS
from evaluation.goldevidence.generator.prf import below, draw

SALT_BYTES: Final = 8
#: Permutations at hand, of which each map takes one: a byte chooses it.
BANK: Final = 256
LARGEST_SHIFT: Final = 1000  # of counts
ROUNDS: Final = 3
_IDS: Final = (1 << 24) - 1
_HALF: Final = 12
_TAG = re.compile(r"tag\.(\d{2,})")
_WORDS = {word: place for words in (COLORS, STARS) for place, word in enumerate(words)}
_NUMBERED = re.compile(rf"({'|'.join(_WORDS)})-(\d+)")
_MEMBER = re.compile(r"item(\d{4})")
_COUNT = re.compile(r"-?\d{1,18}")


def salt_named(*names: object) -> bytes:
    """The salt of a renaming.

    Args:
        names: What it is drawn by: those of the episode, and what tells its texts apart.
    """
    return blake2b("\x1f".join(map(str, names)).encode(), digest_size=SALT_BYTES).digest()


class Renaming:
    """One renaming. Texts that it cannot rename (an answer that is no value of its mode) stay as they are."""

    __slots__ = ("_drawn", "mode", "salt")

    def __init__(self, salt: bytes, mode: str) -> None:
        """
        Args:
            salt: What it is drawn by, of `SALT_BYTES` bytes.
            mode: The state mode, which says what values look like.
        """
        self.salt, self.mode = salt, mode
        self._drawn = blake2b(salt, digest_size=12 + 6 * ROUNDS, person=b"renaming").digest()

    def tag(self, key: str) -> str:
        """The name of a tag."""
        return self._tag(key, lambda number: _tags()[self._drawn[0]][_tags()[self._drawn[1]][number]])

    def tags_in(self, text: str) -> str:
        """A text with every tag renamed."""
        return _TAG.sub(lambda found: self.tag(found[0]), text)

    def value(self, value: str) -> str:
        """A value of the mode."""
        if self.mode == "set":
            return _sorted_members(value, lambda digits: self._digits(digits, _digits()))
        if self.mode == "counter":
            return str(int(value) + self._shift) if _COUNT.fullmatch(value) else value
        return self._numbered(value, _digits())

    def uid(self, uid: str) -> str:
        """The id of a line."""
        number = self._mixed(int(uid[1:], 16))
        while not number:  # the id that no line has
            number = self._mixed(number)
        return f"U{number:06X}"

    def entry(self, entry: Entry, step: int) -> Entry:
        """A ledger entry at a step of the text."""
        uid, _, op, key, value = entry
        return Entry(self.uid(uid), step, op, self.tag(key), None if value is None else self.value(value))

    def tag_before(self, key: str) -> str:
        """The tag that has this name."""
        return self._tag(
            key, lambda number: _tags_back()[self._drawn[1]][_tags_back()[self._drawn[0]][number]]
        )

    def value_before(self, value: str, op: str | None = None) -> str:
        """The answer that is renamed to this one.

        Args:
            value: An answer to a question about the renamed text.
            op: What is derived from a value; None: it is one.
        """
        match op:
            case "reports":
                return ",".join(sorted(map(self.tag_before, value.split(","))))
            case "parity":
                swapped = {"even": "odd", "odd": "even"} if self._shift % 2 else {}
                return swapped.get(value, value)
            case "color":
                return self._word(value, _digits_back())
            case None:
                return self._value_before(value)
            case _:  # a number of members says nothing of their names
                return value

    def uid_before(self, uid: str) -> str:
        """The id that is renamed to this one; a text that is no id stays as it is."""
        if not re.fullmatch(r"U[0-9A-F]{6}", uid) or not (number := int(uid[1:], 16)):
            return uid
        number = self._unmixed(number)
        while not number:
            number = self._unmixed(number)
        return f"U{number:06X}"

    def _value_before(self, value: str) -> str:
        if self.mode == "set":
            return _sorted_members(value, lambda digits: self._digits(digits, _digits_back()))
        if self.mode == "counter":
            return str(int(value) - self._shift) if _COUNT.fullmatch(value) else value
        return self._numbered(value, _digits_back())

    @property
    def _shift(self) -> int:
        return int.from_bytes(self._drawn[8:10]) % LARGEST_SHIFT

    def _tag(self, key: str, renamed: Callable[[int], int]) -> str:
        found = _TAG.fullmatch(key)
        if found is None:
            return key
        hundreds, number = divmod(int(found[1]), 100)
        return f"tag.{100 * hundreds + renamed(number):02d}"

    def _numbered(self, value: str, bank: Bank) -> str:
        found = _NUMBERED.fullmatch(value)
        return f"{self._word(found[1], bank)}-{self._digits(found[2], bank)}" if found else value

    def _word(self, word: str, bank: Bank) -> str:
        if (place := _WORDS.get(word)) is None:
            return word
        return (COLORS if word in COLORS else STARS)[bank[self._drawn[2]][place]]

    def _digits(self, digits: str, bank: Bank) -> str:
        """Each digit by its place; places behind the fifth are renamed like the first ones."""
        return "".join(
            str(bank[self._drawn[3 + place % 5]][ord(digit) - 48]) for place, digit in enumerate(digits)
        )

    def _round(self, number: int) -> tuple[int, int]:
        """The odd factor and the summand of a round."""
        at = 12 + 6 * number
        drawn = self._drawn
        return int.from_bytes(drawn[at : at + 3]) | 1, int.from_bytes(drawn[at + 3 : at + 6])

    def _mixed(self, number: int) -> int:
        for each in range(ROUNDS):
            factor, summand = self._round(each)
            number = (number * factor + summand) & _IDS
            number ^= number >> _HALF
        return number

    def _unmixed(self, number: int) -> int:
        for each in reversed(range(ROUNDS)):
            factor, summand = self._round(each)
            number ^= number >> _HALF  # undoes itself: the half that was shifted in is untouched
            number = ((number - summand) * pow(factor, -1, _IDS + 1)) & _IDS
        return number


Bank = Sequence[Sequence[int]]


class Renamings:
    """Renamings one after the other, as a grading record names them: to compare answers to texts of one unit."""

    def __init__(self, named: str, mode: str) -> None:
        """
        Args:
            named: As `name_of` makes it.
            mode: The state mode.
        """
        self._undone = [Renaming(bytes.fromhex(salt), mode) for salt in reversed(named.split(","))]

    def tag_before(self, key: str) -> str:
        """The tag in the episode as it was before any renaming."""
        for each in self._undone:
            key = each.tag_before(key)
        return key

    def value_before(self, value: str, op: str | None = None) -> str:
        """The answer, given about the episode as it was before any renaming; see `Renaming.value_before`."""
        for each in self._undone:
            value = each.value_before(value, op)
        return value

    def uid_before(self, uid: str) -> str:
        """The id in the episode as it was before any renaming."""
        for each in self._undone:
            uid = each.uid_before(uid)
        return uid


@lru_cache(maxsize=4096)
def renamings(named: str, mode: str) -> Renamings:
    """The renamings of a text, in the order in which they were made.

    Args:
        named: Their salts, hexadecimal, with commas between them.
        mode: The state mode.
    """
    return Renamings(named, mode)


def renamed_steps(salt: bytes, steps: Iterable[int]) -> dict[int, int]:
    """Steps in the same order with other gaps, of about the same width on average.

    Args:
        salt: Of the renaming.
        steps: In any order; those that are equal stay equal.
    """
    ordered = sorted(set(steps))
    dice = draw(salt.hex(), "steps", rows=len(ordered), faces=1)
    last = reached = 0
    renamed = {}
    for step, (die,) in zip(ordered, dice, strict=True):
        reached += 1 + below(die, 2 * (step - last))
        last = step
        renamed[step] = reached
    return renamed


def _sorted_members(value: str, renamed: Callable[[str], str]) -> str:
    members = value.split(",")
    if not all(map(_MEMBER.fullmatch, members)):
        return value
    return ",".join(sorted(f"item{renamed(member[4:])}" for member in members))


@cache
def _digits() -> Bank:
    """Permutations of ten."""
    return [_permutation(list(range(10)), "digits", number) for number in range(BANK)]


@cache
def _digits_back() -> Bank:
    return [_inverse(each) for each in _digits()]


@cache
def _tags() -> Bank:
    """Permutations of a hundred that keep odd numbers odd."""
    return [
        [number for pair in zip(even, odd, strict=True) for number in pair]
        for even, odd in (
            [_permutation(list(range(side, 100, 2)), "tags", number, side) for side in (0, 1)]
            for number in range(BANK)
        )
    ]


@cache
def _tags_back() -> Bank:
    return [_inverse(each) for each in _tags()]


def _permutation(numbers: list[int], *names: object) -> list[int]:
    for place, (die,) in enumerate(draw("renaming", *names, rows=len(numbers), faces=1)):
        other = place + below(die, len(numbers) - place)
        numbers[place], numbers[other] = numbers[other], numbers[place]
    return numbers


def _inverse(permutation: Sequence[int]) -> list[int]:
    inverse = [0] * len(permutation)
    for place, number in enumerate(permutation):
        inverse[number] = place
    return inverse
