"""Which of two statements on one subject is in a context: by authority, then by scope."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.context.replay import replay
from evaluation.statebench.context.standing import bound_of, breaks, voice
from evaluation.statebench.facts.authority import Level
from evaluation.statebench.language.values import find_values
from evaluation.statebench.strategies import build_context
from tests.evaluation.statebench.writing import fact, say, timeline

EMPLOYEE, POLICY = (
    "An employee says the maximum discount is 25%.",
    "The policy says the maximum discount is 15%.",
)


def shown(*turns: str, reader: str = "Manager", **options) -> str:
    told = timeline(*map(say, turns), query="What is the maximum discount?", reader=reader, **options)
    return build_context(told, 0, strategy="state_based", budget=512).text


@pytest.mark.parametrize(
    "turns",
    [
        (EMPLOYEE, POLICY),
        (POLICY, EMPLOYEE),
        ("The employee said the discount can go up to 25%.", "Company policy caps discounts at 15%."),
        ("Employee: maximum discount is 25%", "Policy: maximum discount is 15%"),
        ("[Policy] The maximum discount is 15%.", "[Employee] The maximum discount is 25%."),
        ("The discount is 25%.", "Company policy is a maximum discount of 15%."),
        ("Company policy is a maximum discount of 15%.", "The discount is 25%."),
        ("According to policy, the maximum discount is 15%.", "We give a 25% discount."),
    ],
)
def test_of_an_employee_and_a_policy_the_policy_holds(turns: tuple[str, str]) -> None:
    assert "15%" in shown(*turns)
    assert "25%" not in shown(*turns)


@pytest.mark.parametrize("other", ["the commission is 25%", "the discount is 10%", "25 guests are coming"])
def test_what_is_within_a_limit_or_of_another_subject_stays(other: str) -> None:
    text = shown(POLICY, f"An employee says {other}.")
    assert "15%" in text
    assert other.split()[-1] in text or other.split()[0] in text


def test_equal_authority_leaves_both_turns() -> None:
    text = shown("An employee says the discount is 25%.", "A clerk says the discount is 20%.")
    assert "25%" in text
    assert "20%" in text


def test_a_policy_that_is_said_supersedes_what_breaks_it_and_keeps_its_authority() -> None:
    state = replay(
        timeline(say("The discount is 25%."), say("Company policy is a maximum discount of 15%."), query="?")
    )
    old, new = state.store
    assert (old.is_valid, old.superseded_by, new.source.level) == (False, new.id, Level.POLICY)


def test_a_written_policy_stands_above_a_turn_of_lower_authority() -> None:
    cap = fact("discount_cap", "15%", type="policy", authority="CFO")
    assert "25%" not in shown("An employee says the discount cap is 25%.", facts=[cap])


@pytest.mark.parametrize(
    ("text", "level"),
    [
        (EMPLOYEE, Level.EMPLOYEE),
        (POLICY, Level.POLICY),
        ("The intern said 25% is fine.", Level.GUEST),
        ("Our VP approved 20%.", Level.MANAGER),
        ("The discount is 25%.", None),
        ("The weather says rain.", None),
    ],
)
def test_the_quoted_person_is_read(text: str, level: Level | None) -> None:
    assert voice(text) == level


@given(st.integers(1, 99), st.integers(1, 99))
def test_a_maximum_is_broken_by_what_is_greater_and_a_minimum_by_what_is_less(one: int, other: int) -> None:
    value, limit = find_values(f"{one}%")[0], find_values(f"{other}%")[0]
    assert breaks(value, limit, bound_of("at most")) == (one > other)
    assert breaks(value, limit, bound_of("at least")) == (one < other)
    assert breaks(value, limit, bound_of("is")) == (one != other)


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    assert voice(text) in (None, *Level)
    assert bound_of(text) in (-1, 0, 1)


RULE = {
    **fact(
        "rule_fee_moss_line",
        "The fee of the Moss line is for Ann Lee (Manager) to decide; what others say settles nothing.",
        type="policy",
        authority="policy",
    ),
    "is_constraint": True,
    "constraint_type": "policy",
}


def decided(*turns: str) -> str:
    told = timeline(*map(say, turns), query="What is the fee of the Moss line?", reader="Clerk", facts=[RULE])
    return build_context(told, 0, strategy="state_based", budget=512).text


def test_a_rule_does_not_overrule_the_person_it_leaves_a_matter_to() -> None:
    text = decided("[Ann Lee (Manager)]: It is settled that the fee of the Moss line is $40.")
    assert "Ann Lee (Manager) to decide" in text
    assert "$40" in text


def test_a_decision_is_shown_whole_though_it_names_what_it_is_about() -> None:
    text = decided(
        "[Ann Lee (Manager)]: Please note that the fee of the Moss line is $40.",
        "[Ann Lee (Manager)]: Until May 3, the fee of the Moss line is $55; after that, it is settled afresh.",
    )
    assert "$55" in text
    assert "$40" not in text
