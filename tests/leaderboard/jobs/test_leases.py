"""Leases: one worker has a row at a time, a late one writes nothing, and waiting rows send one message."""

from __future__ import annotations

import errno
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db.models.functions import Now
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import tasks
from leaderboard.benchmarks import freezing, storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import seal
from leaderboard.jobs import backoff, dispatch, forks, leases, reaper
from leaderboard.runs import execution, life
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.services import grading
from tests.leaderboard.jobs.workers import die, fresh, seconds_to_wait, taken_by_another, wait_is_over
from tests.leaderboard.runs.running import again, history


def test_a_lease_is_renewed_only_while_it_is_ours(small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    lease = life.claim(Run, str(run.pk), execution.files_of)
    before = fresh(run).lease_until
    lease._renew()
    assert not lease.lost
    assert fresh(run).lease_until >= before
    taken_by_another(run)
    lease._renew()
    assert lease.lost
    assert not lease.update(worker="late")


def test_a_lease_that_ran_out_is_lost_although_no_worker_took_the_row(small, staff):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    lease = life.claim(Run, str(run.pk), execution.files_of)
    die(run)
    assert not lease.update(worker="late")
    with pytest.raises(leases.LostError):
        lease.confirm()
    lease._renew()
    assert lease.lost


def test_a_worker_that_slept_through_its_lease_knows_it_without_the_database(
    small, staff, monkeypatch, django_assert_num_queries
):
    lease = life.claim(
        Run, str(runs.start(version=small, executor="ledger", started_by=staff).pk), execution.files_of
    )
    clock = leases._clock
    monkeypatch.setattr(leases, "_clock", lambda: clock() + 121)
    with django_assert_num_queries(0):
        assert lease.lost


def test_two_claims_at_once_give_one_lease(version, system, submit):
    made = submit(version, system, grade=False)
    rows = Submission.objects.filter(pk=made.pk)
    first, second = (leases.claim(rows, status="grading") for _ in range(2))
    assert first is not None
    assert second is None
    assert fresh(made).attempts == 1


@pytest.mark.parametrize("skew", [timedelta(hours=-30), timedelta(hours=30)])
def test_the_clock_of_a_worker_does_not_matter(version, system, submit, monkeypatch, skew):
    made, held = submit(version, system, grade=False), submit(version, system, grade=False)
    assert leases.claim(Submission.objects.filter(pk=held.pk), status="grading")
    right = timezone.now
    with monkeypatch.context() as wrong:
        wrong.setattr(timezone, "now", lambda: right() + skew)
        assert not submissions.grade(str(held.pk))
        lease = leases.claim(Submission.objects.filter(pk=made.pk), status="grading")
        assert abs((fresh(made).lease_until - right()).total_seconds() - 120) < 5
        lease.wait("the storage is not reachable")
        assert seconds_to_wait(made) == pytest.approx(15, abs=2)
        assert reaper.enqueue_overdue() == 0
    assert abs((fresh(made).next_attempt_at - right()).total_seconds() - 15) < 5


# A worker that comes too late


@pytest.fixture
def slept(monkeypatch):
    """The first worker sleeps in the middle of its grading until another has graded, then continues."""

    def arrange(made, *, error=None):
        keep = grading._keep_verdicts

        def slowly(*graded):
            monkeypatch.setattr(grading, "_keep_verdicts", keep)
            die(made)
            leases.recover(Submission.objects.all())
            wait_is_over(made)
            assert submissions.grade(str(made.pk))
            if error:
                raise error
            return keep(*graded)

        monkeypatch.setattr(grading, "_keep_verdicts", slowly)

    return arrange


@pytest.mark.parametrize(
    "error",
    [
        None,
        ValueError("no"),
        OSError("the storage is away"),
        storage.DamagedFileError("torn"),
        RuntimeError("and again"),
    ],
    ids=str,
)
@pytest.mark.parametrize("tried", [0, 2])
def test_a_worker_that_wakes_after_another_graded_writes_nothing(
    version, system, submit, slept, error, tried
):
    made = submit(version, system, grade=False)
    Submission.objects.filter(pk=made.pk).update(attempts=tried)
    slept(made, error=error)
    assert not submissions.grade(str(made.pk))
    row = fresh(made)
    assert (row.status, row.error, row.lease_until, row.next_attempt_at) == ("graded", "", None, None)
    assert row.shown
    assert Score.objects.count() == 1
    assert [event.kind for event in made.events.all()] == ["received", "queued", "graded"]


def test_a_worker_that_slept_past_its_lease_writes_nothing_even_without_a_successor(
    version, system, submit, monkeypatch
):
    made = submit(version, system, grade=False)
    keep = grading._keep_verdicts
    with monkeypatch.context() as sleeping:
        sleeping.setattr(grading, "_keep_verdicts", lambda *graded: (die(made), keep(*graded))[1])
        assert not submissions.grade(str(made.pk))
    assert not Score.objects.exists()
    assert fresh(made).status == "grading"
    assert submissions.grade(str(made.pk))
    assert fresh(made).attempts == 2


def test_flags_of_a_worker_that_slept_after_it_published_are_not_written(
    version, system, submit, monkeypatch
):
    made = submit(version, system, grade=False)

    def slowly(submission):
        submissions.regrade(fresh(made))
        return [{"code": "late"}]

    monkeypatch.setattr("leaderboard.submissions.flags.inspect", slowly)
    submissions.grade(str(made.pk))
    assert (fresh(made).flags, fresh(made).status) == ([], "queued")


def test_a_submission_queued_again_by_staff_is_graded_anew_by_another_worker(
    version, system, submit, staff, monkeypatch
):
    made = submit(version, system, grade=False)
    keep = grading._keep_verdicts

    def slowly(*graded):
        submissions.regrade(fresh(made), actor=staff)
        return keep(*graded)

    with monkeypatch.context() as sleeping:
        sleeping.setattr(grading, "_keep_verdicts", slowly)
        assert not submissions.grade(str(made.pk))
    assert (fresh(made).status, fresh(made).score, fresh(made).attempts) == ("queued", None, 0)
    assert submissions.grade(str(made.pk))


def test_a_late_freeze_touches_no_frozen_version(version, monkeypatch):
    draft = freezing.start(preset=version.preset, wake_worker=False)
    write = seal.write_files
    seals = []

    def slowly(*given):
        monkeypatch.setattr(seal, "write_files", write)
        die(draft)
        assert freezing.freeze(draft.pk)
        seals.append(Version.objects.values().get(pk=draft.pk))
        return write(*given)

    monkeypatch.setattr(seal, "write_files", slowly)
    assert not freezing.freeze(draft.pk)
    assert Version.objects.values().get(pk=draft.pk) == seals[0]


@pytest.mark.parametrize("error", [ValueError("no"), OSError("away")])
def test_a_late_freeze_that_breaks_touches_no_frozen_version_either(version, monkeypatch, error):
    draft = freezing.start(preset=version.preset, wake_worker=False)
    write = seal.write_files

    def slowly(*given):
        monkeypatch.setattr(seal, "write_files", write)
        die(draft)
        assert freezing.freeze(draft.pk)
        raise error

    monkeypatch.setattr(seal, "write_files", slowly)
    assert not freezing.freeze(draft.pk)
    assert (fresh(draft).status, fresh(draft).error) == ("frozen", "")


def test_a_worker_that_lost_its_lease_stops_and_leaves_no_trace(small, staff):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)

    def overtake(done: int, total: int, rate: float) -> None:
        if done == 1:
            taken_by_another(run).update(worker="other", progress_done=7)

    assert not runs.execute(str(run.pk), on_progress=overtake)
    run = again(run)
    assert (run.status, run.worker, run.progress_done) == ("running", "other", 7)
    assert "Finished" not in history(run)


def test_a_late_worker_submits_no_second_time(small, staff, monkeypatch):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    accept = submissions.accept

    def slowly(*given, **named):
        monkeypatch.setattr(submissions, "accept", accept)
        accepted = accept(*given, **named)
        die(run)
        assert runs.execute(str(run.pk))
        return accepted

    monkeypatch.setattr(submissions, "accept", slowly)
    assert not runs.execute(str(run.pk))
    assert Submission.objects.count() == 1
    assert history(run).count("Finished") == 1
    assert again(run).status == "finished"


def test_a_late_worker_saves_no_row(small, staff, monkeypatch):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    clock, slept = leases._clock, []
    monkeypatch.setattr(leases, "_clock", lambda: clock() + 500 * len(slept))
    assert not runs.execute(str(run.pk), on_progress=lambda done, *_: done == 3 and slept.append(done))
    assert len(execution.path_of(run).read_bytes().splitlines()) == 3


def test_a_worker_that_waited_too_long_for_its_turn_leaves_the_files_alone(small, staff, monkeypatch):
    run = runs.start(version=small, executor="ledger", started_by=staff)
    execution.path_of(run).write_bytes(b"what another wrote\n")
    with monkeypatch.context() as waited:
        acquire = execution.locks._acquired

        def acquired(lock):
            die(run)
            waited.setattr(leases, "_clock", lambda: float("inf"))
            return acquire(lock)

        waited.setattr(execution.locks, "_acquired", acquired)
        assert not runs.execute(str(run.pk))
    assert execution.path_of(run).read_bytes() == b"what another wrote\n"


