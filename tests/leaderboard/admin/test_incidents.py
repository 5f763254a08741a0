"""Incidents for maintainers: each kind is listed with its reason, and its button helps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.urls import reverse
from django.utils import timezone

from leaderboard.admin import incidents
from leaderboard.benchmarks import freezing, storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import verifying
from leaderboard.jobs import keeper, queues
from leaderboard.jobs.models import PeriodicWork
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Event, Likeness, Submission, System
from tests.leaderboard.conftest import RANKED

PAGE, AGAIN = "/admin/attention/", "/admin/attention/again/"


@pytest.fixture
def failed_submission(
    version: Version, system: System, submit: Any, monkeypatch: pytest.MonkeyPatch
) -> Submission:
    made = submit(version, system, grade=False)

    def broken(*_: Any, **__: Any) -> Any:
        raise storage.DamagedFileError("the stored file abc… is missing")

    with monkeypatch.context() as patch:
        patch.setattr(storage, "rows", broken)
        assert not submissions.grade(str(made.pk))
    return Submission.objects.get(pk=made.pk)


@pytest.fixture
def failed_run(version: Version, staff: Any) -> Run:
    run = runs.start(version=version, executor="ledger", started_by=staff, wake_worker=False)
    Run.objects.filter(pk=run.pk).update(
        status=Run.Status.FAILED,
        error="There is not enough memory for this model.",
        finished_at=timezone.now(),
    )
    return run


@pytest.fixture
def failed_version(version: Version) -> Version:
    made = freezing.start(preset=version.preset, title="Half a version", wake_worker=False)
    Version.objects.filter(pk=made.pk).update(
        status=Version.Status.FAILED, error="The version could not be frozen: the disk is full"
    )
    return made


def shown(client: Any, query: str = "") -> str:
    """The page without its filter form, which names every kind."""
    before, _, after = client.get(f"{PAGE}{query}").content.decode().partition('class="attention-filter"')
    return before + after.partition("</form>")[2]


def test_an_empty_list_of_incidents_says_so(admin_client: Any, db: None) -> None:
    assert "Nothing failed and nothing is stuck." in shown(admin_client)
    assert "Nothing failed and nothing is stuck." in admin_client.get("/admin/").content.decode()


def test_a_failed_grading_is_listed_with_its_reason_and_graded_again(
    admin_client: Any, failed_submission: Submission
) -> None:
    page = shown(admin_client)
    assert "Failed submissions" in page
    assert "the stored file abc… is missing" in page
    assert "1</b> thing needs you" in admin_client.get("/admin/").content.decode()
    admin_client.post(AGAIN, {"kind": "submissions", "pk": failed_submission.pk})
    failed_submission.refresh_from_db()
    assert failed_submission.status == "queued"
    assert failed_submission.events.filter(actor__username="admin", kind="queued").exists()
    assert submissions.grade(str(failed_submission.pk))
    assert "Failed submissions" not in shown(admin_client)


def test_a_second_grading_that_failed_is_listed_although_the_old_score_stands(
    admin_client: Any, version: Version, system: System, submit: Any
) -> None:
    made = submit(version, system)
    Submission.objects.filter(pk=made.pk).update(error="The grading failed: the disk is full.")
    assert "the disk is full" in shown(admin_client)


def test_a_failed_run_is_resumed(admin_client: Any, failed_run: Run) -> None:
    assert "There is not enough memory for this model." in shown(admin_client)
    admin_client.post(AGAIN, {"kind": "runs", "pk": failed_run.pk})
    failed_run.refresh_from_db()
    assert failed_run.status == "queued"


def test_a_failed_freeze_is_frozen_again(admin_client: Any, failed_version: Version) -> None:
    assert "The version could not be frozen: the disk is full" in shown(admin_client)
    admin_client.post(AGAIN, {"kind": "versions", "pk": failed_version.pk})
    assert freezing.freeze(failed_version.pk)


def test_a_refused_import_asks_for_another_file_and_has_no_button(
    admin_client: Any, failed_version: Version
) -> None:
    Version.objects.filter(pk=failed_version.pk).update(upload="imports/gone", error="Line 7: no gold.")
    page = shown(admin_client)
    assert "Send a corrected file" in page
    assert "Freeze again" not in page
    answer = admin_client.post(AGAIN, {"kind": "versions", "pk": failed_version.pk}, follow=True)
    assert "send a corrected file" in answer.content.decode()


def test_a_version_whose_files_changed_is_listed_until_they_match(
    admin_client: Any, version: Version, settings: Any
) -> None:
    path = settings.STORAGES["artifacts"]["OPTIONS"]["location"] / storage.name_of(version.gold_sha256)
    path.chmod(0o600)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert not verifying.verify(version.pk)
    assert "Versions that do not match their SHA-256" in shown(admin_client)
    path.write_bytes(whole)
    assert verifying.verify(version.pk)
    assert "Versions that do not match" not in shown(admin_client)


@pytest.mark.parametrize("kind", ["stalled-submissions", "stalled-runs", "stalled-versions"])
def test_work_whose_worker_is_gone_is_listed_and_queued_again(
    kind: str, admin_client: Any, version: Version, system: System, submit: Any, failed_run: Run,
    failed_version: Version, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    gone = {"lease_until": timezone.now() - timedelta(minutes=5)}
    made = submit(version, system, grade=False)
    Submission.objects.filter(pk=made.pk).update(status="grading", **gone)
    Run.objects.update(status="running", **gone)
    Version.objects.filter(pk=failed_version.pk).update(status="freezing", **gone)
    assert "The worker stopped renewing its lease" in shown(admin_client, f"?kind={kind}")
    rung: list[str] = []
    monkeypatch.setattr("leaderboard.jobs.dispatch.enqueue", lambda task, *args: rung.append(task))
    admin_client.post(AGAIN, {"kind": kind})
    task = {"submissions": "grade_submission", "runs": "execute_run", "versions": "freeze_version"}
    assert rung == [task[kind.removeprefix("stalled-")]]


def test_the_page_is_filtered_by_kind_and_version_and_says_when_that_leaves_nothing(
    admin_client: Any, failed_run: Run, failed_version: Version, make_version: Any
) -> None:
    other = make_version(name="other")
    assert "Failed freezes" not in shown(admin_client, "?kind=runs")
    assert "not enough memory" in shown(admin_client, f"?version={failed_run.version.pk}")
    assert "Nothing of this kind needs attention." in shown(admin_client, f"?version={other.pk}")
    assert admin_client.get(f"{PAGE}?kind=nonsense&version=x").status_code == 200


def test_all_of_a_kind_are_repeated_with_one_click(
    admin_client: Any, version: Version, system: System, submit: Any
) -> None:
    for _ in range(3):
        submit(version, system, grade=False)
    Submission.objects.update(status="failed", error="The grading failed: the disk is full.")
    assert "all 3" in shown(admin_client)
    answer = admin_client.post(AGAIN, {"kind": "submissions", "back": "?kind=submissions"}, follow=True)
    assert "3 queued" in answer.content.decode()
    assert answer.redirect_chain[0][0] == f"{PAGE}?kind=submissions"


def test_the_page_takes_as_many_queries_for_forty_rows_as_for_four(
    admin_client: Any, version: Version, system: System, submit: Any, django_assert_max_num_queries: Any
) -> None:
    def count(rows: int) -> int:
        while Submission.objects.count() < rows:
            submit(version, system, grade=False)
        Submission.objects.update(status="failed", error="no")
        with django_assert_max_num_queries(86) as seen:
            shown(admin_client)
        return len(seen)

    assert count(4) == count(12)


def test_the_age_of_a_queue_counts_from_the_last_time_that_it_was_queued(
    version: Version, system: System, submit: Any, admin_client: Any
) -> None:
    made = submit(version, system)
    long_ago = timezone.now() - timedelta(days=30)
    Submission.objects.filter(pk=made.pk).update(created_at=long_ago)
    Event.objects.filter(submission=made).update(at=long_ago)
    submissions.regrade(made)
    grading, models, _servers = queues.lengths()
    assert (grading.waiting, models.waiting) == (1, 0)
    assert timezone.now() - grading.oldest < timedelta(minutes=1)
    assert not grading.is_stuck
    Event.objects.filter(submission=made).update(at=long_ago)
    assert queues.lengths()[0].is_stuck
    assert "No worker has taken the oldest" in shown(admin_client)
    assert "No worker takes tasks from the queue" in admin_client.get("/admin/").content.decode()


def test_a_run_that_waits_behind_another_is_not_stuck(version: Version, staff: Any) -> None:
    first, second = (
        runs.start(version=version, executor="ledger", started_by=staff, wake_worker=False) for _ in range(2)
    )
    second.events.update(at=timezone.now() - timedelta(hours=3))
    assert queues.lengths()[1].is_stuck
    Run.objects.filter(pk=first.pk).update(
        status="running", lease_until=timezone.now() + timedelta(minutes=1)
    )
    assert not queues.lengths()[1].is_stuck


def test_only_staff_see_it_and_repeating_needs_the_permission_of_the_kind(
    client: Any, bare_staff: Any, user: Any, failed_run: Run
) -> None:
    assert client.get(PAGE).status_code == 302
    client.force_login(user)
    assert client.get(PAGE).status_code == 302
    client.force_login(bare_staff)
    assert "not enough memory" not in shown(client)
    again = {"kind": "runs", "pk": failed_run.pk}
    assert client.post(AGAIN, again).status_code == 403
    bare_staff.user_permissions.add(*Permission.objects.filter(codename__in=["view_run", "change_run"]))
    assert client.post(AGAIN, again).status_code == 403
    assert "not enough memory" in shown(client)
    assert ">Resume</button>" not in shown(client)
    bare_staff.user_permissions.add(Permission.objects.get(codename="resume_run"))
    assert client.post(AGAIN, again).status_code == 302


@pytest.mark.parametrize(
    "data", [{}, {"kind": "none"}, {"kind": "runs", "pk": "x"}, {"kind": "versions", "version": "x"}]
)
def test_an_unknown_button_is_not_found(admin_client: Any, db: None, data: dict[str, str]) -> None:
    assert admin_client.post(AGAIN, data).status_code == 404
    assert admin_client.get(AGAIN).status_code == 405


def test_every_kind_has_a_page_in_the_admin() -> None:
    for kind in incidents.KINDS.values():
        assert reverse(f"admin:leaderboard_{kind.model._meta.model_name}_changelist")


def test_a_file_that_holds_the_answers_of_another_is_listed_until_a_moderator_looked_at_it(
    client: Any, version: Version, system: System, other: Any, submit: Any
) -> None:
    submit(version, system)
    copied = submit(version, System.objects.create(owner=other, name="Retriever"))
    moderator = other.__class__.objects.create_user("mo", is_staff=True)
    moderator.groups.add(Group.objects.get(name="Moderators"))
    client.force_login(moderator)
    page = shown(client)
    assert "Files with the answers of another account" in page
    assert "This file has the same answers as Ledger reader by ada" in page
    assert copied.get_absolute_url() in page
    assert "1</b> thing needs you" in client.get("/admin/").content.decode()
    answer = client.post(AGAIN, {"kind": "alike", "pk": copied.pk}, follow=True).content.decode()
    assert "1 recorded." in answer
    assert "Files with the answers" not in shown(client)
    assert copied.likenesses.get().seen_by == moderator


@pytest.mark.parametrize("sealed", [False, True])
def test_counts_of_wrong_answers_stand_beside_it_where_the_answers_are_public(
    sealed: bool, admin_client: Any, make_version: Any, system: System, other: Any, submit: Any
) -> None:
    version = make_version(name="ranked", sealed=sealed, generator=RANKED)
    submit(version, system)
    submit(version, System.objects.create(owner=other, name="Retriever"))
    counts = {"wrong_answers": 20, "wrong_answers_here": 19, "other_answers": 60, "other_answers_here": 59}
    Likeness.objects.update(kind="same_mistakes", evidence=counts)
    assert (
        "19 of 20 wrong answers and 59 of 60 other answers are the same." in shown(admin_client)
    ) is not sealed


def test_whether_a_worker_does_the_periodic_work_is_said(admin_client: Any) -> None:
    missing = "No worker does"
    assert missing in shown(admin_client)
    assert missing in admin_client.get("/admin/").content.decode()
    worker = keeper.Keeper(lambda: None)
    worker.tick()
    assert missing not in shown(admin_client)
    assert missing not in admin_client.get("/admin/").content.decode()
    PeriodicWork.objects.update(done_at=timezone.now() - timedelta(minutes=5))
    assert "5\xa0minutes ago" in shown(admin_client)
    assert missing in shown(admin_client)
