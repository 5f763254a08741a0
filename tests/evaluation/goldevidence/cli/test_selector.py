"""`goldevidencebench selector` from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation import goldevidence
from evaluation.cli import main
from evaluation.core import jsonl


def test_export_then_train_then_evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, examples, model = (str(tmp_path / name) for name in ("d.jsonl", "e.jsonl.gz", "m.json"))
    settings = {"episodes": 3, "steps": 80, "state_mode": "kv_commentary", "note_rate": 0.3}
    jsonl.write(data, goldevidence.generate(settings, seed=3))
    assert main(["selector", "export", "--data", data, "--out", examples, "--use-gold-support"]) == 0
    assert main(["selector", "train", "--data", examples, "--out", model, "--epochs", "20"]) == 0
    assert json.loads(Path(model).read_text())["meta"]["train_selection_rate"] == 1.0
    options = ["--episodes", "2", "--note-rates", "0.3", "--orders", "gold_first"]
    assert main(["selector", "evaluate", "--model", model, *options]) == 0
    printed = capsys.readouterr().out
    assert "k4-gold_first" in printed
    assert "prefer_update_latest" in printed


def test_demo_prints_the_decomposition_before_and_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.json"
    options = ["--train-episodes", "5", "--episodes", "2", "--note-rates", "0.3", "--out", str(model)]
    assert main(["selector", "demo", *options]) == 0
    before, _, after = capsys.readouterr().out.partition("After")
    assert "latest_step" in before
    assert "linear" in after
    assert model.is_file()


def test_a_wrong_option_is_a_plain_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selector", "evaluate", "--k", "0"]) == 2
    assert "must be between 1 and 1000" in capsys.readouterr().err
    (tmp_path / "m.json").write_text("{}")
    assert main(["selector", "evaluate", "--model", str(tmp_path / "m.json")]) == 2
    assert "not a linear selector" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "--note-rates", "0,much"],
        ["evaluate", "--note-rates", "2"],
        ["demo", "--train-k", "1,1"],
        ["demo", "--lr", "nan"],
        ["train", "--data", "x", "--out", "y", "--epochs", "0"],
    ],
)
def test_numbers_are_checked_where_they_are_read(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["selector", *arguments])
    assert f"argument {arguments[-2]}" in capsys.readouterr().err


def test_smokes_rows_can_be_exported(tmp_path: Path) -> None:
    data, examples = tmp_path / "d.jsonl", tmp_path / "e.jsonl"
    assert main(["generate", "--preset", "smoke", "--out", str(data)]) == 0
    assert main(["selector", "export", "--data", str(data), "--out", str(examples)]) == 0
    assert len(list(jsonl.read(examples))) > 0
