"""Retrieval pipelines: the lines they say they showed, measured by the oracle."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.core import jsonl
from evaluation.goldevidence.grading.grade import grade_files
from evaluation.goldevidence.retrieval import EARLIEST
from evaluation.goldevidence.selectors import get_selector
from evaluation.goldevidence.systems.pipeline import Pipeline
from evaluation.goldevidence.systems.registry import get_system
from tests.reference import reference_path

FIGURES = (
    "own_gold_present_rate",
    "own_selection_rate",
    "own_accuracy_when_gold_present",
    "own_value_acc",
)


@pytest.fixture(scope="module")
def s3q16(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reference's 48 rows, whose three seeds have the same ids: each seed gets its own."""
    folder = reference_path("gold/retrieval/kv_ab_s3q16")
    rows = []
    for seed in range(3):
        with gzip.open(folder / f"seed{seed}.data.jsonl.gz") as lines:
            for row in map(json.loads, lines):
                names = {name: f"S{seed}{row[name]}" for name in ("id", "episode_id")}
                rows.append(row | names)
    path = tmp_path_factory.mktemp("s3q16") / "rows.jsonl"
    jsonl.write(path, rows)
    return path


def predicted(rows: Path, system: object) -> Path:
    path = rows.with_name("preds.jsonl")
    jsonl.write(path, [system.predict(row) for row in jsonl.read(rows)])  # type: ignore[attr-defined]
    return path


@pytest.mark.parametrize(
    ("name", "chain"),
    [
        ("bm25_earliest+latest_step", "0.0417 -> 1.0000 -> 1.0000 -> 0.0417"),
        ("bm25+latest_step", "1.0000 -> 1.0000 -> 1.0000 -> 1.0000"),
    ],
)
def test_the_command_reads_the_retrieval_of_bm25_by_the_order_of_its_ties(s3q16, capsys, name, chain) -> None:
    preds = predicted(s3q16, get_system(name).build())
    assert main(["grade", "--data", str(s3q16), "--pred", str(preds)]) == 0
    printed = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert f"own retrieval (48 of 48 rows list the lines shown): {chain}" in printed


@pytest.mark.parametrize("k", [2, 4, 8])
@pytest.mark.parametrize("retriever", ["bm25", "tfidf"])
def test_the_own_gold_present_rate_is_the_references(s3q16, retriever, k) -> None:
    expected = {"bm25": (0.0417,) * 3, "tfidf": (0.1042, 0.2292, 0.4167)}[retriever][(2, 4, 8).index(k)]
    system = Pipeline(get_selector("latest_step"), retriever=retriever, k=k, ties=EARLIEST, same_key=True)
    figures = grade_files(s3q16, predicted(s3q16, system)).metrics
    assert figures["own_gold_present_rate"] == pytest.approx(expected, abs=5e-5)
    assert figures["own_rows"] == 48
    assert [figures[name] for name in FIGURES[1:3]] == [1, 1]
