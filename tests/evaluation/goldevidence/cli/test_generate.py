"""`goldevidencebench generate`."""

from __future__ import annotations

import orjson
import pytest

from evaluation import goldevidence
from evaluation.cli import main
from evaluation.core import jsonl

SMALL = ["--episodes", "2", "--steps", "20", "--chapters", "2", "--queries", "3"]


def test_it_writes_what_the_library_yields(tmp_path, capsys):
    out = tmp_path / "rows.jsonl.gz"
    assert (
        main(["generate", "--out", str(out), "--seed", "5", *SMALL, "--state-mode", "set", "--no-twins"]) == 0
    )
    config = {"episodes": 2, "steps": 20, "chapters": 2, "queries": 3, "state_mode": "set", "twins": False}
    assert list(jsonl.read(out)) == list(goldevidence.generate(config, 5))
    assert capsys.readouterr().err == f"wrote 6 rows of 2 episodes to {out}\n"


def test_a_bad_setting_is_one_line_and_exit_code_two(tmp_path, capsys):
    assert main(["generate", "--out", str(tmp_path / "x"), "--steps", "0"]) == 2
    assert capsys.readouterr().err.startswith(
        "goldevidencebench: steps: must be between 1 and 100000, not 0."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_preset_may_be_changed_by_flags(tmp_path):
    out = tmp_path / "rows.jsonl"
    assert (
        main(["generate", "--preset", "smoke", "--state-mode", "counter", "--seed", "9", "--out", str(out)])
        == 0
    )
    rows = list(jsonl.read(out))
    assert {(row["meta"]["seed"], row["meta"]["state_mode"]) for row in rows} == {(9, "counter")}
    assert {row["meta"].get("condition") for row in rows} == {None, "k4-shuffle"}


def test_an_unknown_preset_names_the_nearest(tmp_path, capsys):
    assert main(["generate", "--preset", "smok", "--out", str(tmp_path / "x")]) == 2
    assert "Did you mean 'smoke'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("protocol", "text", "other"),
    [("closed", "book", "document"), ("open", "document", "book"), ("build", "document", "book")],
)
def test_rows_of_a_protocol_hold_what_it_shows_and_no_more(tmp_path, protocol, text, other):
    out = tmp_path / "rows.jsonl"
    assert main(["generate", "--out", str(out), *SMALL, "--protocol", protocol]) == 0
    rows = list(jsonl.read(out))
    assert all(row[text] and other not in row for row in rows)
    assert {row["meta"]["protocol"] for row in rows} == {protocol}
    assert main(["generate", "--out", str(out), "--preset", "quick", "--protocol", protocol]) == 0
    assert {row["meta"]["protocol"] for row in jsonl.read(out)} == {protocol}


def test_what_a_book_is_built_of_is_measured(tmp_path):
    rows, results = tmp_path / "rows.jsonl", tmp_path / "results.json"
    assert main(["generate", "--out", str(rows), *SMALL, "--protocol", "build"]) == 0
    words = ["--adapter", "log_to_book", "--data", str(rows), "--results-json", str(results)]
    assert main(["model", *words]) == 0
    told = orjson.loads(results.read_bytes())
    assert {each["episode_id"] for each in told["artifact_stats"]} == {
        row["episode_id"] for row in jsonl.read(rows)
    }
    assert told["metrics"]["value_acc"] == 1.0


def test_a_progress_bar_shows_where_a_person_watches(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert main(["generate", "--out", str(tmp_path / "rows.jsonl"), *SMALL]) == 0
    assert "generating" in capsys.readouterr().err


@pytest.mark.parametrize("flags", [["--steps", "many"], ["--state-mode", "sets"], []])
def test_wrong_usage_is_exit_code_two(flags):
    with pytest.raises(SystemExit) as stopped:
        main(["generate", *flags])
    assert stopped.value.code == 2
