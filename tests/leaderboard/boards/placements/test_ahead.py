"""Placements are there before a reader asks for them."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard import tasks
from leaderboard.boards.placements import ahead, placements
from leaderboard.boards.slices import WHOLE
from leaderboard.jobs import dispatch
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    sent: list[tuple[str, Any]] = []
    monkeypatch.setattr(dispatch, "enqueue_later", lambda task, *args, seconds: sent.append((task, args[0])))
    return sent


def test_a_grade_that_lands_has_the_placements_of_its_version_computed(
    version, system, submit, planned, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        submit(version, system)
    assert planned == [("place_version", version.pk)]


def test_landings_that_follow_each_other_are_one_computation(
    version, system, submit, planned, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(3):
            submit(version, system)
    assert len(planned) == 1
    assert tasks.place_version(version.pk) == 1
    with django_capture_on_commit_callbacks(execute=True):
        submit(version, system)
    assert len(planned) == 2, "what lands after a computation began asks for another"


def test_a_withdrawal_changes_the_board_too(
    version, system, submit, planned, user, django_capture_on_commit_callbacks
):
    made = submit(version, system)
    with django_capture_on_commit_callbacks(execute=True):
        submissions.withdraw(made, actor=user)
    assert planned == [("place_version", version.pk)]


def test_the_page_finds_what_the_worker_computed(version, system, submit, monkeypatch):
    made = submit(version, system)
    assert ahead.compute(version.pk) == 1
    monkeypatch.setattr(placements.ranking, "place", None)  # computing again would fail
    [found] = placements.board_placements(version, Submission.objects.on_board(version), WHOLE)
    assert found.key == made.pk


def test_a_version_that_is_gone_has_no_placements(db):
    assert ahead.compute(10_000) == 0
