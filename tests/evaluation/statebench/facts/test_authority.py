"""Titles, levels and seniority."""

from __future__ import annotations

import pytest

from evaluation.statebench.facts.authority import Level, is_title, level, seniority


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
