"""Memory types, scopes, constraints, restrictions."""

from __future__ import annotations

import pytest

from evaluation.statebench.facts import classify
from evaluation.statebench.facts.fact_text import FactText
from evaluation.statebench.facts.layers import IdentityRole, Source


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (Source("policy", "policy"), "organizational"),
        (Source("system", "peer", identity="hr_system"), "organizational"),
        (Source("user", "peer", identity="pattern"), "capability"),
        (Source("user", "peer", identity="preference"), "user"),
        (Source("user", "peer"), "user"),
    ],
)
def test_memory_is_typed_by_its_source(source, expected):
    assert source.memory_type == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What if rent doubled?", "hypothetical"),
        ("Suppose it rained.", "hypothetical"),
        ("This is a draft.", "draft"),
        ("Tentatively in May", "draft"),
        ("Use the old forms for this task.", "task"),
        ("Count it for this session.", "session"),
        ("The rent is 900 euros.", "global"),
    ],
)
def test_a_turn_has_the_scope_of_its_wording(text, expected):
    assert classify.turn_scope(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Spend at most $700", "budget"),
        ("The deadline is in May", "deadline"),
        ("The hall may not hold more than 30 people", "capacity"),
        ("The cellar holds at most 30 barrels", "capacity"),
        ("The lift carries no more than 600 kg", "capacity"),
        ("The tour takes at most 12 visitors", "capacity"),
        ("The order is on hold and cannot ship", "policy"),
        ("Badges are mandatory", "policy"),
        ("The poster is blue", None),
    ],
)
def test_a_limit_is_a_constraint_of_its_kind(text, expected):
    assert classify.constraint_type(FactText("fact", text), Source("user", "peer")) == expected


@pytest.mark.parametrize(
    ("tag", "reader", "seen"),
    [
        ("[RESTRICTED: floor prices restricted to VP+]", "Sales Manager", False),
        ("[RESTRICTED: floor prices restricted to VP+]", "VP Sales", True),
        ("[RESTRICTED: plans restricted to C-suite]", "VP Sales", False),
        ("[RESTRICTED: plans restricted to C-suite]", "CEO", True),
        ("[RESTRICTED: secret]", "Manager", False),
        ("Restricted to managers:", "intern", False),
        ("Restricted to managers:", "Manager", True),
        ("", "intern", True),
    ],
)
def test_a_restriction_admits_its_audience_only(tag, reader, seen):
    assert classify.may_see(IdentityRole(authority=reader), f"{tag} the floor is 30") is seen


def test_a_department_sees_what_is_restricted_to_it():
    tag = "[RESTRICTED: pay data restricted to HR] the band is 7"
    assert classify.may_see(IdentityRole(authority="Recruiter", department="HR"), tag)
    assert not classify.may_see(IdentityRole(authority="Recruiter", department="Sales"), tag)


@pytest.mark.parametrize(
    ("grant", "tag", "seen"),
    [
        ("VP+", "VP+", True),
        ("VP+", "managers", True),
        ("Manager+", "VP+", False),
        ("Director+", "C-suite", False),
        ("expenses", "VP+", False),
        ("admin", "managers", False),
    ],
)
def test_a_grant_that_names_a_rank_opens_what_asks_for_it(grant: str, tag: str, seen: bool) -> None:
    reader = IdentityRole(authority="Engineer", permissions=(grant,))
    assert classify.may_see(reader, f"[RESTRICTED: floor prices restricted to {tag}] the floor is 30") is seen
