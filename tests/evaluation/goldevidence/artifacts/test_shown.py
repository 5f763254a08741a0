"""Citations are judged by the content of the artifact, and by the log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluation.core import jsonl, validation
from evaluation.core.errors import RowError
from evaluation.core.files.artifacts import parted
from evaluation.goldevidence import grade_files
from evaluation.goldevidence.data import book
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import SYSTEMS

SETTINGS = SUITE.settings.checked(
    {"generator": {"episodes": 2, "steps": 30, "queries": 3, "keys": 5, "chapters": 2}, "protocol": "build"}
)
ITEMS = list(SUITE.version(SETTINGS).generate())
ROWS = [row for item in ITEMS for row in item.rows]
GOLD = [item.gold for item in ITEMS]


def file_lines() -> tuple[dict[str, str], list[dict[str, Any]]]:
    """Artifacts by episode and answers of the ledger baseline."""
    system, artifacts = SYSTEMS["ledger"].build(), dict[str, str]()
    lines = [line for row in ROWS for line in system.predict(SUITE.public_row(row))]
    return artifacts, list(parted(lines, artifacts))


def graded(artifacts: dict[str, str], answers: list[dict[str, Any]]) -> dict[str, Any]:
    lines = [{"episode_id": name, "artifact": text} for name, text in artifacts.items()]
    return SUITE.version(SETTINGS).grade(GOLD, [*answers, *lines]).metrics


def without_line(text: str, uid: str) -> str:
    return "\n".join(line for line in text.splitlines() if f"[{uid}]" not in line) + "\n"


def test_a_citation_of_a_line_that_the_artifact_lacks_supports_nothing() -> None:
    artifacts, answers = file_lines()
    assert graded(artifacts, answers)["exact_acc"] == 1
    row = next(row for row in ROWS if row["gold"]["support_ids"] and row["gold"]["value"] is not None)
    uid = row["gold"]["support_ids"][0]
    less = artifacts | {row["episode_id"]: without_line(artifacts[row["episode_id"]], uid)}
    metrics = graded(less, answers)
    assert metrics["value_acc"] == 1
    assert metrics["exact_acc"] < 1
    assert metrics["entailment"] < 1
    assert metrics["artifact_missing_share"] > 0


def test_a_line_that_the_artifact_has_wrong_establishes_nothing_wrong() -> None:
    artifacts, answers = file_lines()
    row = next(row for row in ROWS if row["gold"]["support_ids"] and row["gold"]["value"] is not None)
    entry = next(
        each for each in parse_book(artifacts[row["episode_id"]]) if each.uid == row["gold"]["support_ids"][0]
    )
    forged = artifacts[row["episode_id"]].replace(entry.line(), entry._replace(value="jade-9999").line())
    assert not book.validate(forged)
    wrong = [answer | {"value": "jade-9999"} if answer["id"] == row["id"] else answer for answer in answers]
    metrics = graded(artifacts | {row["episode_id"]: forged}, wrong)
    assert metrics["entailment"] < 1
    assert metrics["artifact_wrong_share"] > 0


def test_without_its_artifact_no_answer_is_supported() -> None:
    _, answers = file_lines()
    metrics = graded({}, answers)
    assert metrics["value_acc"] == 1
    assert metrics["exact_acc"] == 0
    assert metrics["entailment"] == 0
    assert "artifacts" not in metrics


def test_files_are_graded_as_records_are_and_a_refused_artifact_is_named(tmp_path: Path) -> None:
    artifacts, answers = file_lines()
    data, preds = tmp_path / "rows.jsonl", tmp_path / "preds.jsonl"
    jsonl.write(data, ROWS)
    jsonl.write(
        preds, [*({"episode_id": name, "artifact": text} for name, text in artifacts.items()), *answers]
    )
    assert grade_files(data, preds).metrics == graded(artifacts, answers)
    jsonl.write(
        preds, [*({"episode_id": name, "artifact": ROWS[0]["document"]} for name in artifacts), *answers]
    )
    with pytest.raises(RowError, match=r"the artifact of episode 'u[0-9a-f]{12}' is refused"):
        grade_files(data, preds)


def checked(tmp_path: Path, lines: list[dict[str, Any]], *, records: bool = False) -> validation.Intake:
    expected = SUITE.expected(GOLD if records else map(SUITE.public_row, ROWS))
    jsonl.write(tmp_path / "preds.jsonl", lines)
    return validation.check(tmp_path / "preds.jsonl", SUITE, expected)


@pytest.mark.parametrize("records", [False, True])
def test_a_predictions_file_has_an_artifact_of_each_episode_checked_with_line_and_reason(
    tmp_path: Path, records: bool
) -> None:
    artifacts, answers = file_lines()
    lines = [{"episode_id": name, "artifact": text} for name, text in artifacts.items()]
    intake = checked(tmp_path, [*lines, *answers], records=records)
    assert intake.ok
    assert intake.rows == len(ROWS)
    [missing] = checked(tmp_path, [*lines[1:], *answers], records=records).problems
    assert (missing.code, missing.id) == ("missing_artifact", lines[0]["episode_id"])
    log = next(row["document"] for row in ROWS if row["episode_id"] == lines[1]["episode_id"])
    handed_back = [lines[0], lines[1] | {"artifact": log}, *lines[2:], *answers]
    [refused] = checked(tmp_path, handed_back, records=records).problems
    assert (refused.code, refused.line, refused.id) == ("artifact_is_log", 2, lines[1]["episode_id"])
    assert refused.message.startswith(f"The artifact of episode '{lines[1]['episode_id']}' is refused: ")


def test_artifacts_twice_or_of_nothing_are_refused(tmp_path: Path) -> None:
    artifacts, answers = file_lines()
    lines = [{"episode_id": name, "artifact": text} for name, text in artifacts.items()]
    twice = checked(tmp_path, [*lines, lines[0], *answers])
    assert [problem.code for problem in twice.problems] == ["duplicate_artifact"]
    strange = checked(tmp_path, [*lines, {"episode_id": "E9", "artifact": "# Book"}, *answers])
    assert [problem.code for problem in strange.problems] == ["unknown_episode"]


def test_other_protocols_know_no_artifact_lines(tmp_path: Path) -> None:
    settings = SETTINGS | {"protocol": "open"}
    rows = [row for item in SUITE.version(settings).generate() for row in item.rows]
    jsonl.write(tmp_path / "preds.jsonl", [{"episode_id": rows[0]["episode_id"], "artifact": "# Book"}])
    intake = validation.check(tmp_path / "preds.jsonl", SUITE, SUITE.expected(map(SUITE.public_row, rows)))
    assert [problem.code for problem in intake.problems] == ["no_id"]
