"""Which differences in a value or a citation are only a matter of form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.data.forms import ids_of, is_id, plain


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("teal\u20110716", "teal-0716"),
        ("\u221212", "-12"),
        ("\u200bteal", "teal"),
        ("\ufeffteal\u2060", "teal"),
        ('"teal"', "teal"),
        ("`teal`.", "teal"),
        ("'teal.'", "teal"),
        ("“teal”", "teal"),
        ("teal.", "teal"),
        ("12.0", "12"),
        ("-3.00", "-3"),
        ("tag.03 = teal", "teal"),
        ("`tag.03` = `teal`", "teal"),
        ("TAG.03=teal.", "teal"),
    ],
)
def test_a_value_is_read_without_its_form(written: str, meant: str) -> None:
    assert plain(written, "tag.03") == meant
    assert plain(written) == meant


@pytest.mark.parametrize(
    "value", ["teal", "teal-0716", "12", "-3", "12.5", "teal...", ".", '"', "a = b", "3.", "", "=", "ten"]
)
def test_what_is_no_form_stays(value: str) -> None:
    assert plain(value, "tag.03") == {"3.": "3"}.get(value, value)


def test_another_tag_in_front_is_no_form() -> None:
    assert plain("tag.04 = teal", "tag.03") == "tag.04 = teal"


@given(st.text(max_size=20).map(str.strip).filter(bool))
def test_reading_a_value_twice_is_reading_it_once_and_leaves_something(value: str) -> None:
    once = plain(value, "tag.03")
    assert once
    assert plain(once, "tag.03") in (once, plain(plain(once, "tag.03"), "tag.03"))


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("['U0A1B2C']", ["U0A1B2C"]),
        ('["U0A1B2C", "U111111"]', ["U0A1B2C", "U111111"]),
        ("[u0a1b2c]", ["U0A1B2C"]),
        ("U0A1B2C, U111111", ["U0A1B2C", "U111111"]),
        ("- [U0A1B2C] step=3 SET tag.01 = teal", ["U0A1B2C"]),
        ("{'id': 'U0A1B2C'}", ["U0A1B2C"]),
        ("XU0A1B2C U0A1B2CD U0A1B2", []),
        ("", []),
    ],
)
def test_the_ids_of_a_citation_are_found_whatever_stands_around_them(written: str, ids: list[str]) -> None:
    assert ids_of(written) == ids


def test_an_id_alone_is_one() -> None:
    assert is_id("U0A1B2C")
    assert not any(map(is_id, ("u0a1b2c", " U0A1B2C", "U0A1B2C ", "U0A1B2", "U0A1B2CD")))
