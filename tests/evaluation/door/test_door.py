"""The public door: both suites work alike, and verdicts of rows add up to the figure of the whole."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import goldevidencebench
import pytest

from evaluation import door
from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, RowError, UnknownNameError
from evaluation.core.suite import get_suite

GENERATOR = {"episodes": 2, "steps": 40, "queries": 4, "keys": 5, "chapters": 2, "twins": False}
MADE: dict[str, Any] = {
    "goldevidence": {"generator": GENERATOR, "seeds": [5], "protocol": "closed"},
    "statebench": {
        "preset": "decisions_short",
        "tracks": ["supersession", "causality"],
        "templates": 3,
        "lengths": [0],
    },
}


@pytest.fixture(params=list(MADE))
def suite(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def rows(suite: str) -> list[Any]:
    return list(door.generate(suite, **MADE[suite]))


@pytest.fixture
def version(rows: list[Any], tmp_path: Path) -> door.Version:
    jsonl.write(tmp_path / "rows.jsonl", rows)
    return door.read_version(tmp_path / "rows.jsonl")


def reply_to(version: door.Version, number: int) -> str:
    """A right reply to every third question, a wrong one or prose to the others."""
    row: Any = version.rows[number]
    if number % 3:
        return '{"value": "nothing of this kind", "decision": "unclear"}' if number % 2 else "I cannot say."
    if version.suite == "goldevidence":
        return json.dumps({"value": row["gold"]["value"], "support_ids": row["gold"]["support_ids"]})
    queries = [event for event in row["timeline"]["events"] if event["type"] == "query"]
    return json.dumps(queries[row["query_idx"]]["ground_truth"]["answer"])


def test_the_verdicts_of_rows_add_up_to_the_figure_of_grade(version: door.Version, tmp_path: Path) -> None:
    replies = [reply_to(version, number) for number in range(len(version))]
    verdicts = [door.verdict(row, reply) for row, reply in zip(version, replies, strict=True)]
    if version.suite == "goldevidence":
        lines = [{"id": row["id"], "output": reply} for row, reply in zip(version, replies, strict=True)]
    else:
        lines = [
            {"timeline_id": row["timeline"]["id"], "query_idx": row["query_idx"], "response": reply}
            for row, reply in zip(version, replies, strict=True)  # type: ignore[typeddict-item]
        ]
    jsonl.write(tmp_path / "preds.jsonl", lines)
    report = door.grade(version, lines)
    assert door.grade(tmp_path / "rows.jsonl", tmp_path / "preds.jsonl").metrics == report.metrics
    figure = report.metrics[verdicts[0].headline]
    assert (
        0
        < fmean(each.score for each in verdicts if each.score is not None)
        == pytest.approx(figure, abs=1e-12)
    )
    assert 0 < figure < 1
    assert [dict(each.row) for each in verdicts] == [dict(row) for row in report.rows]


def test_a_chat_shows_the_question_and_no_gold(suite: str, version: door.Version) -> None:
    public = get_suite(suite).public_row
    for row in version.rows[:3]:
        system, user = door.messages(row)
        assert (system["role"], user["role"]) == ("system", "user")
        shown: Any = {**row, "timeline": public(row["timeline"])} if suite == "statebench" else public(row)  # type: ignore[typeddict-item]
        prompt = "typed@1" if suite == "statebench" else ""
        assert door.messages(shown, prompt) == [system, user]
        with pytest.raises(UnknownNameError, match="prompt set"):
            door.messages(row, "nothing@1")


def test_rows_without_gold_can_be_asked_and_not_graded(suite: str, rows: list[Any], tmp_path: Path) -> None:
    jsonl.write(tmp_path / "rows.jsonl", map(get_suite(suite).public_row, rows))
    version = door.read_version(tmp_path / "rows.jsonl")
    assert not version.has_gold
    with pytest.raises(door.WithheldError, match="has no gold"):
        door.verdict(version.rows[0], "x")
    with pytest.raises(door.WithheldError, match="have no gold"):
        door.grade(version, [])


def test_what_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("")
    with pytest.raises(BenchmarkError, match=r"rows.jsonl: no rows"):
        door.read_version(tmp_path / "rows.jsonl")
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(BenchmarkError, match="neither a question"):
        door.read_version(tmp_path / "rows.jsonl")
    (tmp_path / "rows.jsonl").write_text('{"id": "a", "question": "?"}\n{"id": 3, "question": "?"}\n')
    with pytest.raises(RowError, match="no id or no question"):
        door.read_version(tmp_path / "rows.jsonl")
    with pytest.raises(UnknownNameError, match="preset"):
        next(door.generate("goldevidence", "smok"))


def test_an_answer_to_a_query_that_is_not_asked_is_refused() -> None:
    rows = list(door.generate("statebench", **MADE["statebench"]))
    with pytest.raises(RowError, match="1: there is no query 99"):
        door.grade(rows, [{"timeline_id": rows[0]["id"], "query_idx": 99, "response": "x"}])


def test_the_package_offers_the_door_under_pinned_names() -> None:
    assert goldevidencebench.__all__ == ["Site", "generate", "grade", "messages", "read_version", "verdict"]
    for name in goldevidencebench.__all__:
        assert callable(getattr(goldevidencebench, name))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = goldevidencebench.nothing
