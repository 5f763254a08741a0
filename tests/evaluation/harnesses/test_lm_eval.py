"""The folder of an lm-evaluation-harness task; `make bridges` has the harness validate and run one."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.suite import get_suite
from evaluation.door import generate
from evaluation.harnesses.lm_eval import write_task


def test_a_task_asks_and_scores_as_the_door_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bridge", "lm-eval", "--version", "goldevidence:smoke", "--out", str(tmp_path)]) == 0
    assert "task goldevidencebench_goldevidence_smoke" in capsys.readouterr().out
    [config] = tmp_path.glob("*.yaml")
    assert f"test: {tmp_path / 'rows.jsonl'}" in config.read_text()
    spec = importlib.util.spec_from_file_location("oracle", tmp_path / "oracle.py")
    assert spec is not None
    assert spec.loader is not None
    oracle = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(oracle)
    docs = list(jsonl.read(tmp_path / "rows.jsonl"))
    gold = json.loads(docs[0]["row"])["gold"]
    right = json.dumps({"value": gold["value"], "support_ids": gold["support_ids"]})
    assert oracle.score(docs[0], [right]) == {"score": 1.0}
    assert oracle.score(docs[0], ["I cannot say."]) == {"score": 0.0}
    assert gold["value"] not in oracle.prompt(docs[0]).rpartition("\n")[2]


def test_rows_whose_gold_is_withheld_are_no_task(tmp_path: Path) -> None:
    public = map(get_suite("goldevidence").public_row, generate("goldevidence", "smoke"))
    jsonl.write(tmp_path / "rows.jsonl", public)
    with pytest.raises(BenchmarkError, match="withheld"):
        write_task(str(tmp_path / "rows.jsonl"), tmp_path / "task")
    assert not (tmp_path / "task").exists()
