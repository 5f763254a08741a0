"""Evaluates selectors, which pick the line that establishes the answer, on generated episodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.rows import condition_rows
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.episodes import generate_units
from evaluation.goldevidence.grading.choices import Choice, observe_row
from evaluation.goldevidence.grading.decomposition import Rates, decompose
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.selectors import Selector
from evaluation.goldevidence.systems.pipeline import Pipeline


class Measured(NamedTuple):
    selector: str
    note_rate: float
    condition: str
    rates: Rates


def evaluate(
    selectors: Mapping[str, Selector],
    conditions: Sequence[Condition],
    *,
    config: GeneratorConfig,
    note_rates: Iterable[float],
    seed: int,
    gate: bool = False,
) -> Iterator[Measured]:
    """Measure each selector under each condition and share of NOTEs (`note_rates`). `gate`: filter by authority."""
    for note_rate in note_rates:
        rows = list(rows_under(conditions, config.having(note_rate=note_rate), seed))
        for condition in conditions:
            shown = [row for row in rows if row["meta"]["condition"] == condition.name]
            for name, selector in selectors.items():
                choices = choose(Pipeline(selector, gate=gate), shown)
                yield Measured(name, note_rate, condition.name, decompose(choices))


def rows_under(conditions: Sequence[Condition], config: GeneratorConfig, seed: int) -> Iterator[EpisodeRow]:
    for unit in generate_units(config, seed):
        for book, rows in groupby(unit.rows, key=lambda row: row["book"]):
            yield from condition_rows(list(rows), parse_book(book), conditions, seed)


def choose(pipeline: Pipeline, rows: Iterable[EpisodeRow]) -> Iterator[Choice]:
    for row in rows:
        yield observe_row(row, pipeline.predict(row))
