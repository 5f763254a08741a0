"""Typed gold: ids become texts, and a gold that cannot be graded against is refused with its place."""

from __future__ import annotations

import pytest

from evaluation.core.errors import RowError
from evaluation.statebench.data.timeline import check_timeline
from evaluation.statebench.data.truth import read_record, record
from evaluation.statebench.generator.tracks import generate
from tests.evaluation.statebench.writing import say, timeline, write

GOLD = {"decision": "value", "value": "$9", "because": ["E0", "W-001"], "dead": ["F-001"]}


def with_gold(**changed):
    """A timeline of a fact, a turn, a write and a query, whose typed gold is GOLD with some fields changed."""
    row = timeline(say("It is $9 now."), write("price", "$9"), query="What does it cost?")
    row |= {"track": "supersession", "domain": "sales", "difficulty": "easy"}
    row["initial_state"]["persistent_facts"] = [
        {"id": "F-001", "key": "price", "value": "$7", "ts": row["events"][0]["ts"]}
    ]
    row["events"][1]["writes"][0]["id"] = "W-001"
    row["events"][2]["ground_truth"] = {
        "decision": "$9",
        "must_mention": [],
        "must_not_mention": [],
        "answer": GOLD | changed,
    }
    return row


def test_ids_are_frozen_with_their_texts():
    row = with_gold()
    check_timeline(row)
    [truth] = read_record(record(row))
    assert truth.answer == {
        "decision": "value",
        "value": "$9",
        "live": [
            {"id": "E0", "text": "It is $9 now."},
            {"id": "W-001", "text": "price: $9", "value": "$9"},
        ],
        "dead": [{"id": "F-001", "text": "price: $7", "value": "$7"}],
    }


def test_a_record_without_typed_gold_is_as_it_always_was():
    row = next(generate(("supersession",), 1, 0))
    assert all("answer" not in query for query in record(row)["queries"])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"decision": "maybe"}, "decision of the answer of event 2 .* must be one of yes, no, unclear, value"),
        ({"decision": []}, "decision of .* must be one of"),
        ({"value": None}, "needs a value"),
        ({"value": 9}, "value of .* must be a text"),
        ({"value": " "}, "value of .* must be a text that is not blank"),
        ({"because": "E0"}, "because of .* must be a list of ids"),
        ({"because": ["W-002"]}, "names 'W-002', which is not a fact, write or turn before .* mean 'W-001'"),
        ({"because": ["E1"]}, "names 'E1', which is no"),
        ({"because": ["E2"]}, "names 'E2', which is no"),
        ({"dead": ["E0"]}, "names 'E0' as live and as dead"),
        ({"reasons": []}, "unknown field 'reasons'"),
    ],
)  # fmt: skip
def test_a_gold_that_cannot_be_used_is_refused(changed, message):
    with pytest.raises(RowError, match=message):
        check_timeline(with_gold(**changed))


def test_an_id_of_two_facts_is_no_evidence():
    row = with_gold()
    row["events"][1]["writes"][0]["id"] = "F-001"
    row["events"][2]["ground_truth"]["answer"] = GOLD | {"because": []}
    with pytest.raises(RowError, match="names 'F-001', which is the id of 2 facts"):
        check_timeline(row)
