"""Things by two descriptions without a common content word: what meaning is asked by. The pairs lie in `pairs.json`.

Each third pair is held back from versions with public answers: a program that learns them there knows two thirds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import orjson

HELD_BACK = 3  # of so many pairs, one


class Pair(NamedTuple):
    """A thing as sentences name it, and as questions describe it."""

    thing: str
    asked: str
    source: str  # where the association is from


@cache
def all_pairs() -> Sequence[Pair]:
    """Every pair, in the order of the file."""
    content = orjson.loads(Path(__file__).with_name("pairs.json").read_bytes())
    return tuple(Pair(each["thing"], each["asked"], each["source"]) for each in content["pairs"])


@cache
def pairs(*, public: bool) -> Sequence[Pair]:
    """The pairs that a version asks by.

    Args:
        public: Whether its answers are public.
    """
    return [pair for number, pair in enumerate(all_pairs()) if not public or number % HELD_BACK]


def thing_asked(description: str) -> str | None:
    """The thing that a question describes; None where no pair has this description."""
    return _things().get(description)


def described(thing: str) -> str:
    """The name of a thing in a question."""
    return _descriptions()[thing]


@cache
def _descriptions() -> dict[str, str]:
    return {pair.thing: pair.asked for pair in all_pairs()}


@cache
def _things() -> dict[str, str]:
    return {pair.asked: pair.thing for pair in all_pairs()}
