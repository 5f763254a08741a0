"""A submission that changes while a worker grades it, and workers that die while grading."""

from __future__ import annotations

import pytest
from django.urls import reverse

from leaderboard.jobs import backoff, leases
from leaderboard.runs import services as runs
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Event, Submission
from leaderboard.submissions.services import grading, publishing
from tests.leaderboard.boards.whole import board_rows
from tests.leaderboard.jobs.workers import die, wait_is_over


@pytest.fixture
def meanwhile(monkeypatch):
    """Calls a function between grading and publishing a score; it may fail."""

    def arrange(action, *, error=None):
        keep = grading._keep_verdicts

        def slowly(*graded):
            action()
            if error:
                raise error
            return keep(*graded)

        monkeypatch.setattr(grading, "_keep_verdicts", slowly)

    return arrange


def reloaded(submission):
    """The submission, read again from the database."""
    return Submission.objects.get(pk=submission.pk)


def test_what_is_made_private_during_its_grading_stays_private(version, system, submit, user, meanwhile):
    made = submit(version, system, grade=False)
    meanwhile(lambda: submissions.set_visibility(reloaded(made), "private", actor=user))
    assert submissions.grade(str(made.pk))
    made.refresh_from_db()
    assert (made.visibility, made.status, made.shown) == ("private", "graded", False)


def test_a_note_changed_during_the_grading_is_kept(version, system, submit, meanwhile):
    made = submit(version, system, grade=False)
    meanwhile(lambda: Submission.objects.filter(pk=made.pk).update(note="newer"))
    assert submissions.grade(str(made.pk))
    made.refresh_from_db()
    assert made.note == "newer"


def test_what_is_withdrawn_during_a_grading_that_fails_stays_withdrawn(
    version, system, submit, user, meanwhile, monkeypatch
):
    made = submit(version, system)
    submissions.regrade(made)
    monkeypatch.setattr(grading, "MAX_ERRORS", 1)
    meanwhile(lambda: submissions.withdraw(reloaded(made), actor=user), error=RuntimeError("full"))
    assert not submissions.grade(str(made.pk))
    made.refresh_from_db()
    assert (made.status, made.shown) == ("withdrawn", False)


def test_a_withdrawn_submission_is_never_shown_whatever_its_status_says(version, system, submit, user):
    made = submit(version, system)
    submissions.withdraw(made, actor=user)
    Submission.objects.filter(pk=made.pk).update(status=Submission.Status.GRADED)
    publishing.choose_shown(version, system)
    assert not Submission.objects.filter(shown=True).exists()


def test_a_failed_regrade_does_not_lose_the_place_to_a_worse_one(
    version, system, submit, user, meanwhile, monkeypatch
):
    best, worse = submit(version, system), submit(version, system, wrong=4)
    submissions.regrade(best)
    for visibility in ("private", "public"):  # the system chooses anew while its best one waits
        submissions.set_visibility(worse, visibility, actor=user)
    assert Submission.objects.get(shown=True) == best
    Submission.objects.update(shown=False)
    monkeypatch.setattr(grading, "MAX_ERRORS", 1)
    meanwhile(lambda: None, error=RuntimeError("full"))
    assert not submissions.grade(str(best.pk))
    assert Submission.objects.get(shown=True) == best


def test_a_file_that_kills_its_worker_is_not_tried_for_ever(version, system, submit):
    made = submit(version, system, grade=False)
    for _ in range(backoff.MAX_ATTEMPTS):  # each worker dies: its lease runs out, nothing is written
        assert leases.claim(Submission.objects.filter(pk=made.pk), status="grading")
        die(made)
        leases.recover(Submission.objects.all())
        wait_is_over(made)
    assert not submissions.grade(str(made.pk))
    made.refresh_from_db()
    assert (made.status, made.lease_until) == ("failed", None)
    assert "stopped unexpectedly 10 times" in made.error
    assert made.events.last().kind == Event.Kind.FAILED


@pytest.fixture
def trial(version, staff):
    """The graded submission of a run over two rows."""
    run = runs.start(version=version, executor="ledger", started_by=staff, row_limit=2, wake_worker=False)
    assert runs.execute(str(run.pk), grade_now=True)
    run.refresh_from_db()
    return run.submission


def test_a_trial_of_a_part_of_the_rows_cannot_be_made_public(client, version, trial, staff):
    with pytest.raises(submissions.TrialError, match="Run all rows"):
        submissions.set_visibility(trial, "public", actor=staff)
    client.force_login(staff)
    address = reverse("leaderboard:submission_visibility", args=[trial.pk])
    page = client.post(address, {"visibility": "public"}, follow=True).content.decode()
    assert "A trial over some of the rows" in page
    assert "Make public" not in page
    assert board_rows(version) == []


def test_a_trial_that_is_public_all_the_same_takes_no_place(version, trial):
    Submission.objects.filter(pk=trial.pk).update(visibility="public")
    publishing.choose_shown(version, trial.system)
    assert not Submission.objects.filter(shown=True).exists()
