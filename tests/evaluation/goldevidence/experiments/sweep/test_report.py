"""Our sweeps have the form of the reference's, so that its readers can read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from evaluation.cli import main
from evaluation.core import jsonl
from evaluation.goldevidence.experiments.sweep.report import write_report
from tests.reference import reference_path

#: Of a model that the reference stubs: seconds that nothing took.
NOT_OURS = {"reranked_uid", "answer_ledger_entries", "deterministic_answerer"}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sweep `kvc_latest_s2q8`, made with our options as the manifest says."""
    folder = tmp_path_factory.mktemp("form") / "kvc_latest_s2q8"
    words = "--seeds 2 --episodes 1 --steps 60 --queries 8 --state-modes kv_commentary --distractor-profiles standard"
    words += " --note-rate 0.3 --no-twins --no-derived-queries --max-book-tokens 400"
    words += " --k-list 4 --wrong-type same_key --adapter retrieval --selectors latest_step"
    assert main(["sweep", "--out", str(folder), *words.split()]) == 0
    return folder


def names(values: Iterable[Mapping[str, Any]]) -> set[str]:
    return {name for value in values for name in value} - NOT_OURS


def test_runs_have_the_fields_of_theirs(ours: Path) -> None:
    theirs = orjson.loads(reference_path("gold/sweeps/kvc_latest_s2q8/combined.json").read_bytes())
    runs = orjson.loads((ours / "combined.json").read_bytes())
    assert names(theirs) <= names(runs)
    for part in ("data", "config", "env", "metrics", "efficiency"):
        assert names(run[part] for run in theirs) <= names(run[part] for run in runs), part
    traces = [[trace for run in of for trace in run["retrieval_stats"]] for of in (theirs, runs)]
    assert names(traces[0]) <= names(traces[1])
    assert [run["data"]["n"] for run in theirs] == [run["data"]["n"] for run in runs] == [8, 8]
    same = (
        "seeds",
        "episodes",
        "steps",
        "keys",
        "queries",
        "chapters",
        "note_rate",
        "twins",
        "max_book_tokens",
    )
    assert all(theirs[0]["config"][name] == runs[0]["config"][name] for name in same)


def test_rows_and_predictions_have_the_fields_of_theirs(ours: Path) -> None:
    theirs = reference_path("gold/sweeps/ledger_s1q6")
    whole = ours.parent / "whole"
    assert main(["sweep", "--out", str(whole), "--systems", "ledger", "--steps", "60"]) == 0
    (own,), (other, *_) = list(whole.glob("seed0*")), sorted(theirs.glob("seed0*"))
    first, second = (next(jsonl.read(path)) for path in (own / "data.jsonl", other / "data.jsonl.gz"))
    assert second.keys() <= first.keys()
    assert second["gold"].keys() - {"support_id"} <= first["gold"].keys()
    assert {"id", "value", "support_ids"} <= next(jsonl.read(own / "preds.jsonl")).keys()


def test_summaries_and_tables_have_the_fields_of_theirs(ours: Path) -> None:
    theirs = reference_path("gold/sweeps/kvc_latest_s2q8")
    first, second = (orjson.loads((path / "summary.json").read_bytes()) for path in (theirs, ours))
    assert first.keys() <= second.keys()
    for part in ("overall", "retrieval", "recency"):
        assert first[part].keys() <= second[part].keys(), part
    for name in ("summary.csv", "decomposition.csv"):
        heads = [
            set((path / name).read_text().splitlines()[0].split(",")) - NOT_OURS for path in (theirs, ours)
        ]
        assert heads[0] <= heads[1], name


def test_a_report_is_made_of_a_sweep_of_theirs(tmp_path: Path) -> None:
    page = write_report(reference_path("gold/sweeps/kv_drop40_s2q8/combined.json"), tmp_path)
    text = page.read_text()
    assert "Value accuracy by lines of the log" in text
    assert "limit on words shown" in text
    assert (tmp_path / "plots" / "recency-tokens_since_update.svg").exists()
