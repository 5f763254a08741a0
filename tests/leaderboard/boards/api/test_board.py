"""The leaderboard of the API is the board of the page."""

from __future__ import annotations

import json

import pytest

from leaderboard.submissions.models import System

BOARD = "/leaderboard/goldevidencebench/tiny"


@pytest.fixture
def field(version, user, other, submit):
    """Three systems, the first two equally good."""
    for owner, name, kind, wrong in (
        (user, "Alpha", "llm", 0),
        (other, "Beta", "selector", 0),
        (user, "Gamma", "llm", 6),
    ):
        submit(version, System.objects.create(owner=owner, name=name, kind=kind), wrong=wrong)


def names(found) -> list[str]:
    return [one["system"] for one in found["items"]]


def test_it_has_ranks_intervals_gates_and_tie_groups(anybody, field):
    found = anybody("GET", BOARD).json()
    assert (names(found), found["total"]) == (["Alpha", "Beta", "Gamma"], 3)
    first, second, _ = found["items"]
    assert first["headline"] == 1.0
    assert (first["headline_low"], first["headline_high"]) == (None, None), (
        "two episodes alike are no certainty"
    )
    assert [one["not_ranked"] for one in found["items"]] == [None, None, "a gate failed"]
    assert first["tied_with_next"]
    assert first["tie_group"] == second["tie_group"] == 1
    assert [name for name in first if name.startswith("gate_")]


@pytest.mark.parametrize(
    "query", ["", "q=a", "kind=llm", "kind=selector", "verified=true", "sort=-system", "sort=exact_acc"]
)
def test_filters_and_order_are_those_of_the_page_and_its_export(anybody, client, field, query):
    shown = json.loads(client.get(f"/boards/goldevidencebench/tiny/export.json?{query}").content)
    found = anybody("GET", f"{BOARD}?{query}").json()
    assert (
        [{name: one[name] for name in shown[0]} for one in found["items"]] == shown
        if shown
        else not found["items"]
    )


def test_a_search_finds_systems_and_changes_no_rank(anybody, client, field):
    whole = anybody("GET", BOARD).json()["items"]
    assert whole[0]["tied_with_next"]  # ranked alone, nobody would be
    for one in whole:
        assert anybody("GET", f"{BOARD}?q={one['system'].lower()}").json()["items"] == [one]
    page = client.get("/boards/goldevidencebench/tiny/?q=gam").content.decode()
    assert "Gamma" in page
    assert "Ranked among" not in page
    told = "2 episodes are too few to say who leads: read the figures, not the ranks."
    assert told in page
    assert anybody("GET", f"{BOARD}?q=gam").json()["summary"] == told


def test_a_contest_among_some_says_whom_it_is_among(client, field):
    page = client.get("/boards/goldevidencebench/tiny/?kind=llm").content.decode()
    assert "Ranked among <b>systems of the kind LLM</b> only." in page
    assert 'href="?">Rank all' in page


def test_a_long_board_comes_in_pages(anybody, field):
    first = anybody("GET", f"{BOARD}?limit=2").json()
    assert names(first) + names(anybody("GET", first["next"]).json()) == ["Alpha", "Beta", "Gamma"]
