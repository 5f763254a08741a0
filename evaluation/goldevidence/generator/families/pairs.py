"""Pairs of descriptions of one thing without a common content word. Public versions omit every third pair."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import orjson

HELD_BACK = 3  # one pair in three


class Pair(NamedTuple):
    """Two phrases for one thing: its name in sentences, and its description in questions."""

    thing: str
    asked: str
    source: str  # source of the association


@cache
def all_pairs() -> Sequence[Pair]:
    content = orjson.loads(Path(__file__).with_name("pairs.json").read_bytes())
    return tuple(Pair(each["thing"], each["asked"], each["source"]) for each in content["pairs"])


@cache
def pairs(*, public: bool) -> Sequence[Pair]:
    """Return the pairs that a version may use. If the version publishes its answers, every third pair is left out."""
    return [pair for number, pair in enumerate(all_pairs()) if not public or number % HELD_BACK]


def thing_asked(description: str) -> str | None:
    return _things().get(description)


def described(thing: str) -> str:
    return _descriptions()[thing]


@cache
def _descriptions() -> dict[str, str]:
    return {pair.thing: pair.asked for pair in all_pairs()}


@cache
def _things() -> dict[str, str]:
    return {pair.asked: pair.thing for pair in all_pairs()}
