"""`--limit` of `goldevidencebench model`: the share of each split, and the same rows when a run continues."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.core import jsonl
from tests.evaluation.conftest import condition_row, make_row, make_timelines

ANSWERS = """
class System:
    def predict(self, row, *, protocol):
        return {"value": "x"}
def make():
    return System()
"""


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    whole = [make_row(number) for number in range(1, 9)]
    shown = [condition_row(number) for number in range(11, 15)]
    jsonl.write(tmp_path / "rows.jsonl", whole + shown)
    (tmp_path / "answering_system.py").write_text(ANSWERS)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "rows.jsonl"


def run(data: Path, *more: str) -> int:
    return main(
        ["model", "--adapter", "answering_system:make", "--data", str(data), "--out", "p.jsonl", *more]
    )


def answered() -> list[str]:
    return [row["id"] for row in jsonl.read("p.jsonl")]


def test_of_each_split_its_share_is_asked(data: Path) -> None:
    assert run(data, "--limit", "3") == 0
    assert [("@" in row_id) for row_id in answered()] == [False, False, True]


def test_a_run_that_goes_on_with_a_greater_limit_or_none_keeps_its_rows(data: Path) -> None:
    assert run(data, "--limit", "3") == 0
    first = answered()
    assert run(data, "--limit", "6", "--resume") == 0
    more = answered()
    assert (more[:3], len(more)) == (first, 6)
    assert run(data, "--resume") == 0
    assert (answered()[:6], len(set(answered()))) == (more, 12)


def test_a_run_that_an_older_release_began_goes_on_with_the_first_rows(data: Path) -> None:
    assert run(data, "--limit", "2") == 0
    journal = Path("p.jsonl.journal")
    begun, entry, *_ = journal.read_text().splitlines()
    old = json.loads(begun)
    assert old["identity"].pop("rows") == "spread"
    journal.write_text(f"{json.dumps(old)}\n{entry}\n")
    jsonl.write("p.jsonl", list(jsonl.read("p.jsonl"))[:1])
    assert run(data, "--limit", "4", "--resume") == 0
    assert answered() == [row["id"] for row in list(jsonl.read(data))[:4]]


def test_queries_of_timelines_are_spread_over_the_tracks(data: Path) -> None:
    timelines = make_timelines("supersession", "causality", "brutal_realistic", count=2)
    jsonl.write(data, timelines)
    (data.parent / "responding_system.py").write_text(ANSWERS.replace('"value"', '"response"'))
    words = ["model", "--adapter", "responding_system:make", "--data", str(data), "--out", "p.jsonl"]
    assert main([*words, "--limit", "3"]) == 0
    tracks = {timeline["id"]: timeline["track"] for timeline in timelines}
    asked = [tracks[row["timeline_id"]] for row in jsonl.read("p.jsonl")]
    assert sorted(asked) == ["brutal_realistic", "causality", "supersession"]


def test_a_bad_row_is_named_as_ever(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jsonl.write(data, [make_row(1), {"question": "what?"}])
    assert run(data, "--limit", "2") == 2
    assert "row 2 has no id or no question" in capsys.readouterr().err
