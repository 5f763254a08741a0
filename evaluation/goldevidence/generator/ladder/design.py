"""The design of a ladder: which tag is updated how often and where, so that depths, writes and shares are crossed.

A *cell* is a depth and a number of writes. All cells stand in one round; an episode takes as many in a row as it has
tags, and asks about the first of them. The next episode goes on where the questions of the last ended, so that a
version asks each cell equally often. Each such turn is taken under every share of distractors.
"""

from __future__ import annotations

from typing import NamedTuple

from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.generator.prf import FACES, below, draw

#: The last update stands at its depth give or take this share of the text: near it, and not to be guessed exactly.
JITTER = 0.025


class Cell(NamedTuple):
    """What is crossed over tags."""

    depth: float
    writes: int


class Tag(NamedTuple):
    """One tag of an episode. `places` are those of its updates, ascending, as shares of the text."""

    key: str
    cell: Cell
    places: tuple[float, ...]


class Design(NamedTuple):
    """What the design says of one episode. The tags that are asked about come first."""

    share: float
    tags: list[Tag]


def cells(ladder: Ladder) -> list[Cell]:
    """Every depth with every number of writes, once.

    Neighbours differ in both, as in a Latin square: a few in a row have all numbers of writes, and several depths.
    """
    depths, writes = ladder.depths, ladder.writes
    return [
        Cell(depths[(turn + place) % len(depths)], count)
        for turn in range(len(depths))
        for place, count in enumerate(writes)
    ]


def most_updates(ladder: Ladder, keys: int) -> int:
    """How many updates an episode has at most.

    Args:
        ladder: The settings.
        keys: How many tags it has.
    """
    round_of = [cell.writes for cell in cells(ladder)]
    whole, rest = divmod(keys, len(round_of))
    twice = round_of * 2
    return whole * sum(round_of) + max(sum(twice[start : start + rest]) for start in range(len(round_of)))


def design(config: GeneratorConfig, ladder: Ladder, number: int, *names: object) -> Design:
    """The design of one episode.

    Args:
        config: The settings of the generator.
        ladder: Those of the ladder.
        number: The number of the episode in its version, from 0.
        names: What the episode's dice are drawn by.

    Returns:
        Its share of distractors and its tags.
    """
    turn, place = divmod(number, len(ladder.shares))
    round_of, keys = cells(ladder), _shuffled(config.keys, names)
    tags = []
    for offset, key in enumerate(keys):
        cell = round_of[(turn * config.queries + offset) % len(round_of)]
        tags.append(Tag(key, cell, _places(cell, *names, "places", key)))
    return Design(ladder.shares[place], tags)


def _places(cell: Cell, *names: object) -> tuple[float, ...]:
    """The last update near its depth, the others anywhere before it."""
    dice = [face / FACES for (face,) in draw(*names, rows=cell.writes, faces=1)]
    last = cell.depth + (2 * dice[0] - 1) * JITTER
    return (*sorted(last * die for die in dice[1:]), last)


def _shuffled(keys: int, names: tuple[object, ...]) -> list[str]:
    """The tags in a random order: which of them has which cell."""
    shuffled = [f"tag.{number:02d}" for number in range(keys)]
    for place, (face,) in enumerate(draw(*names, "tags", rows=keys, faces=1)):
        other = place + below(face, keys - place)
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled
