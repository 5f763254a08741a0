"""The kinds of rows: how they are recognized, a timeline's questions, and the form of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.adapters.base import Answer, Row, Usage
from evaluation.adapters.determinism import check_determinism
from evaluation.adapters.kinds import KINDS, get_kind, kind_of
from evaluation.adapters.run_files import RunFiles
from evaluation.adapters.runner import RowResult, run
from evaluation.core.errors import AdapterError, BenchmarkError, RowError, UnknownNameError
from evaluation.statebench.adapters.timeline_rows import KIND
from evaluation.statebench.grading.grade import response_problem
from evaluation.statebench.suite import MAX_RESPONSE
from tests.evaluation.conftest import make_row, make_timelines

QUESTIONS = list(KIND.questions(make_timelines()))


class Parrot:
    """Repeats the question, one row at a time."""

    def predict(self, row: Row, *, protocol: str) -> Row:
        return {"response": row["question"]}


def predictions(adapter: Any, rows: list[Row], **options: Any) -> list[Row]:
    seen: list[RowResult] = []
    run(rows, adapter, protocol="closed_book", kind=KIND, on_row=seen.append, **options)
    return [result.prediction for result in seen]


def test_a_row_tells_its_kind() -> None:
    assert kind_of(make_row()).name == "goldevidence"
    assert kind_of(make_timelines()[0]).name == "statebench"
    with pytest.raises(BenchmarkError, match="neither a question"):
        kind_of({"id": "x"})


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_is_called_like_its_suite_and_names_its_adapters(name: str) -> None:
    assert get_kind(name).name == name
    assert {"llama_cpp", "openai_compatible"} <= get_kind(name).adapters.keys()


def test_an_unknown_kind_fails_helpfully() -> None:
    with pytest.raises(UnknownNameError, match="statebench"):
        get_kind("statebenhc")


def test_a_timeline_asks_one_question_per_query_and_hides_the_truth() -> None:
    timeline = make_timelines("brutal_realistic")[0]
    asked = list(KIND.questions([timeline]))
    assert [question["id"] for question in asked] == [f"{timeline['id']}#{n}" for n in range(len(asked))]
    assert len(asked) > 1
    assert "ground_truth" in str(timeline)
    assert not any(word in str(asked) for word in ("ground_truth", "must_mention", "implicit_supersession"))


def test_a_row_that_is_no_timeline_is_named() -> None:
    with pytest.raises(RowError, match="lacks"):
        list(KIND.questions([make_timelines()[0], {"id": "half"}]))


def test_an_answer_is_written_as_a_response_with_its_cost() -> None:
    usage = Usage(prompt_tokens=90, generated_tokens=10, wall_s=0.25)
    written = KIND.prediction(QUESTIONS[0], Answer({"response": "Yes."}, usage))
    assert written == {
        "timeline_id": QUESTIONS[0]["timeline"]["id"],
        "query_idx": 0,
        "response": "Yes.",
        "tokens_used": 100,
        "latency_ms": 250.0,
    }
    assert response_problem(written) is None
    assert KIND.answered(written) == QUESTIONS[0]["id"]


def test_a_response_is_cut_to_what_is_accepted() -> None:
    written = KIND.prediction(QUESTIONS[0], Answer({"response": "x" * (MAX_RESPONSE + 1)}, Usage()))
    assert len(written["response"]) == MAX_RESPONSE


@pytest.mark.parametrize("output", [{}, {"response": None}, {"value": "x"}, "Yes."])
def test_an_output_without_a_response_names_the_row(output: Any) -> None:
    with pytest.raises(AdapterError, match=f"row {QUESTIONS[0]['id']}: .*`response`"):
        KIND.prediction(QUESTIONS[0], Answer(output, Usage()))


def test_a_system_of_one_s_own_answers_timelines_through_the_same_loop() -> None:
    assert [row["response"] for row in predictions(Parrot(), QUESTIONS)] == [q["question"] for q in QUESTIONS]


def test_a_run_over_timelines_goes_on_where_it_stopped(tmp_path: Any) -> None:
    path = tmp_path / "responses.jsonl"
    for limit in (2, len(QUESTIONS)):
        with RunFiles(path, {"system": "parrot"}, resume=True, kind=KIND) as files:
            done = list(files.done_ids)
            run(
                QUESTIONS[:limit],
                Parrot(),
                protocol="closed_book",
                kind=KIND,
                on_row=files.save,
                done_ids=done,
            )
    assert done == [question["id"] for question in QUESTIONS[:2]]
    assert path.read_bytes().count(b"\n") == len(QUESTIONS)


def test_the_time_an_answer_took_is_no_difference() -> None:
    assert check_determinism(QUESTIONS, Parrot(), protocol="closed_book", kind=KIND) == []


def test_queries_of_a_timeline_form_a_group_and_longer_ones_are_greater() -> None:
    groups = list(KIND.groups(QUESTIONS))
    assert [question for group in groups for question in group] == QUESTIONS
    assert all(len({question["timeline"]["id"] for question in group}) == 1 for group in groups)
    longer = QUESTIONS[0]["timeline"] | {"events": QUESTIONS[0]["timeline"]["events"] * 2}
    assert KIND.size(QUESTIONS[0] | {"timeline": longer}, "") > KIND.size(QUESTIONS[0], "") > 0
