"""Answers are matched to rows in any order, and the last answer to a row counts."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, RowError
from evaluation.core.files.version_files import (
    AnswerForm,
    PredictionsFile,
    collected,
    numbered_answers,
    open_version_files,
)
from evaluation.goldevidence.data.rubrics import RUBRICS

STRICT = RUBRICS["strict"].answer_form

IDS = st.sampled_from(["a", "b", "c", "d", "e"])


def predictions(ids):
    return [{"id": row_id, "value": str(number)} for number, row_id in enumerate(ids)]


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(given_ids=st.lists(IDS, max_size=8), asked=st.lists(IDS | st.just("z"), max_size=8))
def test_every_row_gets_its_last_answer(tmp_path, given_ids, asked) -> None:
    path = tmp_path / "pred.jsonl"
    jsonl.write(path, predictions(given_ids))
    last = {row_id: str(number) for number, row_id in enumerate(given_ids)}
    answers = PredictionsFile(path, STRICT)
    for row_id in asked:
        result = answers.take(row_id)
        assert (result.value if result else None) == last.get(row_id)


def test_lines_without_an_id_or_an_answer_do_not_count(tmp_path) -> None:
    path = tmp_path / "pred.jsonl"
    jsonl.write(path, [{"id": "a", "value": "x"}, {"id": "a"}, {"value": "y"}, {"id": None, "value": "y"}])
    assert [(row_id, answer.value) for row_id, answer in numbered_answers(path, STRICT)] == [("a", "x")]
    assert collected(jsonl.read(path), STRICT).keys() == {"a"}


def test_an_unusable_line_is_refused_before_the_first_answer(tmp_path) -> None:
    path = tmp_path / "pred.jsonl"
    path.write_text('{"id": "a", "value": "x"}\n[]\n')
    with pytest.raises(RowError, match=r"pred.jsonl:2: a line must be a JSON object, not a list"):
        PredictionsFile(path, STRICT)


def test_a_pipe_is_refused_and_never_graded_as_empty() -> None:
    source, sink = os.pipe()
    os.write(sink, b'{"id": "a", "value": "x"}\n')
    os.close(sink)
    with pytest.raises(BenchmarkError, match="a pipe"):
        PredictionsFile(f"/dev/fd/{source}", STRICT)
    os.close(source)


PLAIN = AnswerForm(lambda line: line.get("id"), lambda line: line.get("value"))


def graded(rows, lines, *more, **options):
    files = open_version_files(rows, lines, *more, form=PLAIN, **options)
    return list(files.graded(lambda row: [(row["id"], row["id"])]))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(given_ids=st.lists(IDS, max_size=6), asked=st.lists(IDS, max_size=6))
def test_files_and_what_is_read_of_them_give_the_same_records_with_their_predictions(
    tmp_path, given_ids, asked
) -> None:
    rows, lines = [{"id": row_id} for row_id in asked], predictions(given_ids)
    jsonl.write(tmp_path / "rows.jsonl", rows)
    jsonl.write(tmp_path / "pred.jsonl", lines)
    last = {row_id: str(number) for number, row_id in enumerate(given_ids)}
    expected = [(row_id, last.get(row_id)) for row_id in asked]
    assert graded(rows, lines) == graded(tmp_path / "rows.jsonl", tmp_path / "pred.jsonl") == expected


def test_artifacts_are_parted_from_the_answers(tmp_path) -> None:
    lines = [{"episode_id": "E1", "artifact": "a book"}, {"id": "a", "value": "x"}]
    jsonl.write(tmp_path / "pred.jsonl", lines)
    for source in (lines, tmp_path / "pred.jsonl"):
        assert open_version_files([], source, form=PLAIN).artifacts == {"E1": "a book"}
    assert open_version_files([], lines, "", {}, form=PLAIN).artifacts == {}


def test_a_row_that_cannot_be_used_is_named_by_its_line(tmp_path) -> None:
    def refuse(row):
        raise RowError("no")

    jsonl.write(tmp_path / "rows.jsonl", [{"id": "a"}])
    files = open_version_files(tmp_path / "rows.jsonl", [], form=PLAIN)
    assert files.first == {"id": "a"}
    with pytest.raises(RowError, match=r"rows\.jsonl:1: no"):
        list(files.graded(refuse))
    with pytest.raises(RowError, match=r"^data:1: no"):
        list(open_version_files([{}], [], form=PLAIN, source="data").graded(refuse))
