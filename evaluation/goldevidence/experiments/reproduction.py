"""Compares published tables of retrieval and selectors (no language model) with our figures.

Each row shows 8 candidates of the queried key and one wrong line; the answer is read off the selected line. Without
the authority filter, the reference counts the latest line of the key as correct, even if it is a NOTE. A selector that
never selects NOTEs then has a lower selection rate, although more of its values are right.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path

from evaluation.core import jsonl
from evaluation.core.rng import Stream
from evaluation.goldevidence import generate
from evaluation.goldevidence.conditions.perturb import arrange
from evaluation.goldevidence.experiments.anchors.data import (
    SELECTORS_DATA,
    manifest_in,
    reference_rows,
    rows_of,
)
from evaluation.goldevidence.experiments.anchors.measuring import pool_of, rates_of
from evaluation.goldevidence.experiments.anchors.records import Run, published_rows
from evaluation.goldevidence.experiments.traces import trace
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.retrieval import EARLIEST, LATEST, dense
from evaluation.goldevidence.selectors import Selector, get_selector
from evaluation.goldevidence.selectors.export import ExportSettings, export
from evaluation.goldevidence.selectors.linear import train

Rows = Mapping[str, list[EpisodeRow]]  # by data set
Linear = Mapping[str, Selector]  # the two trained models, by policy name

TRAINING_SEED = 1_000_000
K = 8
RETRIEVED_K = (2, 4, 8)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A published row with our figures. `published` or `reference` is None if there are no such figures."""

    table: str
    label: str
    published: tuple[float, ...] | None
    reference: tuple[float, ...] | None  # our code on the reference's data
    own: tuple[float, ...]  # our code on our generator's data
    questions: int  # in `own` (and in `reference`)

    @property
    def reproduced(self) -> bool | None:
        """True if our code gives the published figures (four digits) on the reference's data; None if unknown."""
        if self.published is None or self.reference is None:
            return None
        return _same(self.published, self.reference)

    @property
    def differs(self) -> bool:
        """True if the figures on our data differ from the published ones."""
        return self.published is not None and not _same(self.published, self.own)


def _same(published: tuple[float, ...], figures: tuple[float, ...]) -> bool:
    return all(abs(a - b) < 5.1e-5 for a, b in zip(published, figures, strict=True))


def compare(reference_dir: str | Path | None = None) -> Iterator[Comparison]:
    """Yield every published figure with ours on our data and, if `reference_dir` is given, on the reference's data."""
    own = {name: list(rows_of(name)) for name in SELECTORS_DATA}
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
    for policy, name, gate, figures in published_rows("selection_value"):
        title = f"{policy}, {SELECTORS_DATA[name].title}" + (", filter on" if gate else "")
        ours = _selection_value(own[name], own_linear.get(policy) or get_selector(policy), gate)
        theirs = None
        if reference is not None:
            selector = reference_linear.get(policy) or get_selector(policy)
            theirs = _selection_value(reference[name], selector, gate)
        yield Comparison(table, title, tuple(figures), theirs, ours, len(own[name]))


def _positions(own: Rows, reference: Rows | None) -> Iterator[Comparison]:
    rows, count = list(chain(*own.values())), sum(map(len, own.values()))
    for position, order in product(("first", "last"), ("gold_first", "gold_middle", "gold_last")):
        figure = float(order == f"gold_{position}")
        theirs = None
        if reference is not None:
            theirs = (_position_rate(chain(*reference.values()), position, order),)
        ours = (_position_rate(rows, position, order),)
        label = f"{position} candidate, {order}"
        yield Comparison("Selection rate by position", label, (figure,), theirs, ours, count)


def _retrievers(own: Rows, reference: Rows | None) -> Iterator[Comparison]:
    table = "Gold present at k = 2 / 4 / 8"
    rows = published_rows("gold_present")
    for retriever, name, figures in rows:
        for ties in (EARLIEST, LATEST):
            label = f"{retriever}, {SELECTORS_DATA[name].title}, equal scores {ties} first"
            theirs = _gold_present(reference[name], retriever, ties) if reference is not None else None
            ours = _gold_present(own[name], retriever, ties)
            published = tuple(figures) if ties == EARLIEST else None
            yield Comparison(table, label, published, theirs, ours, len(own[name]))
    if model := os.environ.get(dense.SETTING):
        for name in dict.fromkeys(name for _, name, _ in rows):
            label = f"dense ({Path(model).stem}), {SELECTORS_DATA[name].title}"
            theirs = _gold_present(reference[name], "dense", LATEST) if reference is not None else None
            ours = _gold_present(own[name], "dense", LATEST)
            yield Comparison(table, label, None, theirs, ours, len(own[name]))


def _selection_value(rows: Sequence[EpisodeRow], selector: Selector, gate: bool) -> tuple[float, float]:
    rates = rates_of(Run("", "", k=K, gate=gate), rows, selector)
    return rates["selection_rate"], rates["value_acc"]


def _position_rate(rows: Iterable[EpisodeRow], position: str, order: str) -> float:
    hits = []
    for row in rows:
        retrieved, record = trace(row, pool_of(row["book"], False), k=K, wrong_type="same_key")
        shown = arrange(retrieved, record["correct_uid"], order, Stream())
        hits.append(float(shown[0 if position == "first" else -1].uid == record["correct_uid"]))
    return sum(hits) / len(hits)


def _gold_present(rows: Iterable[EpisodeRow], retriever: str, ties: str) -> tuple[float, ...]:
    rows = list(rows)
    return tuple(
        sum(
            trace(row, pool_of(row["book"], False), k=k, retriever=retriever, ties=ties)[1][
                "correct_included"
            ]
            for row in rows
        )
        / len(rows)
        for k in RETRIEVED_K
    )


def _own_linear() -> dict[str, Selector]:
    config = SELECTORS_DATA["kvc_s3q16"].config.having(episodes=40)
    rows = list(generate(config, TRAINING_SEED))
    latest, gold = (
        train(export(rows, ExportSettings(k=4, include_clear=True, use_gold_support=support)))
        for support in (False, True)
    )
    return {"linear (trained)": latest, "linear (gold support)": gold}


def _reference_linear(reference_dir: str | Path) -> dict[str, Selector]:
    folder = manifest_in(reference_dir).parent / "selector"
    return {
        "linear (trained)": train(jsonl.read(folder / "train-plain.sel.jsonl.gz")),
        "linear (gold support)": train(jsonl.read(folder / "train-noteaware.sel.jsonl.gz")),
    }
