"""Prompts of the benchmark's own generator with unused seeds, for the last training stages and for evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np

from evaluation.core.rng import Stream
from evaluation.core.suite import LARGEST_THOUGHT_OF
from evaluation.goldevidence.data.ledger import unclear
from evaluation.goldevidence.presets import get_preset
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.suite import SUITE
from evaluation.gym.frozen import Frozen, FrozenError, refuse_seed
from evaluation.gym.models.rows import ABSENT, NO_REMARK, PASSING, QUOTING, Batch, Ints, Lines, batch, ordered
from evaluation.gym.models.vocabulary import OPS, WORDS


class Board(NamedTuple):
    """Questions with the same number of lines each, under the conditions of a preset."""

    lines: Lines
    asked: Ints  # [rows, 1]
    gold: Ints  # [rows, 1]; k: no line answers
    condition: tuple[str, ...]

    def batch(self, which: Ints | None = None, rng: np.random.Generator | None = None) -> Batch:
        """Convert rows to prompts as tokens.

        Args:
            which: Indices of rows; all rows if None.
            rng: Shuffles the lines of each row; if None, their order is unchanged.
        """
        chosen = np.arange(len(self.asked)) if which is None else which
        lines, gold = Lines(*(each[chosen] for each in self.lines)), self.gold[chosen]
        if rng is not None:
            lines, gold = ordered(rng, lines, gold)
        return batch(lines, self.asked[chosen], gold, np.ones((len(chosen), 1), np.float32))


def board(preset: str, seeds: Sequence[int], guard: Frozen | None = None) -> Board:
    """Generate the rows of a preset that show candidates, with `seeds` that no preset has.

    Raises FrozenError for the seed of a preset, or for a row in `guard`. `guard` may be None for evaluation.
    """
    for seed in seeds:
        refuse_seed(seed)
    settings = get_preset(preset).as_json() | {"seeds": list(seeds), "public_gold": True}
    rows = [
        cast(EpisodeRow, row)
        for item in SUITE.version(settings).generate()
        for row in item.rows
        if "candidates" in row
    ]
    if guard is not None and any(map(guard.holds, rows)):
        raise FrozenError(f"rows of {preset} belong to a frozen version: do not train on them")
    return Board(
        _lines(rows),
        np.array([[_tag(row["meta"]["key"])] for row in rows], np.int32),
        np.array([[_gold(row)] for row in rows], np.int32),
        tuple(row["meta"]["condition"] for row in rows),
    )


def seeds(*names: object) -> Iterator[int]:
    """An endless stream of seeds that no version has, keyed by names."""
    stream = Stream("gym models", *names)
    while True:
        yield LARGEST_THOUGHT_OF + stream.below(2**62)


def _tag(key: str) -> int:
    return int(key.removeprefix("tag."))


def _lines(rows: Sequence[EpisodeRow]) -> Lines:
    shown = [row["candidates"] for row in rows]

    def field(read: object) -> Ints:
        return np.array([[read(line) for line in lines] for lines in shown], np.int32)  # type: ignore[operator]

    return Lines(
        op=field(lambda line: OPS.index(line["op"])),
        tag=field(lambda line: _tag(line["key"])),
        step=field(lambda line: line["step"]),
        remark=field(lambda line: _remark(line.get("remark"))),
        value=field(lambda line: _value(line["value"])),
    )


def _remark(text: str | None) -> int:
    if text is None:
        return NO_REMARK
    return PASSING if text.startswith("NOTE") else QUOTING


def _value(text: str | None) -> int:
    if text is None:
        return ABSENT
    word, _, number = text.rpartition("-")
    return WORDS.index(word) * 10_000 + int(number)


def _gold(row: EpisodeRow) -> int:
    lines, [uid] = row["candidates"], row["gold"]["support_ids"]
    places = [place for place, line in enumerate(lines) if line["uid"] == uid]
    doubt = unclear(
        [(each["step"], each["op"], each["key"], each["value"]) for each in lines], row["meta"]["key"]
    )
    return len(lines) if doubt or not places else places[0]
