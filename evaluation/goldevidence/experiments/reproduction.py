"""Our figures beside the published ones: on our generator's data and, where it is at hand, on the
reference's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import cast

import orjson

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.rng import Stream
from evaluation.goldevidence.conditions.perturb import arrange
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.experiments.published import (
    DATASETS,
    GOLD_PRESENT,
    POSITION,
    RETRIEVED_K,
    SELECTION_VALUE,
    Dataset,
    K,
)
from evaluation.goldevidence.experiments.traces import choice_of, trace
from evaluation.goldevidence.generator.episodes import generate_units
from evaluation.goldevidence.grading.decomposition import decompose
from evaluation.goldevidence.records import CanonicalPrediction, EpisodeRow
from evaluation.goldevidence.retrieval import EARLIEST, LATEST, Pool, dense
from evaluation.goldevidence.selectors import Selector, get_selector
from evaluation.goldevidence.selectors.answer import answer
from evaluation.goldevidence.selectors.export import ExportSettings, export
from evaluation.goldevidence.selectors.gate import authority_filter
from evaluation.goldevidence.selectors.linear import train

Rows = Mapping[str, list[EpisodeRow]]  # by data set
Linear = Mapping[str, Selector]  # the two trained models, by policy name

TRAINING_SEED = 1_000_000


@dataclass(frozen=True, slots=True)
class Comparison:
    """One published row beside ours; the figures are tuples of one length.

    `published` is None where nothing is, `reference` where the reference data is not at hand.
    """

    table: str
    label: str
    published: tuple[float, ...] | None
    reference: tuple[float, ...] | None  # our code on the reference's data
    own: tuple[float, ...]  # our code on our generator's data
    questions: int  # in `own` (and in `reference`)

    @property
    def reproduced(self) -> bool | None:
        """Whether our code gives the published figures (four digits) on the reference's data."""
        if self.published is None or self.reference is None:
            return None
        return _same(self.published, self.reference)

    @property
    def differs(self) -> bool:
        """Whether the figures on our data are not the published ones."""
        return self.published is not None and not _same(self.published, self.own)


def _same(published: tuple[float, ...], figures: tuple[float, ...]) -> bool:
    """Equal in the four digits that are published."""
    return all(abs(a - b) < 5.1e-5 for a, b in zip(published, figures, strict=True))


def compare(reference_dir: str | Path | None = None) -> Iterator[Comparison]:
    """Every published figure with ours on our data and, where given, on the reference's."""
    own = {name: list(_generate(dataset)) for name, dataset in DATASETS.items()}
    reference = reference_rows(reference_dir) if reference_dir else None
    own_linear = _own_linear()
    reference_linear = _reference_linear(reference_dir) if reference_dir else {}
    yield from _selectors(own, reference, own_linear, reference_linear)
    yield from _positions(own, reference)
    yield from _retrievers(own, reference)


def _selectors(
    own: Rows, reference: Rows | None, own_linear: Linear, reference_linear: Linear
) -> Iterator[Comparison]:
    table = "Selection rate / value accuracy"
    for policy, published in SELECTION_VALUE.items():
        for (name, gate), figures in published.items():
            title = f"{policy}, {DATASETS[name].title}" + (", filter on" if gate else "")
            ours = _selection_value(own[name], own_linear.get(policy) or get_selector(policy), gate)
            theirs = None
            if reference is not None:
                selector = reference_linear.get(policy) or get_selector(policy)
                theirs = _selection_value(reference[name], selector, gate)
            yield Comparison(table, title, figures, theirs, ours, len(own[name]))


def _positions(own: Rows, reference: Rows | None) -> Iterator[Comparison]:
    rows, count = list(chain(*own.values())), sum(map(len, own.values()))
    for (position, order), figure in POSITION.items():
        theirs = None
        if reference is not None:
            theirs = (_position_rate(chain(*reference.values()), position, order),)
        ours = (_position_rate(rows, position, order),)
        label = f"{position} candidate, {order}"
        yield Comparison("Selection rate by position", label, (figure,), theirs, ours, count)


