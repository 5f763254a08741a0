"""Names that could be taken for the site's own or for another account's are refused."""

from __future__ import annotations

import pytest
from django.urls import get_resolver
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.accounts import usernames
from tests.live import ROOT

LOOKS_LIKE_SITE = [
    "site",
    "Site",
    "SITE",
    "s1te",
    "5ite",
    "slte",
    "s-i-t-e",
    "site_",
    "sіte",
    "ѕіtе",
    "ｓｉｔｅ",
    "sïte",
    "𝐬𝐢𝐭𝐞",
]


@pytest.mark.parametrize("name", LOOKS_LIKE_SITE)
def test_what_looks_like_the_site_has_its_skeleton(name):
    assert usernames.skeleton(name) == usernames.skeleton("site")
    assert usernames.is_reserved(name)
    assert usernames.problem(name)
    assert usernames.problem(name, trusted=True)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("admin", "adrnin"), ("admin", "Adm1n"), ("ada", "Ada"), ("ada", "аdа"), ("ada", "a.d.a"), ("ada", "αdα"),
        ("will", "wi1l"), ("will", "vvill"), ("bob", "b0b"), ("jose", "josé"), ("susan", "5u5an"), ("modem", "rnodern"),
        ("HENRY", "ΗΕΝRΥ"), ("loss", "loß"),
    ],
)  # fmt: skip
def test_names_that_are_drawn_alike_share_a_skeleton(name, other):
    assert usernames.skeleton(name) == usernames.skeleton(other)


@pytest.mark.parametrize(
    ("name", "other"), [("ada", "ida"), ("lab1", "lab2"), ("иван", "игорь"), ("राम", "रोम"), ("ben", "bert")]
)
def test_names_that_read_differently_do_not(name, other):
    assert usernames.skeleton(name) != usernames.skeleton(other)


@pytest.mark.parametrize(
    "name",
    [
        "..",
        ".",
        "-",
        "a/b",
        "a b",
        "",
        "ada.",
        ".ada",
        "_ada",
        "ada@x.org",
        "a+b",
        "jürgen",
        "a\u200bb",
        "a\n",
    ],
)
def test_what_no_address_should_hold_is_refused_with_what_to_do(name):
    assert usernames.problem(name).startswith(usernames.RULE)


def test_a_letter_that_only_looks_allowed_is_named():
    assert "“а” (U+0430) is not allowed" in usernames.problem("Adа")


@pytest.mark.parametrize("name", ["ada", "Ada-Lovelace", "a", "x_2", "team.nlp", "Qwen2.5"])
def test_an_ordinary_name_is_fine(name):
    assert usernames.problem(name) == ""


def test_the_first_part_of_every_address_is_reserved():
    reserved = usernames.reserved()
    assert {
        "admin",
        "accounts",
        "api",
        "systems",
        "submissions",
        "boards",
        "feed",
        "static",
        "history",
    } <= reserved
    for route in get_resolver().reverse_dict.getlist("account_login"):
        assert usernames.is_reserved(route[0][0][0].partition("/")[0])
    assert {"goldevidence", "statebench"} <= reserved


def test_the_title_of_the_site_is_reserved_whatever_it_is(settings):
    settings.SITE_NAME = "Long Context Arena"
    assert usernames.is_reserved("long-context-arena")


def test_staff_may_hold_a_reserved_name_but_the_sites_own():
    assert usernames.problem("admin")
    assert usernames.problem("admin", trusted=True) == ""
    assert usernames.problem("site", trusted=True)


def test_the_list_in_the_manual_is_the_one_that_counts():
    manual = (ROOT / "docs" / "accounts.md").read_text()
    listed = manual.partition("<!-- reserved names -->")[2].partition("<!-- end -->")[0]
    assert {word.strip("`,. \n") for word in listed.split()} == set(usernames.RESERVED)


@pytest.mark.parametrize(
    "name",
    [
        "site/ledger",
        "Site/x",
        "s1te/ledger",
        "admin/y",
        "goldevidencebench/best",
        "x ✓",
        "✅ yes",
        "GPT ◆",
        "GPT ◇ x",
        "GPT (Verified)",
        "ｖｅｒｉｆｉｅｄ",
        "x veri\u00adfied",
        "x \u200bverified\u2060",
        "site\u2215ledger",
        "\u200bsite/ledger",
    ],
)
def test_a_system_is_not_called_as_if_it_were_the_sites(name):
    assert usernames.system_problem(name)


@pytest.mark.parametrize(
    "name",
    ["ledger", "meta-llama/Llama-3.1-8B", "a/b/c", "site", "Ünïcode reader", "unverified claims", "a*b"],
)
def test_a_system_may_else_be_called_as_its_owner_likes(name):
    assert usernames.system_problem(name) == ""


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("GPT \u202e4", "U+202E"), ("My\u200b reader", "U+200B"), ("\ufeffMine", "U+FEFF"), ("a\u2066b", "U+2066"),
        ("a\u200eb", "U+200E"), ("a\u2060b", "U+2060"), ("a\u00adb", "U+00AD"), ("a\u3164b", "U+3164"),
        ("a\ufe0fb", "U+FE0F"), ("a\u2028b", "U+2028"),
    ],
)  # fmt: skip
def test_a_character_that_is_not_seen_is_named_and_refused_in_a_systems_name(name, code):
    assert usernames.system_problem(name) == f"Remove the invisible character {code}."


@given(st.text(max_size=60))
def test_a_skeleton_is_its_own_skeleton_and_never_longer_than_its_column(name):
    result = usernames.skeleton(name)
    assert usernames.skeleton(result) == result
    assert len(result) <= 150


@given(st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,30}[A-Za-z0-9])?", fullmatch=True))
def test_case_and_separators_never_tell_two_names_apart(name):
    assert (
        usernames.skeleton(name)
        == usernames.skeleton(name.swapcase())
        == usernames.skeleton(name.replace("-", "_"))
    )
