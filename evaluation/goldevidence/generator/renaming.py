"""Renames the tags, values, ids and steps of one text, so that it shares none with related texts.

Texts of a unit (an episode and its twin, the rows under each condition, the lengths of a ladder) have the same plot.
From revision 3 of the generator on, each text uses its own renaming, drawn from the seed of the version. Every map is a
bijection. The grading record stores its salt, so a renaming can be undone and answers within a unit can be compared.

    tag.07 -> tag.41           parity stays: no instruction is about odd tags (see `distractors`)
    amber-0042 -> teal-3917    word and digits are permuted, so values that differ in a digit still do
    item0042,item0107          each member, sorted again
    nova-137 -> vega-502       like a colour
    12 -> 315                  a constant is added to counts
    U00AB12 -> U7F30C9         ids; `U000000` stays unused
    step=17 -> step=25         same order, other gaps
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Final

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.modes import COLORS, STARS
from evaluation.goldevidence.generator.prf import below, draw, shuffled

SALT_BYTES: Final = 8
#: Number of permutations to choose from, one byte per choice.
BANK: Final = 256
LARGEST_SHIFT: Final = 1000  # of counts
PLACES: Final = 5  # digits of a value, each with its own permutation
ROUNDS: Final = 3
ANSWERS_AT_HAND: Final = 64  # cached answers and ids per text
_IDS: Final = (1 << 24) - 1
_HALF: Final = 12
_TAG = re.compile(r"tag\.([0-9]{2,18})")
_MEMBER = re.compile(r"item[0-9]{4}")
_COUNT = re.compile(r"-?[0-9]{1,18}")
_UID = re.compile(r"U[0-9A-F]{6}")


def salt_named(*names: object) -> bytes:
    return blake2b("\x1f".join(map(str, names)).encode(), digest_size=SALT_BYTES).digest()


class Renaming:
    """The renaming of one text. Answers that cannot be a value of the state mode are not renamed."""

    __slots__ = ("_back", "_drawn", "_forth", "_known", "_rounds", "_shift", "_unrounds", "mode", "salt")

    def __init__(self, salt: bytes, mode: str) -> None:
        """Draw the renaming from a salt of `SALT_BYTES` bytes. The state mode decides the form of values."""
        self.salt, self.mode = salt, mode
        self._drawn = drawn = blake2b(salt, digest_size=12 + 6 * ROUNDS, person=b"renaming").digest()
        #: (odd factor, summand) of each round
        self._rounds = [
            (int.from_bytes(drawn[at : at + 3]) | 1, int.from_bytes(drawn[at + 3 : at + 6]))
            for at in range(12, len(drawn), 6)
        ]
        self._shift = int.from_bytes(drawn[8:10]) % LARGEST_SHIFT
        self._unrounds: list[tuple[int, int]] | None = None
        self._forth: Tables | None = None
        self._back: Tables | None = None
        self._known: dict[str, str] = {}  # cache of tags and values

    def tag(self, key: str) -> str:
        if (renamed := self._known.get(key)) is None:
            first, second = _tags()[self._drawn[1]], _tags()[self._drawn[0]]
            renamed = self._known[key] = _tag(key, lambda number: second[first[number]])
        return renamed

    def tags_in(self, text: str) -> str:
        return _TAG.sub(lambda found: self.tag(found[0]), text)

    def value(self, value: str) -> str:
        if (renamed := self._known.get(value)) is None:
            renamed = self._known[value] = self._value(value, self._tables, self._shift)
        return renamed

    def answer(self, answer: str, op: str | None) -> str:
        """Rename an answer to a question about the original text. `op`: operation of a derived question, else None."""
        return self._answer(answer, op, self._tables, self._shift, self.tag)

    def uid(self, uid: str) -> str:
        number = self._mixed(int(uid[1:], 16))
        while not number:  # 0 is the id that no line may have
            number = self._mixed(number)
        return f"U{number:06X}"

    def entry(self, entry: Entry, step: int) -> Entry:
        uid, _, op, key, value = entry
        return Entry(self.uid(uid), step, op, self.tag(key), None if value is None else self.value(value))

    def tag_before(self, key: str) -> str:
        first, second = _tags_back()[self._drawn[0]], _tags_back()[self._drawn[1]]
        return _tag(key, lambda number: second[first[number]])

    def answer_before(self, answer: str, op: str | None = None) -> str:
        """Undo `answer`: return the original answer for an answer to the renamed text."""
        return self._answer(answer, op, self._tables_back, -self._shift, self.tag_before)

    def uid_before(self, uid: str) -> str:
        """Return the original id of a renamed id. Any other text is returned unchanged."""
        if not _UID.fullmatch(uid) or not (number := int(uid[1:], 16)):
            return uid
        number = self._unmixed(number)
        while not number:
            number = self._unmixed(number)
        return f"U{number:06X}"

    @property
    def _tables(self) -> Tables:
        if self._forth is None:
            self._forth = self._from(_texts())
        return self._forth

    @property
    def _tables_back(self) -> Tables:
        if self._back is None:
            self._back = self._from(_texts_back())
        return self._back

    def _from(self, bank: TextBank) -> Tables:
        drawn = self._drawn
        return bank[drawn[2]][0], [bank[number][1] for number in drawn[3 : 3 + PLACES]]

    def _value(self, value: str, tables: Tables, shift: int) -> str:
        words, places = tables
        match self.mode:
            case "set":
                members = value.split(",")
                if not all(map(_MEMBER.fullmatch, members)):
                    return value
                return ",".join(sorted(f"item{_renumbered(member[4:], places)}" for member in members))
            case "counter":
                return str(int(value) + shift) if _COUNT.fullmatch(value) else value
            case _:
                word, _, digits = value.rpartition("-")
                if word not in words or not (digits.isascii() and digits.isdigit()):
                    return value
                return f"{words[word]}-{_renumbered(digits, places)}"

    def _answer(
        self, answer: str, op: str | None, tables: Tables, shift: int, tag: Callable[[str], str]
    ) -> str:
        match op:
            case "reports":
                return ",".join(sorted(map(tag, answer.split(","))))
            case "parity":
                swapped = {"even": "odd", "odd": "even"} if shift % 2 else {}
                return swapped.get(answer, answer)
            case "color":
                return tables[0].get(answer, answer)
            case None:
                return self._value(answer, tables, shift)
            case _:  # a count does not depend on names
                return answer

    def _mixed(self, number: int) -> int:
        for factor, summand in self._rounds:
            number = (number * factor + summand) & _IDS
            number ^= number >> _HALF
        return number

    def _unmixed(self, number: int) -> int:
        if self._unrounds is None:
            self._unrounds = [
                (pow(factor, -1, _IDS + 1), summand) for factor, summand in reversed(self._rounds)
            ]
        for factor, summand in self._unrounds:
            number ^= number >> _HALF  # undoes itself: the upper half is unchanged
            number = ((number - summand) * factor) & _IDS
        return number


Bank = Sequence[Sequence[int]]
#: Per permutation of ten: word -> word, and digit -> digit.
TextBank = Sequence[tuple[Mapping[str, str], Mapping[str, str]]]
#: Word -> word, and for each place digit -> digit.
Tables = tuple[Mapping[str, str], Sequence[Mapping[str, str]]]


class Renamings:
    """Undoes the renamings listed in a grading record, so that answers within a unit can be compared."""

    def __init__(self, named: str, mode: str) -> None:
        self._undone = [Renaming(bytes.fromhex(salt), mode) for salt in reversed(named.split(","))]
        #: Cached, because a freeze grades a row for each attacker, with few different answers.
        self._answers: dict[tuple[str, str | None], str] = {}
        self._tags: dict[str, str] = {}
        self._uids: dict[str, str] = {}

    def tag_before(self, key: str) -> str:
        if (before := self._tags.get(key)) is None:
            before = key
            for each in self._undone:
                before = each.tag_before(before)
            self._tags[key] = before
        return before

    def answer_before(self, answer: str, op: str | None = None) -> str:
        if (before := self._answers.get((answer, op))) is None:
            before = answer
            for each in self._undone:
                before = each.answer_before(before, op)
            if len(self._answers) < ANSWERS_AT_HAND:
                self._answers[answer, op] = before
        return before

    def uid_before(self, uid: str) -> str:
        if (before := self._uids.get(uid)) is None:
            before = uid
            for each in self._undone:
                before = each.uid_before(before)
            if len(self._uids) < ANSWERS_AT_HAND:
                self._uids[uid] = before
        return before


@lru_cache(maxsize=4096)
def renamings(named: str, mode: str) -> Renamings:
    """Build Renamings from comma-separated hexadecimal salts, in the order in which the renamings were applied."""
    return Renamings(named, mode)


def renamed_steps(salt: bytes, steps: Iterable[int]) -> dict[int, int]:
    """Renumber steps in the same order, with random gaps of about the same average width; equal steps stay equal."""
    ordered = sorted(set(steps))
    dice = draw(salt.hex(), "steps", rows=len(ordered), faces=1)
    last = reached = 0
    renamed = {}
    for step, (die,) in zip(ordered, dice, strict=True):
        reached += 1 + below(die, 2 * (step - last))
        last = step
        renamed[step] = reached
    return renamed


def _tag(key: str, renamed: Callable[[int], int]) -> str:
    found = _TAG.fullmatch(key)
    if found is None:
        return key
    hundreds, number = divmod(int(found[1]), 100)
    return f"tag.{100 * hundreds + renamed(number):02d}"


def _renumbered(digits: str, places: Sequence[Mapping[str, str]]) -> str:
    if len(digits) > PLACES:
        return _renumbered(digits[:PLACES], places) + _renumbered(digits[PLACES:], places)
    return "".join([renamed[digit] for renamed, digit in zip(places, digits, strict=False)])


@cache
def _digits() -> Bank:
    return tuple(shuffled(list(range(10)), "renaming", "digits", number) for number in range(BANK))


@cache
def _texts() -> TextBank:
    return tuple(map(_as_text, _digits()))


@cache
def _texts_back() -> TextBank:
    return tuple(_as_text(_inverse(each)) for each in _digits())


def _as_text(permutation: Sequence[int]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    words = {
        each[place]: each[renamed] for each in (COLORS, STARS) for place, renamed in enumerate(permutation)
    }
    return words, {str(digit): str(renamed) for digit, renamed in enumerate(permutation)}


@cache
def _tags() -> Bank:
    """Return permutations of the tag numbers 0 to 99 that keep odd numbers odd."""
    return tuple(
        tuple(number for pair in zip(even, odd, strict=True) for number in pair)
        for even, odd in (
            [shuffled(list(range(side, 100, 2)), "renaming", "tags", number, side) for side in (0, 1)]
            for number in range(BANK)
        )
    )


@cache
def _tags_back() -> Bank:
    return tuple(map(_inverse, _tags()))


def _inverse(permutation: Sequence[int]) -> tuple[int, ...]:
    inverse = [0] * len(permutation)
    for place, number in enumerate(permutation):
        inverse[number] = place
    return tuple(inverse)