# Deaths


def test_only_what_kills_ten_workers_in_a_day_is_given_up():
    waits = [backoff.after_death(n) for n in range(1, backoff.MAX_ATTEMPTS + 1)]
    assert len(waits) == 10
    assert waits[:4] == [timedelta(0), timedelta(seconds=15), timedelta(minutes=1), timedelta(minutes=5)]
    assert waits[:9] == sorted(waits[:9])
    assert sum(waits, timedelta()) > timedelta(hours=22)


@given(st.integers(0, 2**15))
def test_no_count_of_deaths_or_faults_is_too_high_to_wait_for(number):
    assert timedelta(0) <= backoff.after_death(number) <= timedelta(hours=12)
    assert timedelta(seconds=15) <= backoff.after_fault(number + 1) <= timedelta(hours=1)


def kill(made, times: int) -> None:
    for _ in range(times):
        wait_is_over(made)
        assert leases.claim(type(made).objects.filter(pk=made.pk), status=made.WORKS)
        die(made)
        leases.recover(type(made).objects.all())


def test_three_crashes_fail_no_good_file(version, system, submit):
    made = submit(version, system, grade=False)
    kill(made, 3)
    row = fresh(made)
    assert (row.status, row.attempts) == ("queued", 3)
    assert row.error.startswith("Waiting: the worker stopped unexpectedly, for the third time.")
    assert seconds_to_wait(made) == pytest.approx(60, abs=3)
    assert not submissions.grade(str(made.pk))
    wait_is_over(made)
    assert submissions.grade(str(made.pk))
    assert fresh(made).error == ""


def test_a_host_that_was_started_again_did_not_die_of_the_file(version, system, submit, monkeypatch):
    made = submit(version, system, grade=False)
    for _ in range(backoff.MAX_ATTEMPTS + 5):
        wait_is_over(made)
        monkeypatch.setattr(leases, "HOLDER", f"{leases.HOST} an-earlier-boot 77")
        assert leases.claim(Submission.objects.filter(pk=made.pk), status="grading")
        die(made)
        leases.recover(Submission.objects.all())
    row = fresh(made)
    assert (row.status, row.attempts, row.faults) == ("queued", 0, 15)
    assert "the machine that worked on this was restarted" in row.error
    assert seconds_to_wait(made) <= 3600
    wait_is_over(made)
    assert submissions.grade(str(made.pk))


@pytest.mark.parametrize("holder", ["", "elsewhere another-boot 5", "HOST - 5", "HOST BOOT 5"])
def test_a_death_that_nothing_excuses_counts(version, system, submit, monkeypatch, holder):
    made = submit(version, system, grade=False)
    holder = holder.replace("HOST", leases.HOST).replace("BOOT", leases.BOOT)
    monkeypatch.setattr(leases, "HOLDER", holder)
    kill(made, 1)
    assert (fresh(made).attempts, fresh(made).faults) == (1, 0)


def test_what_is_killed_after_its_worker_was_told_to_stop_did_not_kill_it(version, system, submit, staff):
    made = submit(version, system, grade=False)
    run = runs.start(version=version, executor="ledger", started_by=staff, wake_worker=False)
    draft = freezing.start(preset=version.preset, wake_worker=False)
    for row in (made, run, draft):
        assert leases.claim(type(row).objects.filter(pk=row.pk), status=row.WORKS)
    for _ in range(2):
        leases.forgive(Submission, Run, Version)
    for row in (made, run, draft):
        die(row)
        leases.recover(type(row).objects.exclude(lease_until=None))
        assert (fresh(row).attempts, fresh(row).next_attempt_at) == (0, None)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_a_worker_that_stops_in_good_order_gives_its_attempt_back(
    version, system, submit, staff, monkeypatch, interruption
):
    def interrupted(*_, **__):
        raise interruption

    made = submit(version, system, grade=False)
    run = runs.start(version=version, executor="ledger", started_by=staff, wake_worker=False)
    monkeypatch.setattr(grading, "_report", interrupted)
    monkeypatch.setattr(execution, "_run_deterministic", interrupted)
    for row, work in ((made, submissions.grade), (run, runs.execute)):
        with pytest.raises(interruption):
            work(str(row.pk))
        assert (fresh(row).attempts, fresh(row).lease_until, fresh(row).status) == (0, None, "queued")


