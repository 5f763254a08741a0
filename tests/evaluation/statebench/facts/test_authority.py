"""Titles, levels and seniority."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.facts.authority import Level, granted, is_title, level, quoted_authority, seniority


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("policy", Level.POLICY),
        ("CFO", Level.POLICY),
        ("CHRO", Level.POLICY),
        ("Board of Directors", Level.POLICY),
        ("executive", Level.POLICY),
        ("VP Sales", Level.MANAGER),
        ("Vice President", Level.MANAGER),
        ("Engineering Director", Level.MANAGER),
        ("Vendor Manager", Level.MANAGER),
        ("peer", Level.EMPLOYEE),
        ("Account Executive", Level.EMPLOYEE),
        ("Sales Rep", Level.EMPLOYEE),
        ("", Level.EMPLOYEE),
        (None, Level.EMPLOYEE),
        ("intern", Level.GUEST),
        ("unverified", Level.GUEST),
        ("External", Level.GUEST),
        ("unknown", Level.GUEST),
    ],
)
def test_a_title_has_its_documented_level(title, expected):
    assert level(title) is expected


def test_levels_are_ordered():
    assert Level.POLICY > Level.MANAGER > Level.EMPLOYEE > Level.GUEST


def test_seniority_tells_a_vp_from_a_director_and_a_manager():
    assert seniority("VP Sales") > seniority("Director") > seniority("Manager") > seniority("Sales Rep")


def test_an_ordinary_word_is_no_title():
    assert is_title("the CEO")
    assert not is_title("the closed deal")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The cap is 12% per the CFO.", "CFO"),
        ("The cap is 12% per policy.", "policy"),
        ("According to the board, the cap is 12%.", "board"),
        ("The board has set the cap at 12%.", "The board"),
        ("The CFO has cut the travel cap to $200.", "The CFO"),
        ("Our finance lead raised the cap to 20.", "Our finance lead"),
        ("VP Victor changed the cap to 12%.", "VP Victor"),
        ("Vice President Ann said the cap is now 12%.", "Vice President Ann"),
    ],
)
def test_the_deciding_person_is_the_authority(text: str, title: str) -> None:
    assert quoted_authority(text) == title


@pytest.mark.parametrize(
    "text",
    [
        "The lead singer is Ana.",
        "The lead singer changed from Ana to Bo.",
        "The lead singer said it is at eight.",
        "The board meeting moved to Friday.",
        "The policy changed to silence.",
        "The guest password was cut to six letters.",
        "The cost per head is $20.",
        "Ann said the cap is 12%.",
    ],
)
def test_a_title_in_the_subject_gives_no_authority(text: str) -> None:
    assert quoted_authority(text) is None


@pytest.mark.parametrize(
    ("permission", "rank"),
    [
        ("VP+", "vp"),
        ("vp and above", "vp"),
        ("Vice President+", "vice president"),
        ("clearance: Director+", "director"),
        ("C-suite", "c-suite"),
        ("managers", "manager"),
        ("admin+", "admin"),
    ],
)
def test_a_permission_that_names_a_rank_grants_it(permission: str, rank: str) -> None:
    assert granted(permission) == seniority(rank)


@pytest.mark.parametrize(
    "permission",
    ["", "+", "admin", "policy", "expenses", "board_meetings", "board meetings", "VP notes", "read: files"],
)
def test_any_other_permission_grants_no_rank(permission: str) -> None:
    assert granted(permission) == 0


@given(st.text(max_size=40))
def test_any_permission_is_read(permission: str) -> None:
    assert 0 <= granted(permission) <= 100
