"""The leaderboard of the API is the board of the page."""

from __future__ import annotations

import json

import pytest
from django.core.cache import caches

from leaderboard.boards.headline_summary import LATE
from leaderboard.boards.placements.ranking import COMPUTING, NOT_ABOVE
from leaderboard.submissions.models import System

BOARD = "/leaderboard/goldevidencebench/ranked"


@pytest.fixture
def field(ranked_version, user, other, submit):
    """Three systems, the first two equally good, the last always wrong."""
    for owner, name, kind, wrong in (
        (user, "Alpha", "llm", 0),
        (other, "Beta", "selector", 0),
        (user, "Gamma", "llm", 10**6),
    ):
        submit(ranked_version, System.objects.create(owner=owner, name=name, kind=kind), wrong=wrong)


def names(board) -> list[str]:
    return [one["system"] for one in board["items"]]


def test_it_has_ranks_intervals_gates_and_tie_groups(anybody, field):
    response = anybody("GET", BOARD).json()
    assert (names(response), response["total"]) == (["Alpha", "Beta", "Gamma"], 3)
    first, second, _ = response["items"]
    assert first["headline"] == 1.0
    assert 0.9 < first["headline_low"] < first["headline_high"] == 1.0
    assert [one["not_ranked"] for one in response["items"]] == [None, None, NOT_ABOVE]
    assert [one["above_guessing"] for one in response["items"]] == [True, True, False]
    assert {one["origin"] for one in response["items"]} == {"verified"}
    assert response["items"][2]["requirements_not_met"].endswith("% of answers, 95% needed")
    assert first["tied_with_next"]
    assert first["tie_group"] == second["tie_group"] == 1
    assert [(one["rank"], one["rank_low"], one["rank_high"]) for one in (first, second)] == [(1, 1, 2)] * 2
    assert [name for name in first if name.startswith("gate_")]


@pytest.mark.parametrize(
    "query",
    ["", "q=a", "kind=llm", "kind=selector", "verified=true", "meets=true", "sort=-system", "sort=exact_acc"],
)
def test_filters_and_order_are_those_of_the_page_and_its_export(anybody, client, field, query):
    shown = json.loads(client.get(f"/boards/goldevidencebench/ranked/export.json?{query}").content)
    response = anybody("GET", f"{BOARD}?{query}").json()
    assert (
        [{name: one[name] for name in shown[0]} for one in response["items"]] == shown
        if shown
        else not response["items"]
    )


def test_a_search_finds_systems_and_changes_no_rank(anybody, client, field):
    whole = anybody("GET", BOARD).json()["items"]
    assert whole[0]["tied_with_next"]  # ranked alone, none would be
    for one in whole:
        assert anybody("GET", f"{BOARD}?q={one['system'].lower()}").json()["items"] == [one]
    page = client.get("/boards/goldevidencebench/ranked/?q=gam").content.decode()
    assert "Gamma" in page
    assert "without ranks" not in page
    message = "Alpha and Beta are tied for first; the best score is "
    assert message in page
    assert anybody("GET", f"{BOARD}?q=gam").json()["summary"].startswith(message)


@pytest.mark.parametrize(
    ("query", "words", "left"),
    [
        ("kind=llm", "systems of the kind LLM", ["Alpha", "Gamma"]),
        ("meets=on", "systems that fail no requirement", ["Alpha", "Beta"]),
        ("kind=selector&verified=on", "verified systems of the kind Selector", ["Beta"]),
    ],
)
def test_filters_hide_systems_and_change_no_rank(anybody, client, field, query, words, left):
    page = client.get(f"/boards/goldevidencebench/ranked/?{query}").content.decode()
    assert f"Only <b>{words}</b>. Ranks are computed among all systems." in " ".join(page.split())
    assert 'href="?">Show all' in page
    whole = anybody("GET", BOARD).json()
    response = anybody("GET", f"{BOARD}?{query.replace('=on', '=true')}").json()
    assert response["items"] == [one for one in whole["items"] if one["system"] in left]
    assert response["summary"] == whole["summary"]


def test_a_diagnostic_version_has_no_ranks_and_says_why(anybody, client, version, system, submit):
    submit(version, system)
    response = anybody("GET", "/leaderboard/goldevidencebench/tiny").json()
    (row,) = response["items"]
    reason = "2 episodes are too few (ranks need at least 40)"
    assert (row["rank"], row["rank_low"], row["tie_group"], row["not_ranked"]) == (None, None, None, reason)
    message = (
        "No ranks: 2 episodes are too few (ranks need at least 40). Read the figures with their intervals."
    )
    assert response["summary"] == message
    assert message in client.get(version.get_board_url()).content.decode()


def test_ranks_that_are_not_stored_are_being_computed(anybody, client, field, ranked_version):
    ranked_version.stored_placements.all().delete()
    caches["results"].clear()
    response = anybody("GET", BOARD).json()
    assert names(response) == ["Alpha", "Beta", "Gamma"]
    assert [one["not_ranked"] for one in response["items"]] == [COMPUTING, COMPUTING, COMPUTING]
    assert response["summary"] == LATE
    assert LATE in client.get("/boards/goldevidencebench/ranked/").content.decode()


def test_a_long_board_comes_in_pages(anybody, field):
    first = anybody("GET", f"{BOARD}?limit=2").json()
    assert names(first) + names(anybody("GET", first["next"]).json()) == ["Alpha", "Beta", "Gamma"]