def test_what_a_killed_child_of_this_worker_had_waits_for_no_lease_to_run_out(small, staff, monkeypatch):
    rung: list[tuple[object, ...]] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda *message: rung.append(message))
    run = runs.start(version=small, executor="ledger", started_by=staff, wake_worker=False)
    assert life.claim(Run, str(run.pk), execution.files_of)
    monkeypatch.setattr(forks, "connection", Mock())  # it is this test's own
    tasks.recover_what_a_dead_process_left(
        tasks.execute_run, ValueError("a fault of the task"), [str(run.pk)]
    )
    assert fresh(run).status == "running"
    reaper.recover_broken_off("execute_run", str(run.pk))
    assert (fresh(run).status, fresh(run).attempts, rung) == ("queued", 1, [("execute_run", str(run.pk))])


def test_what_another_worker_holds_is_left_to_it(small, staff, monkeypatch):
    run = runs.start(version=small, executor="ledger", started_by=staff, wake_worker=False)
    assert life.claim(Run, str(run.pk), execution.files_of)
    monkeypatch.setattr(leases, "HOLDER", "another worker")
    monkeypatch.setattr(forks, "connection", Mock())
    reaper.recover_broken_off("execute_run", str(run.pk))
    assert fresh(run).status == "running"


def test_a_run_whose_worker_is_silent_says_so_and_shows_no_estimate(small, staff, client):
    run = runs.start(version=small, executor="ledger", started_by=staff, wake_worker=False)
    assert life.claim(Run, str(run.pk), execution.files_of)
    Run.objects.update(rate=0.01, progress_done=1, progress_total=100)
    client.force_login(staff)
    for seconds, is_silent in ((10, False), (16, True)):
        Run.objects.update(lease_until=Now() + timedelta(seconds=120 - seconds))
        assert Run.objects.with_silence().get().is_silent is is_silent
        for page in ("/runs/", run.get_absolute_url()):
            shown = client.get(page).content.decode()
            assert (
                any(words in shown for words in ("Worker not responding", "worker not responding"))
                is is_silent
            )
            assert ("2 h 45 min" in shown) is not is_silent


# Bells


def test_what_waits_is_queued_when_it_is_due_and_not_before(version, system, submit, monkeypatch):
    made = submit(version, system, grade=False)
    Submission.objects.filter(pk=made.pk).update(created_at=timezone.now() - timedelta(minutes=5))
    rung: list[str] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda task, *args: rung.append(args[0]))
    reaper.enqueue_overdue()
    leases.claim(Submission.objects.filter(pk=made.pk), status="grading").wait("the disk is full")
    reaper.enqueue_overdue()
    assert rung == [str(made.pk)]
    wait_is_over(made)
    reaper.enqueue_overdue()
    assert rung == [str(made.pk)] * 2


def test_a_cache_whose_disk_is_full_keeps_nothing_from_being_queued(version, system, submit, monkeypatch):
    made = submit(version, system, grade=False)
    Submission.objects.filter(pk=made.pk).update(created_at=timezone.now() - timedelta(minutes=5))

    class Away:
        def add(self, *_):
            raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(reaper, "caches", {"results": Away()})
    assert reaper.enqueue_overdue() == 1


def test_what_a_broker_that_is_away_did_not_take_is_queued_by_the_next_round(
    version, system, submit, monkeypatch
):
    made = submit(version, system, grade=False)
    Submission.objects.filter(pk=made.pk).update(created_at=timezone.now() - timedelta(minutes=5))
    is_away = iter([True, False])
    monkeypatch.setattr(dispatch, "enqueue", lambda task, *args: next(is_away))
    assert [reaper.enqueue_overdue() for _ in range(3)] == [0, 1, 0]


def test_messages_for_a_run_that_waits_do_not_pile_up(small, staff, monkeypatch):
    rung: list[str] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda task, *args: rung.append(args[0]))
    run = runs.start(version=small, executor="ledger", started_by=staff)
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=5))
    reaper.enqueue_overdue()
    reaper.enqueue_overdue()
    assert rung == [str(run.pk)]


def test_messages_for_submissions_and_versions_do_not_pile_up_and_are_sent_again_after_a_death(
    version, system, submit, monkeypatch
):
    made = submit(version, system, grade=False)
    draft = freezing.start(preset=version.preset, open_demo=True, wake_worker=False)
    long_ago = timezone.now() - timedelta(minutes=5)
    for row in (made, draft):
        type(row)._default_manager.filter(pk=row.pk).update(created_at=long_ago)
    rung: list[tuple[str, object]] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda task, *args: rung.append((task, args[0])))
    for _ in range(4):
        reaper.enqueue_overdue()
    assert rung == [("freeze_version", draft.pk), ("grade_submission", str(made.pk))]
    assert leases.claim(Submission.objects.filter(pk=made.pk), status="grading")
    die(made)
    reaper.enqueue_overdue()
    assert rung[2:] == [("grade_submission", str(made.pk))]
