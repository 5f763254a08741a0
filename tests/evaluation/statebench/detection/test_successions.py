"""Successions: the new holder of a place, and nothing of the former one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.context.replay import replay
from evaluation.statebench.detection.successions import succession
from evaluation.statebench.strategies import build_context
from tests.evaluation.statebench.writing import fact, say, timeline


@pytest.mark.parametrize(
    ("key", "old", "turn", "new"),
    [
        ("project_lead", "Maria", "Maria has stepped down; Tom leads the project.", "Tom"),
        ("project_lead", "Maria", "Maria left. Tom is the new project lead.", "Tom"),
        (
            "project_lead",
            "Maria Lopez",
            "Maria is leaving us, and Tom Ray takes over as project lead.",
            "Tom Ray",
        ),
        ("steel_supplier", "Acme", "Acme pulled out; Globex supplies the steel now.", "Globex"),
        (
            "delivery_vehicle",
            "the red van",
            "The red van broke down; the blue van does the deliveries.",
            "the blue van",
        ),
    ],
)
def test_one_fact_of_the_attribute_holds_the_new_name_and_the_old_one_is_nowhere(
    key: str, old: str, turn: str, new: str
) -> None:
    story = timeline(say(turn), facts=[fact(key, old)], query=f"What is the {key.replace('_', ' ')}?")
    assert [(one.key, one.text) for one in replay(story).store.read_valid()] == [(key, new)]
    text = build_context(story).text
    assert new in text
    assert not {*old.removeprefix("the ").split()} - {"van"} & {*text.replace(";", " ").split()}


def test_a_sentence_is_replaced_by_the_clause_that_holds_and_its_key_has_no_name() -> None:
    story = timeline(
        say("Maria leads the project."), say("Maria has stepped down; Tom leads."), query="Who leads?"
    )
    assert "Maria" not in build_context(story).text
    assert [(one.key, one.text) for one in replay(story).store.read_valid()] == [
        ("leads_project", "Tom leads.")
    ]


@pytest.mark.parametrize(
    "turn",
    [
        "Has Maria stepped down? Tom leads the project.",
        "Maria left early; Tom leads the tour.",
        "Suppose Maria has stepped down; Tom leads the project.",
        "Maria has stepped down.",
        "Maria has stepped down; she leads the choir.",
    ],
)
def test_what_tells_no_succession_is_none(turn: str) -> None:
    assert succession(turn) is None


def test_a_succession_of_another_person_changes_nothing() -> None:
    story = timeline(
        say("Ann has stepped down; Tom leads the choir."), facts=[fact("lead", "Maria")], query="?"
    )
    assert [one.text for one in replay(story).store.read_valid()] == ["Maria"]


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    found = succession(text)
    assert found is None or found.new in text
