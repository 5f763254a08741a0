"""The parts of a verdict that are shown while the ground truth is withheld."""

from __future__ import annotations

import json

import pytest

from evaluation.statebench.grading.redact import redact
from evaluation.statebench.suite import SUITE


@pytest.fixture(scope="module")
def items():
    return list(SUITE.version({"tracks": ["supersession", "scope_permission"], "count": 4}).generate())


def graded(items, response: str):
    """A verdict on every query of these timelines, with one response to all."""
    ids = [row_id.split("#") for item in items for row_id in SUITE.expected([item.gold]).splits]
    answers = [{"timeline_id": name, "query_idx": int(at), "response": response} for name, at in ids]
    return SUITE.version({}).grade([item.gold for item in items], answers).rows


def phrases(items) -> set[str]:
    """The texts that the ground truth looks for."""
    collected: set[str] = set()

    def collect(value, name=""):
        if isinstance(value, dict):
            for key, each in value.items():
                collect(each, key)
        elif isinstance(value, list):
            for each in value:
                collect(each, name)
        elif isinstance(value, str) and name in ("must", "must_not", "pattern"):
            collected.add(value)

    for item in items:
        collect(item.gold)
    return collected


def test_no_reader_sees_a_phrase_of_the_ground_truth(items):
    known = phrases(items)
    assert known
    for own in (True, False):
        for verdict in graded(items, "Purple elephants."):
            message = json.dumps(redact(verdict, own=own))
            assert not [phrase for phrase in known if repr(phrase) in message or f'"{phrase}"' in message]


def test_every_reader_sees_a_wrong_response_with_its_reason(items):
    for verdict in graded(items, "Purple elephants."):
        message = redact(verdict, own=False)
        assert message["response"] == "Purple elephants."
        assert "is wrong" in message["reason"]
        assert not {"mm", "mnm", "kinds", "actual_decision"} & message.keys()


def test_only_its_sender_sees_a_response_with_something_right(items):
    right = [
        verdict | {"failure": None, "decision_correct": True, "mm": "1"} for verdict in graded(items, "Yes.")
    ]
    for verdict in right:
        assert "response" not in redact(verdict, own=False)
        assert redact(verdict, own=True)["response"] == "Yes."


def test_only_its_sender_sees_a_wrong_yes_or_no(items):
    decided = [verdict for verdict in graded(items, "No.") if verdict["actual_decision"] is not None]
    assert decided
    for verdict in decided:
        assert "response" not in redact(verdict, own=False)
        assert "response" in redact(verdict, own=True)
