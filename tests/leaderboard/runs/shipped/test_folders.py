"""`run.json` of a shipped run: a field of the wrong type is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.runs.shipped import folders

GOOD: dict[str, Any] = {
    "system": "tiny",
    "suite": "goldevidence",
    "preset": "small",
    "version_sha256": "0" * 64,
    "predictions_sha256": "",
    "transcripts_sha256": "",
    "rows": 2,
    "row_states": {"answered": 2},
    "efficiency": {"tokens_per_query": 7, "wall_s_per_query": 0.5},
    "made_at": "2026-01-01T00:00:00+00:00",
}


def written(folder: Path, record: Any) -> Path:
    (folder / folders.RUN).write_text(json.dumps(record))
    return folder


def test_a_whole_record_is_read(tmp_path: Path) -> None:
    run = folders.read(written(tmp_path, GOOD))
    assert (run.rows, run.row_states, run.identity) == (2, {"answered": 2}, {})


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"rows": "2"}, "rows", "valid integer"),
        ({"rows": True}, "rows", "valid integer"),
        ({"rows_sha256": None}, "rows_sha256", "valid string"),
        ({"system": None}, "system", "valid string"),
        ({"made_at": 20260101}, "made_at", "valid string"),
        ({"row_states": {"answered": "two"}}, "row_states.answered", "valid integer"),
        ({"row_states": [2]}, "row_states", "an object"),
        ({"efficiency": {"cost": "free"}}, "efficiency.cost", "valid number"),
        ({"identity": "mine"}, "identity", "an object"),
        ({"colour": "red"}, "colour", "Unexpected"),
    ],
)
def test_a_field_of_another_type_is_refused_with_file_field_and_remedy(
    tmp_path: Path, changes: dict[str, Any], field: str, reason: str
) -> None:
    folder = written(tmp_path, GOOD | changes)
    with pytest.raises(folders.FolderError) as refused:
        folders.read(folder)
    text = str(refused.value)
    assert text.startswith(f"{folder / folders.RUN}: {field}: ")
    assert reason in text
    assert text.endswith(folders.REMEDY)


def test_a_field_that_is_missing_is_named_and_so_is_a_record_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(folders.FolderError, match=r"run\.json: rows: Field required"):
        folders.read(written(tmp_path, {name: value for name, value in GOOD.items() if name != "rows"}))
    with pytest.raises(folders.FolderError, match=r"run\.json: Input should be an object"):
        folders.read(written(tmp_path, ["rows"]))
    (tmp_path / folders.RUN).write_text('{"rows": ')
    with pytest.raises(folders.FolderError, match=r"run\.json: Invalid JSON"):
        folders.read(tmp_path)
    (tmp_path / folders.RUN).unlink()
    with pytest.raises(folders.FolderError, match="cannot be read"):
        folders.read(tmp_path)


def test_every_run_that_is_shipped_is_of_these_types() -> None:
    assert [folders.read(folder) for folder in folders.folders()]
