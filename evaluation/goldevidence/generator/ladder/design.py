"""Designs texts of several lengths: how many updates each tag has, and where.

A *cell* is a depth (position of a tag's last update) and a number of updates. An episode gives one cell to each tag.
A version asks about each cell equally often, and under every share of distractors.
"""

from __future__ import annotations

from typing import NamedTuple

from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.generator.prf import FACES, draw, shuffled

#: Random shift of the last update around its depth, as a share of the text, so that the exact place cannot be guessed.
JITTER = 0.025


class Cell(NamedTuple):
    """A combination of the factors that are crossed over tags: depth and number of writes."""

    depth: float
    writes: int


class Tag(NamedTuple):
    """One tag of an episode. `places` are the positions of its updates as shares of the text, ascending."""

    key: str
    cell: Cell
    places: tuple[float, ...]


class Design(NamedTuple):
    """The design of one episode. Tags with a question come first."""

    share: float
    tags: list[Tag]


def cells(ladder: Ladder) -> list[Cell]:
    """List every combination of depth and number of writes once.

    Neighbours differ in both, as in a Latin square: consecutive cells cover all numbers of writes and several depths.
    """
    depths, writes = ladder.depths, ladder.writes
    return [
        Cell(depths[(turn + place) % len(depths)], count)
        for turn in range(len(depths))
        for place, count in enumerate(writes)
    ]


def most_updates(ladder: Ladder, keys: int) -> int:
    round_of = [cell.writes for cell in cells(ladder)]
    whole, rest = divmod(keys, len(round_of))
    twice = round_of * 2
    return whole * sum(round_of) + max(sum(twice[start : start + rest]) for start in range(len(round_of)))


def design(config: GeneratorConfig, ladder: Ladder, number: int, *names: object) -> Design:
    turn, place = divmod(number, len(ladder.shares))
    round_of = cells(ladder)
    keys = shuffled([f"tag.{number:02d}" for number in range(config.keys)], *names, "tags")
    tags = []
    for offset, key in enumerate(keys):
        cell = round_of[(turn * config.queries + offset) % len(round_of)]
        tags.append(Tag(key, cell, _places(cell, *names, "places", key)))
    return Design(ladder.shares[place], tags)


def _places(cell: Cell, *names: object) -> tuple[float, ...]:
    """Draw positions for a tag's updates: the last near the cell's depth, all earlier updates before it."""
    dice = [face / FACES for (face,) in draw(*names, rows=cell.writes, faces=1)]
    last = cell.depth + (2 * dice[0] - 1) * JITTER
    return (*sorted(last * die for die in dice[1:]), last)
