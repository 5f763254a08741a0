"""A version with typed gold: the lines it accepts, its board, and how little it says of withheld answers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evaluation.core.errors import RowError, SettingsError
from evaluation.core.suite import Problem
from evaluation.statebench.generator.tracks import generate
from evaluation.statebench.suite import SUITE
from tests.evaluation.statebench.data.test_typed_gold import with_gold

VERSION = SUITE.version({"source": "import", "rubric": "typed@1"})


@pytest.fixture(scope="module")
def item():
    return next(VERSION.items_from_rows([with_gold()]))


def line(**fields):
    return {"timeline_id": "CONFORMANCE", "query_idx": 0, **fields}


def graded(item, **fields):
    report = VERSION.grade([item.gold], [line(**fields)])
    return report, report.rows[0]


def read(item, rubric="typed@1", **fields):
    return SUITE.read_line(line(**fields), replace(SUITE.expected([item.gold]), rubric=rubric))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {"decision": "yess"},
            "The decision must be one of yes, no, unclear, value, not 'yess' (did you mean 'yes'?).",
        ),
        ({"decision": True}, "The decision must be one of"),
        ({"decision": "value"}, "The decision 'value' needs a value."),
        ({}, "The answer needs a decision or a value."),
        (
            {"value": ["$9"]},
            "The value must be a text of up to 2,000 characters, a number or null, not ['$9'].",
        ),
        ({"value": True}, "The value must be a text"),
        ({"decision": "yes", "because": "E0"}, "'because' must be a list of texts, not a text."),
        (
            {"decision": "yes", "because": [1]},
            "'because' must be texts of up to 2,000 characters, not 1.",
        ),
        ({"decision": "yes", "because": ["E0"] * 51}, "'because' may name up to 50 ids or quotes, not 51."),
        (
            {"decision": "yes", "becuase": []},
            "The answer has an unknown field 'becuase' (did you mean 'because'?).",
        ),
        ("yes", "The field 'answer' must be a JSON object, not a text."),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(item, answer, message):
    problem = read(item, answer=answer)
    assert isinstance(problem, Problem)
    assert problem.message.startswith(message)


def test_a_line_holds_an_answer_or_a_response_or_both(item):
    answer = {"decision": "yes"}
    assert read(item, answer=answer).given.text == '{"decision":"yes","value":null,"because":[]}'
    assert read(item, answer=answer, response="").state == "answered"
    assert read(item, response="Yes.").given.text == "Yes."
    assert read(item).message == "The line needs an 'answer' or a 'response'."
    assert read(item, answer=None, response="Yes.").given.text == "Yes."


def test_another_rubric_reads_no_answer(item):
    assert (
        read(item, rubric="strict@3", answer={"decision": "yes"}).message
        == "The field 'response' is missing."
    )
    assert read(item, rubric="strict@3", answer=5, response="Yes.").given.text == "Yes."


def test_an_offline_check_without_a_rubric_takes_both(item):
    assert read(item, rubric="", answer={"decision": "yes"}).state == "answered"
    assert isinstance(read(item, rubric="", answer={}), Problem)


def test_the_board_is_about_typed_answers_and_other_boards_are_as_they_were():
    names = [column.name for column in VERSION.columns]
    assert names[:6] == [
        "decision_accuracy", "value_accuracy", "evidence_rate", "stale_rate", "typed_rate", "free_text_accuracy"
    ]  # fmt: skip
    assert not [name for name in names if name.endswith("_1_0")]
    others = [column.name for column in SUITE.version({"rubric": "strict"}).columns]
    assert others == [column.name for column in SUITE.version({}).columns]
    assert "typed_rate" not in others
    assert VERSION.grader == "statebench/typed@1"


def test_a_report_has_the_figures_of_the_board(item):
    report, row = graded(item, answer={"value": "$9", "because": ["E0"]}, response="It is $7.")
    assert set(VERSION.metrics) <= set(report.metrics)
    assert row["correct"] == 1
    assert row["typed"] == {
        "answered": True,
        "value": True,
        "evidence": "live",
        "free_text": False,
        "note": "",
    }
    assert report.units == {"supersession": (1.0, 1)}


def test_a_file_that_leaves_the_query_out_has_no_headline(item):
    report = VERSION.grade([item.gold], [])
    assert report.metrics["decision_accuracy"] is None
    assert "must_mention_rate" not in report.metrics


def test_timelines_without_typed_gold_are_refused():
    with pytest.raises(RowError, match="without typed gold"):
        list(VERSION.items_from_rows(generate(("supersession",), 1, 0)))
    with pytest.raises(SettingsError, match="typed gold"):
        list(SUITE.version({"rubric": "typed@1"}).generate())


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (
            {"answer": {"value": "$7", "because": ["F-001"]}},
            "its decision is wrong; it cites superseded evidence",
        ),
        ({"answer": {"decision": "yes"}}, "its decision is wrong"),
        ({"answer": {"value": "$9", "because": ["price: $7"]}}, "it cites superseded evidence"),
        ({"response": "It is $8."}, "it is free text without a typed decision"),
        ({"response": ""}, "there is no response"),
    ],
)  # fmt: skip
def test_a_reason_tells_no_word_of_withheld_gold(item, fields, reason):
    _, row = graded(item, **fields)
    own, others = SUITE.redact(row, own=True), SUITE.redact(row, own=False)
    assert own["reason"] == others["reason"] == reason
    assert "response" not in others
    assert "$9" not in json.dumps(others)
    assert not {"typed", "actual_decision"} & others.keys()


def test_a_page_says_why_a_line_counts_as_it_does(item):
    public = SUITE.public_row(item.rows[0])
    [(row_id, gold)] = SUITE.replays.answers(item.gold)
    whole = SUITE.replays.with_answer(public, gold)
    assert whole["events"][2]["ground_truth"]["answer"] == item.rows[0]["events"][2]["ground_truth"]["answer"]
    seen = SUITE.replays.replay(public, row_id)
    for answer, words in [
        ({"value": "$9", "because": ["E0"]}, "the right decision, from valid evidence"),
        ({"value": "$9"}, "the right decision, without evidence"),
        ({"value": "$8"}, "its value '$8' is not '$9'"),
        ({"value": "$9", "because": ["F-001"]}, "brought back F-001 of event 0"),
    ]:
        _, row = graded(item, answer=answer)
        assert SUITE.replays.account(public, seen, row).sentence.startswith(words)
