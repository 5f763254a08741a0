"""`goldevidencebench wordings`: the same rows under several wordings, and the spread of their figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.cli import main


def report(path: Path, value_acc: float, ids: str = "ab") -> str:
    metrics = {"n": len(ids), "value_acc": value_acc, "twin_flip_rate": None}
    path.write_text(json.dumps({"metrics": metrics, "rows": [{"id": each} for each in ids]}))
    return str(path)


def test_mean_range_and_standard_deviation_between_wordings(tmp_path: Path, capsys) -> None:
    paths = [
        report(tmp_path / f"{name}.json", value) for name, value in zip("abc", (0.5, 0.7, 0.6), strict=True)
    ]
    assert main(["wordings", *paths, "--results-json", str(tmp_path / "out.json")]) == 0
    assert "2 rows under 3 wordings" in (out := capsys.readouterr().out)
    assert out.splitlines()[-1].split() == ["value_acc", *"0.5000 0.7000 0.6000 0.6000 0.2000 0.1000".split()]
    told = json.loads((tmp_path / "out.json").read_text())
    assert told["wordings"] == ["a", "b", "c"]
    assert told["figures"].keys() == {"value_acc"}
    assert told["figures"]["value_acc"]["sd"] == pytest.approx(0.1)


def test_reports_of_other_rows_or_of_something_else_are_refused(tmp_path: Path, capsys) -> None:
    one, other = report(tmp_path / "a.json", 0.5), report(tmp_path / "b.json", 0.5, "ac")
    (tmp_path / "c.json").write_text("[]")
    for paths, reason in (
        ([one, other], f"{other} and {one} differ in rows"),
        ([one], "at least two"),
        ([one, str(tmp_path / "c.json")], "c.json is not a report"),
    ):
        assert main(["wordings", *paths]) == 2
        assert reason in capsys.readouterr().err
