"""Jobs: every kind of work is announced to the workers in the same way."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.db.models.functions import Now

from leaderboard import tasks
from leaderboard.accounts.models import Mail
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import leases, models, queues
from leaderboard.notices.models import Delivery
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.gym.models import GymLoop
from leaderboard.runs.models import ModelCheck, Run
from leaderboard.submissions.models import Submission


def test_every_kind_of_job_is_known():
    assert set(models.kinds()) == {Submission, Version, Run, ModelCheck, Bench, GymLoop, Mail, Delivery}


@pytest.mark.parametrize("kind", models.kinds(), ids=lambda kind: kind.__name__)
def test_a_kind_of_job_names_a_task_and_the_queue_that_it_goes_through(kind):
    routes, default = settings.CELERY_TASK_ROUTES, settings.CELERY_TASK_DEFAULT_QUEUE
    for queue in kind.queues():
        assert callable(getattr(tasks, queue.task))
        assert routes.get(f"leaderboard.tasks.{queue.task}", {}).get("queue", default) == queue.name
    assert (kind.QUEUE, kind.TASK) in {(queue.name, queue.task) for queue in kind.queues()}


@pytest.mark.parametrize("kind", models.kinds(), ids=lambda kind: kind.__name__)
def test_a_kind_of_job_has_the_status_of_what_waits_and_of_what_is_worked_on(kind):
    assert {kind.WAITS, kind.WORKS} <= set(kind.Status)


def test_a_job_is_pending_until_it_is_done_and_claimable_while_no_worker_has_it(version, system, submit):
    made = submit(version, system, grade=False)
    rows = Submission.objects.filter(pk=made.pk)
    assert rows.pending().exists()
    assert rows.claimable().exists()
    assert rows.waiting().exists()
    assert not rows.at_work().exists()
    lease = leases.claim(rows.pending(), status=Submission.WORKS)
    assert lease is not None
    assert rows.pending().exists()
    assert rows.at_work().exists()
    assert not rows.claimable().exists()
    rows.update(lease_until=Now() - timedelta(seconds=1))
    assert rows.claimable().exists(), "its worker died"
    rows.update(status=Submission.Status.GRADED, lease_until=None)
    assert not rows.pending().exists()


def test_what_waits_for_a_fault_to_pass_is_pending_and_not_claimable(version, system, submit):
    made = submit(version, system, grade=False)
    rows = Submission.objects.filter(pk=made.pk)
    rows.update(next_attempt_at=Now() + timedelta(minutes=5))
    assert rows.pending().exists()
    assert not rows.claimable().exists()
    assert not rows.waiting().exists()


def test_progress_is_told_in_percent_and_never_above_100():
    assert Submission(progress_done=1, progress_total=3).percent == 33
    assert Run(progress_done=7, progress_total=3).percent == 100
    assert Version().percent == 0


def test_each_queue_is_listed_once_with_what_waits_in_it(version, system, submit):
    submit(version, system, grade=False)
    result = {queue.name: queue for queue in queues.lengths()}
    assert list(result) == ["grading", "models", "servers"]
    assert (result["grading"].waiting, result["models"].waiting) == (1, 0)
    assert result["grading"].oldest is not None
