"""Leases: a worker holds a run while it renews; who waits is rung for once."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from leaderboard import bell, freezing, leases, reaper, runs
from leaderboard.models import Run, Submission
from tests.leaderboard.running import again, history


def test_a_lease_is_renewed_only_while_it_is_ours(small, staff):
    claimed = runs._claim(str(runs.start(version=small, executor="ledger", started_by=staff).pk))
    lease = leases.Lease(claimed)
    lease._renew()
    assert not lease.lost
    assert again(claimed).lease_until > claimed.lease_until
    Run.objects.filter(pk=claimed.pk).update(lease_until=timezone.now() + timedelta(hours=1))
    lease._renew()
    assert lease.lost
    assert not lease.update(worker="late")


def test_a_worker_that_lost_its_lease_stops_and_leaves_no_trace(small, staff):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)

    def overtake(done: int, total: int, rate: float) -> None:
        Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() + timedelta(hours=1), worker="other")

    assert not runs.execute(str(run.pk), on_progress=overtake)
    run = again(run)
    assert (run.status, run.worker) == ("running", "other")
    assert "Finished" not in history(run)


def test_bells_for_a_run_that_waits_do_not_pile_up(small, staff, monkeypatch):
    rung: list[str] = []
    monkeypatch.setattr(bell, "ring", lambda task, *args: rung.append(args[0]))
    run = runs.start(version=small, executor="ledger", started_by=staff)
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=5))
    reaper.ring_overdue()
    reaper.ring_overdue()
    assert rung == [str(run.pk)]


def test_bells_for_submissions_and_versions_do_not_pile_up_and_ring_again_after_a_death(
    version, system, submit, monkeypatch
):
    made = submit(version, system, grade=False)
    draft = freezing.start(preset=version.preset, ring=False)
    long_ago = timezone.now() - timedelta(minutes=5)
    for row in (made, draft):
        type(row)._default_manager.filter(pk=row.pk).update(created_at=long_ago)
    rung: list[tuple[str, object]] = []
    monkeypatch.setattr(bell, "ring", lambda task, *args: rung.append((task, args[0])))
    for _ in range(4):
        reaper.ring_overdue()
    assert rung == [("freeze_version", draft.pk), ("grade_submission", str(made.pk))]
    Submission.objects.filter(pk=made.pk).update(status="grading", attempts=1, lease_until=long_ago)
    reaper.ring_overdue()
    assert rung[2:] == [("grade_submission", str(made.pk))]
