"""Predictions are saved line by line; an incomplete line is cut off; only the same system continues a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.adapters.base import Usage
from evaluation.adapters.run_files import RunFiles, cut_torn_line
from evaluation.adapters.runner import RowResult
from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.row_states import RowState
from evaluation.goldevidence.adapters.episode_rows import KIND

IDENTITY = {"adapter": "ledger", "settings": {"k": "8"}}


def result(number: int, state: RowState = RowState.ANSWERED) -> RowResult:
    words = {"value": "x", "support_ids": []} if state == RowState.ANSWERED else {"state": state.value}
    prediction = {"id": f"Q{number}", **words}
    return RowResult(prediction["id"], prediction, Usage(prompt_tokens=10), number, 9, 1.0, 0.0, state)


def write_run(path: Path, rows: int, *cut: int) -> None:
    """Write a run over `rows` rows, of which those in `cut` were cut off."""
    with RunFiles(path, IDENTITY, kind=KIND) as files:
        for number in range(1, rows + 1):
            files.save(result(number, RowState.CUT_OFF if number in cut else RowState.ANSWERED))


def test_a_broken_run_goes_on_behind_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with RunFiles(path, IDENTITY, kind=KIND) as files:
        files.save(result(1))
        files.save(result(2))
    path.write_bytes(path.read_bytes()[:-5])
    with RunFiles(path, IDENTITY, resume=True, kind=KIND) as files:
        assert list(files.done_ids) == ["Q1"]
        assert files.usage.prompt_tokens == 10
        files.save(result(2))
    assert [row["id"] for row in jsonl.read(path)] == ["Q1", "Q2"]


def test_the_states_of_earlier_rows_are_counted_and_stand_in_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    write_run(path, 3, 2)
    journal = list(jsonl.read(tmp_path / "p.jsonl.journal"))
    assert [entry.get("state") for entry in journal] == [None, "answered", "cut_off", "answered"]
    with RunFiles(path, IDENTITY, resume=True, kind=KIND) as files:
        assert files.states == {"answered": 2, "cut_off": 1}


def test_a_journal_of_before_states_were_kept_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    write_run(path, 2)
    journal = tmp_path / "p.jsonl.journal"
    jsonl.write(journal, [{k: v for k, v in entry.items() if k != "state"} for entry in jsonl.read(journal)])
    with RunFiles(path, IDENTITY, resume=True, kind=KIND) as files:
        assert (files.states, files.usage.prompt_tokens) == ({"answered": 2}, 20)


def test_prompts_that_earlier_attempts_shortened_count_with_those_of_this_one(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with RunFiles(path, IDENTITY, kind=KIND) as files:
        for number in range(1, 51):
            cut = number in (7, 8)
            state = RowState.CUT_OFF if number in (7, 9) else RowState.ANSWERED
            files.save(replace(result(number, state), truncated=int(cut)))
        assert files.over_all_attempts({"truncated_rows": 2}) == {"truncated_rows": 2}
    with RunFiles(path, IDENTITY, resume=True, kind=KIND) as files:
        assert files.over_all_attempts({"truncated_rows": 3, "k": 1}) == {"truncated_rows": 5, "k": 1}
        assert files.over_all_attempts({"k": 1}) == {"k": 1}
    with RunFiles(path, IDENTITY, resume=True, keep_unanswered=False, kind=KIND) as files:
        assert files.truncated == 1  # the other row is asked again


def test_after_a_pause_the_rows_without_an_answer_are_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    write_run(path, 50, 7, 9)
    with RunFiles(path, IDENTITY, resume=True, keep_unanswered=False, kind=KIND) as files:
        assert len(files.done_ids) == 48
        assert not files.done_ids.keys() & {"Q7", "Q9"}
        assert (files.states, files.usage.prompt_tokens) == ({"answered": 48}, 480)
        for number in (7, 9, 51):
            files.save(result(number))
        assert files.asked_again == 2
    assert sorted(row["id"] for row in jsonl.read(path)) == sorted(f"Q{n}" for n in range(1, 52))
    assert not any("state" in row for row in jsonl.read(path))
    with RunFiles(path, IDENTITY, resume=True, keep_unanswered=False, kind=KIND) as files:
        assert (len(files.done_ids), files.asked_again) == (51, 2)


def test_they_stay_as_they_are_on_request_and_where_the_run_had_not_paused(tmp_path: Path) -> None:
    write_run(tmp_path / "a.jsonl", 50, 7, 9)
    with RunFiles(tmp_path / "a.jsonl", IDENTITY, resume=True, keep_unanswered=True, kind=KIND) as files:
        assert (len(files.done_ids), files.states["cut_off"]) == (50, 2)
    write_run(tmp_path / "b.jsonl", 50, 7)
    with RunFiles(tmp_path / "b.jsonl", IDENTITY, resume=True, keep_unanswered=False, kind=KIND) as files:
        assert (len(files.done_ids), files.states["cut_off"]) == (50, 1)


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("{}\n")
    with pytest.raises(BenchmarkError, match="add --resume"):
        RunFiles(path, IDENTITY, kind=KIND)
    assert path.read_text() == "{}\n"


def test_a_run_is_not_continued_by_another_system(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with RunFiles(path, IDENTITY, kind=KIND) as files:
        files.save(result(1))
    with pytest.raises(BenchmarkError, match="started with a different settings"):
        RunFiles(path, IDENTITY | {"settings": {"k": "4"}}, resume=True, kind=KIND)


def test_resuming_what_never_began_is_a_fresh_start(tmp_path: Path) -> None:
    with RunFiles(tmp_path / "p.jsonl", IDENTITY, resume=True, kind=KIND) as files:
        assert not files.done_ids


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.text("ab", max_size=4)), st.text("ab", max_size=4))
def test_cutting_leaves_exactly_the_whole_lines(tmp_path: Path, lines: list[str], torn: str) -> None:
    whole = "".join(f"{line}\n" for line in lines)
    path = tmp_path / "lines"
    path.write_text(whole + torn)
    cut_torn_line(path)
    assert path.read_text() == whole


def test_a_file_without_a_journal_is_not_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text('{"id": "Q1"}\nhalf a line')
    with pytest.raises(BenchmarkError, match="no journal beside it"):
        RunFiles(path, IDENTITY, resume=True, kind=KIND)
    assert path.read_text() == '{"id": "Q1"}\nhalf a line'


def test_another_systems_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with RunFiles(path, IDENTITY, kind=KIND) as files:
        files.save(result(1))
    path.write_text(path.read_text() + "torn")
    with pytest.raises(BenchmarkError, match="started with a different"):
        RunFiles(path, {"adapter": "naive"}, resume=True, kind=KIND)
    assert path.read_text().endswith("torn")


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("p.jsonl", '{"value": "x"}', "p.jsonl:2: the line has no row id"),
        ("p.jsonl.journal", '{"id": "Q1"}', "p.jsonl.journal:3: the line is not an entry of a journal"),
    ],
)
def test_a_line_that_says_nothing_is_named(tmp_path: Path, file: str, line: str, message: str) -> None:
    with RunFiles(tmp_path / "p.jsonl", IDENTITY, kind=KIND) as files:
        files.save(result(1))
    with (tmp_path / file).open("a") as handle:
        handle.write(f"{line}\n")
    with pytest.raises(BenchmarkError, match=message):
        RunFiles(tmp_path / "p.jsonl", IDENTITY, resume=True, kind=KIND)
