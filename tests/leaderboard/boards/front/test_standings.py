"""Standings: one row per model, which systems count, and when the page may name a leader."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leaderboard.boards.front import standings
from leaderboard.boards.front.standings import Board, Entrant, Standing
from leaderboard.boards.placements import ranking
from leaderboard.boards.placements.ranking import Placement
from leaderboard.submissions.models import Submission, System

Origin = Submission.Origin


def standing(
    model: str, system: int, *, origin=Origin.VERIFIED, kind="llm", rank: int | None = 1, above=True, **fields
) -> Standing:
    placement = Placement(system, rank, rank, rank, above=above, name=f"{model} · {system}", **fields)
    when = datetime(2026, 11, system, tzinfo=UTC)
    return Standing(placement, Entrant(system, kind, f"{model} · {system}", model, "", 0.5, origin, when))


def board(*of: Standing, systems: int = 0, why: str = "") -> Board:
    return Board(None, of, systems or len(of), 0.2, why)


def test_of_several_owners_the_first_system_stands_for_the_model_not_the_best() -> None:
    better, first = standing("Qwen", 7), standing("qwen", 3, rank=2)
    other = standing("Phi", 9, rank=3)
    assert standings.one_per_model([better, first, other]) == [first, other]


def test_a_run_of_this_site_stands_before_an_earlier_claim() -> None:
    claim, run = standing("Qwen", 1, origin=Origin.REPORTED), standing("Qwen", 2, rank=2)
    assert standings.one_per_model([claim, run]) == [run]


def test_systems_without_a_model_are_not_one_model() -> None:
    rules = [standing("", number, kind=System.Kind.SELECTOR) for number in (1, 2)]
    assert standings.one_per_model(rules) == rules


@pytest.mark.parametrize(
    ("fields", "counts"),
    [
        ({}, True),
        ({"origin": Origin.AUTHORS}, True),
        ({"origin": Origin.REPORTED}, False),
        ({"above": False, "rank": None}, False),
        ({"rank": None}, False),
        ({"kind": System.Kind.RETRIEVER}, False),
    ],
)
def test_ranked_models_count_that_this_site_or_its_authors_ran(fields, counts: bool) -> None:
    assert standing("Qwen", 1, **fields).counts is counts


def test_two_models_lead_nothing_three_do() -> None:
    models = [standing(name, number) for number, name in enumerate(("Qwen", "Phi", "Llama"), 1)]
    assert not board(*models[:2]).leads
    assert board(*models).leads
    assert not board(*models[:2], standing("Claim", 4, origin=Origin.REPORTED)).leads


def test_the_leader_is_said_to_be_tied_where_ranges_overlap() -> None:
    tied = Standing(Placement(1, 1, 1, 2), standing("Qwen", 1).entrant)
    second = Standing(Placement(2, 1, 1, 3), standing("Phi", 2).entrant)
    last = Standing(Placement(3, 3, 3, 3), standing("Llama", 3).entrant)
    assert board(tied, second, last).tied == "tied with 1 other"
    assert board(standing("Qwen", 1), last).tied == ""


@pytest.mark.parametrize(
    ("of", "why", "said"),
    [
        ((), "", "no result yet"),
        ((standing("Qwen", 1, rank=None, above=False),), "", "none above guessing"),
        ((standing("Qwen", 1, rank=None),), ranking.diagnostic(2, "episode"), "too small to rank"),
        ((standing("Qwen", 1, rank=None),), ranking.COMPUTING, "ranks are being computed"),
    ],
)
def test_a_board_without_a_leader_says_why(of, why: str, said: str) -> None:
    assert board(*of, why=why).why_no_leader == said
    assert board(*of, why=why).leader is None


def test_the_lead_is_left_out_where_the_next_system_is_hidden() -> None:
    first, second = standing("Qwen", 1, lead=0.04), standing("Phi", 2, rank=2)
    version = type("Version", (), {"headline": type("Headline", (), {"better": "higher"})})
    whole = Board(version, [first, second], 2, None, "")
    assert whole.finding == "Qwen leads with 50.0%, 4.0 points ahead of Phi."
    hidden = Board(version, [first, second], 3, None, "", hides=True)
    assert hidden.finding == "Qwen leads with 50.0%."