def _retrievers(own: Rows, reference: Rows | None) -> Iterator[Comparison]:
    table = "Gold present at k = 2 / 4 / 8"
    for (retriever, name), figures in GOLD_PRESENT.items():
        for ties in (EARLIEST, LATEST):
            label = f"{retriever}, {DATASETS[name].title}, equal scores {ties} first"
            theirs = _gold_present(reference[name], retriever, ties) if reference is not None else None
            ours = _gold_present(own[name], retriever, ties)
            published = figures if ties == EARLIEST else None
            yield Comparison(table, label, published, theirs, ours, len(own[name]))
    if model := os.environ.get(dense.SETTING):
        for name in dict.fromkeys(name for _, name in GOLD_PRESENT):
            label = f"dense ({Path(model).stem}), {DATASETS[name].title}"
            theirs = _gold_present(reference[name], "dense", LATEST) if reference is not None else None
            ours = _gold_present(own[name], "dense", LATEST)
            yield Comparison(table, label, None, theirs, ours, len(own[name]))


def _selection_value(rows: Iterable[EpisodeRow], selector: Selector, gate: bool) -> tuple[float, float]:
    choices = []
    for row in rows:
        retrieved, record = trace(row, _pool(row["book"], gate), k=K, wrong_type="same_key")
        line = selector(retrieved, row["question"], record["key"])
        assert line is not None, "a key that is asked has been written"
        value = answer(line, row["meta"]["derived_op"])
        prediction: CanonicalPrediction = {"id": row["id"], "value": value, "support_ids": [line.uid]}
        choices.append(choice_of(row, prediction, record | {"selected_uid": line.uid}))
    rates = decompose(choices)
    return rates["selection_rate"] or 0.0, rates["value_acc"] or 0.0


def _position_rate(rows: Iterable[EpisodeRow], position: str, order: str) -> float:
    hits = []
    for row in rows:
        retrieved, record = trace(row, _pool(row["book"], False), k=K, wrong_type="same_key")
        shown = arrange(retrieved, record["correct_uid"], order, Stream())
        hits.append(float(shown[0 if position == "first" else -1].uid == record["correct_uid"]))
    return sum(hits) / len(hits)


def _gold_present(rows: Iterable[EpisodeRow], retriever: str, ties: str) -> tuple[float, ...]:
    rows = list(rows)
    return tuple(
        sum(
            trace(row, _pool(row["book"], False), k=k, retriever=retriever, ties=ties)[1]["correct_included"]
            for row in rows
        )
        / len(rows)
        for k in RETRIEVED_K
    )


@lru_cache(maxsize=64)
def _pool(book: str, gate: bool) -> Pool:
    entries = parse_book(book)
    return Pool(authority_filter(entries) if gate else entries)


def _generate(dataset: Dataset) -> Iterator[EpisodeRow]:
    for seed in range(dataset.seeds):
        for unit in generate_units(dataset.config, seed):
            yield from unit.rows


def _own_linear() -> dict[str, Selector]:
    """Our two models: one taught the latest line, one the gold line, on episodes of other seeds."""
    config = DATASETS["kvc_s3q16"].config.having(episodes=40)
    rows = [row for unit in generate_units(config, TRAINING_SEED) for row in unit.rows]
    latest, gold = (
        train(export(rows, ExportSettings(k=4, include_clear=True, use_gold_support=support)))
        for support in (False, True)
    )
    return {"linear (trained)": latest, "linear (gold support)": gold}


def _reference_linear(reference_dir: str | Path) -> dict[str, Selector]:
    """Our training on the examples that the reference exported."""
    folder = _manifest(reference_dir).parent / "selector"
    return {
        "linear (trained)": train(jsonl.read(folder / "train-plain.sel.jsonl.gz")),
        "linear (gold support)": train(jsonl.read(folder / "train-noteaware.sel.jsonl.gz")),
    }


def reference_rows(reference_dir: str | Path) -> Rows:
    """The reference's rows with gold, by data set. Raises BenchmarkError where there are none in the folder."""
    return _read(_manifest(reference_dir))


def _manifest(reference_dir: str | Path) -> Path:
    for path in (Path(reference_dir) / "gold" / "manifest.json", Path(reference_dir) / "manifest.json"):
        if path.is_file():
            return path
    raise BenchmarkError(
        f"{reference_dir}: no gold/manifest.json here; name the folder of the reference data"
    )


def _read(manifest: Path) -> Rows:
    datasets = orjson.loads(manifest.read_bytes())["retrieval"]["datasets"]
    return {
        name: [
            cast(EpisodeRow, row)
            for file in datasets[name]["files"]
            for row in jsonl.read(manifest.parent / file["data"])
        ]
        for name in DATASETS
    }
