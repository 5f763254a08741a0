"""Exported training examples equal the reference's, whatever the options."""

from __future__ import annotations

import argparse

import orjson
import pytest

from evaluation.core import jsonl
from evaluation.core.errors import RowError, SettingsError
from evaluation.goldevidence import generate
from evaluation.goldevidence.selectors.export import ExportSettings, export
from tests.reference import reference_path

FLAGS = ("--include-clear", "--authoritative-only", "--use-gold-support", "--hard-negatives")
ORDERS = {"none": None}


def settings(args: list[str]) -> ExportSettings:
    parser = argparse.ArgumentParser()
    parser.add_argument("--k", type=int)
    parser.add_argument("--wrong-type")
    parser.add_argument("--order", type=lambda order: ORDERS.get(order, order))
    for flag in FLAGS:
        parser.add_argument(flag, action="store_true")
    return ExportSettings(**vars(parser.parse_args(args)))


def test_every_export_of_the_reference_is_reproduced() -> None:
    manifest = orjson.loads(reference_path("gold/manifest.json").read_bytes())
    for case in manifest["selector"]["exports"]:
        rows = jsonl.read(reference_path(f"gold/{case['data']}"))
        expected = list(jsonl.read(reference_path(f"gold/{case['expected']}")))
        assert list(export(rows, settings(case["args"]))) == expected, case["id"]


def test_a_shuffled_export_is_the_same_every_time() -> None:
    path = reference_path("gold/data/kvc-note30.jsonl.gz")
    shuffled = ExportSettings(order="shuffle", drop_prob=0.5, seed=3)
    assert list(export(jsonl.read(path), shuffled)) == list(export(jsonl.read(path), shuffled))


@pytest.mark.parametrize("drop_prob", [0.0, 1.0])
def test_a_dropped_line_is_no_longer_present(drop_prob: float) -> None:
    rows = jsonl.read(reference_path("gold/data/kv-notwins.jsonl.gz"))
    examples = list(export(rows, ExportSettings(drop_prob=drop_prob)))
    assert {example["gold_present"] for example in examples} == {drop_prob == 0.0}


def test_rows_with_candidates_are_left_out_and_rows_of_another_kind_are_named() -> None:
    row = next(generate({"episodes": 1, "steps": 20, "chapters": 2, "derived_query_rate": 0.0}))
    shown = {name: value for name, value in row.items() if name not in ("book", "document")} | {
        "candidates": []
    }
    assert [example["id"] for example in export([shown, row], ExportSettings())] == [row["id"]]
    with pytest.raises(RowError, match="not a question with `gold` and `book`") as refused:
        list(export([row, {"timeline_id": "x"}], ExportSettings()))
    assert refused.value.line == 2


@pytest.mark.parametrize("field", ["k", "wrong_type", "order", "drop_prob", "hard_negatives"])
def test_settings_are_checked(field: str) -> None:
    with pytest.raises(SettingsError, match=field):
        ExportSettings(**{field: -1})
