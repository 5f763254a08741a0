"""The outcome of a submission is shown on every page about it: gates with their thresholds, rank and range."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.remote import options
from evaluation.remote.records import Submission as Answer
from leaderboard.boards.placements import outcomes
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

THRESHOLD = "at least 95 in 100"


@pytest.fixture
def version(ranked_version):
    return ranked_version


@pytest.fixture
def cast(version, user, submit):
    """An honest system, and one whose citations do not support its answers."""
    return {
        name: submit(version, System.objects.create(owner=user, name=name), executor=executor)
        for name, executor in (("honest", "ledger"), ("gated", "naive"))
    }


def page(client, submission, address="leaderboard:submission"):
    return client.get(reverse(address, args=[submission.pk] if submission else [])).content.decode()


def test_a_failed_gate_is_told_with_its_threshold(client, cast):
    html = page(client, cast["gated"])
    assert "Not met:" in html
    assert "% of answers, 95% needed" in html
    assert THRESHOLD in html
    assert "Not met:" not in page(client, cast["honest"])


def test_a_ranked_submission_tells_its_place(client, cast):
    assert "Rank 1 of 1" in page(client, cast["honest"])


def test_account_and_history_tell_gates_and_ranks(client, cast, user):
    client.force_login(user)
    mine = page(client, None, "leaderboard:account")
    assert "not ranked: not above guessing" in mine
    assert THRESHOLD in mine
    assert "rank 1 of 1" in mine
    assert page(client, None, "leaderboard:history").count("a requirement is not met") == 1


def test_what_no_board_shows_has_no_place(client, cast, user):
    submissions.withdraw(cast["honest"], actor=user)
    html = page(client, cast["honest"])
    assert (
        outcomes.submission_placements([Submission.objects.get(pk=cast["honest"].pk)])[
            cast["honest"].pk
        ].words
        == ""
    )
    assert "No longer on the board" in html
    assert "Withdrawn</span> by" not in html


def test_a_list_asks_the_board_once_for_each_version(cast, django_assert_num_queries):
    result = list(Submission.objects.listed().filter(shown=True))
    outcomes.submission_placements(result)
    with django_assert_num_queries(1):
        outcomes.submission_placements(result)


def test_the_command_line_tells_gates_and_places(client, cast, body):
    collected = {
        name: options.describe(
            Answer.model_validate(body(client.get(f"/api/v1/submissions/{submission.pk}")))
        )
        for name, submission in cast.items()
    }
    assert "on the board: rank 1 of 1" in collected["honest"]
    assert "not ranked: not above guessing" in collected["gated"]
    assert THRESHOLD in collected["gated"]


def test_an_event_has_the_score_with_three_digits(cast):
    for submission in cast.values():
        detail = submission.events.get(kind="graded").detail
        assert len(detail.split(" ")[0]) == len("0.958"), detail
