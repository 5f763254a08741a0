"""The kinds of rows that are compared, and the ways to answer each."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from evaluation.core.records import Row
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.rows import condition_rows
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.episodes import generate_units

ALONE: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("ours", {}),
    ("ours, 2 sequences", {"parallel": 2}),
    ("ours, 4 sequences", {"parallel": 4}),
    ("ours, 8 sequences", {"parallel": 8}),
)
LETTERS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("ours", {}),
    ("ours, a letter before each line", {"mode": "select"}),
    ("ours, a letter instead of its id", {"mode": "select", "prompt": "standard@2"}),
)


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows of one kind; `ways` names settings of our adapter."""

    name: str
    about: str
    rows: Callable[[], list[Row]]
    ways: tuple[tuple[str, Mapping[str, Any]], ...]


def _plain(episodes: int, queries: int, steps: int, keys: int = 6) -> list[Row]:
    config = GeneratorConfig(
        episodes=episodes, steps=steps, queries=queries, keys=keys, chapters=2, twins=False
    )
    return [row for unit in generate_units(config, 0) for row in unit.rows]


def _candidates(k: int, orders: tuple[str, ...], queries: int = 4) -> list[Row]:
    conditions = [Condition(name=f"k{k}-{order}", k=k, order=order) for order in orders]
    return [
        shown
        for row in _plain(2, queries, 24)
        for shown in condition_rows([row], parse_book(row["book"]), conditions, 0)
    ]


def _orders() -> list[Row]:
    return _candidates(4, ("gold_first", "gold_middle", "gold_last", "shuffle"))


def _books() -> list[Row]:
    return _plain(2, 8, 24)


def _mixed(queries: int, keys: int) -> list[Row]:
    """Shuffled rows: books with `queries` questions each, and candidates."""
    rows = [*_plain(3, queries, 24, keys), *_candidates(4, ("gold_first", "gold_last"))]
    random.Random(0).shuffle(rows)
    return rows


def _short_books() -> list[Row]:
    return _plain(2, 8, 10)


def _eight() -> list[Row]:
    return _candidates(8, ("shuffle",), queries=8)


KINDS = (
    Kind("orders", "four candidates in four orders, as they come", _orders, ALONE),
    Kind("books", "questions about two whole books, as they come", _books, ALONE),
    Kind("mixed", "books of 8 questions and candidates in no order", partial(_mixed, 8, 6), ALONE[:1]),
    Kind("many", "books of 24 questions and candidates in no order", partial(_mixed, 24, 12), ALONE[:1]),
    Kind("choice", "one of eight candidates", _eight, LETTERS),
    Kind("line", "one line of a short book", _short_books, LETTERS),
)
