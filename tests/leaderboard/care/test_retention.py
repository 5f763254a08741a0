"""Uploads and transcripts are deleted after the days in the settings; their results stay."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from leaderboard.benchmarks import storage
from leaderboard.care import files, retention
from leaderboard.submissions import regrading
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System


@pytest.fixture
def aged(version, system, submit, tmp_path):
    """Makes a submission that is this many days old, with transcripts of its own."""

    def make(days, **fields):
        made = submit(version, system, reported=True, **fields)
        (tmp_path / "lines.jsonl").write_text(f'{{"id": "{made.pk}"}}\n')
        Submission.objects.filter(pk=made.pk).update(
            created_at=timezone.now() - timedelta(days=days),
            transcripts_sha256=storage.keep(tmp_path / "lines.jsonl"),
        )
        return Submission.objects.with_names().get(pk=made.pk)

    return make


def kept(submission):
    return storage.exists(submission.file_sha256), storage.exists(submission.transcripts_sha256)


def test_by_default_everything_is_kept(aged, settings):
    old = aged(4000)
    assert retention.remove() == retention.remove_when_due() == 0
    assert kept(old) == (True, True)


def test_what_is_older_goes_and_its_figures_stay(aged, settings):
    settings.KEEP_UPLOADS_DAYS, settings.KEEP_TRANSCRIPTS_DAYS = 90, 30
    new, middle, old = aged(20), aged(60, wrong=1), aged(100, wrong=2)
    assert retention.remove() == 3
    assert [kept(each) for each in (new, middle, old)] == [(True, True), (True, False), (False, False)]
    fresh = Submission.objects.get(pk=old.pk)
    assert (fresh.transcripts_sha256, fresh.file_sha256) == ("", old.file_sha256)
    assert fresh.score_id == old.score_id
    assert retention.remove() == 0
    call_command("verify_versions")


def test_the_same_file_of_another_submission_stays(aged, settings):
    settings.KEEP_UPLOADS_DAYS = 90
    new, old = aged(20), aged(100)
    assert new.file_sha256 == old.file_sha256
    assert retention.remove() == 0
    assert kept(new)[0]
    assert Submission.objects.get(pk=old.pk).file_removed_at


def test_runs_of_this_site_are_no_uploads(aged, settings):
    settings.KEEP_UPLOADS_DAYS = 90
    old = aged(100)
    Submission.objects.update(source="run")
    assert retention.remove() == 0
    assert kept(old)[0]


def test_pages_say_when_a_file_went_and_nothing_can_be_graded_again(
    aged, settings, client, user, caller, admin_user
):
    settings.KEEP_UPLOADS_DAYS = settings.KEEP_TRANSCRIPTS_DAYS = 90
    old = aged(100)
    retention.remove()
    client.force_login(user)
    page = client.get(old.get_absolute_url()).content.decode()
    said = f"Its predictions were removed on {timezone.now():%-d %b %Y}, as this site stores them for a limited time."
    assert said in page
    assert "Download the file" not in page
    assert client.get(f"{old.get_absolute_url()}predictions.jsonl.gz").status_code == 404
    assert client.get(f"{old.get_absolute_url()}rows/").status_code == 200
    with pytest.raises(submissions.FileRemovedError, match="cannot be graded again"):
        submissions.regrade(Submission.objects.get(pk=old.pk))
    assert regrading.queue(old.version, again=True) == []
    answer = caller(admin_user, "read", "staff")("POST", f"/submissions/{old.pk}/regrade")
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (409, "file-removed")
    client.force_login(admin_user)
    sent = {"action": "regrade", "_selected_action": str(old.pk)}
    answer = client.post("/admin/leaderboard/submission/", sent, follow=True)
    assert "cannot be graded again" in answer.content.decode()


def test_later_files_are_still_graded_and_compared_with_others(aged, settings, version, other, submit):
    settings.KEEP_UPLOADS_DAYS = 90
    aged(100, wrong=3)
    retention.remove()
    assert submit(version, System.objects.create(owner=other, name="Same"), wrong=3, reported=True).score
    assert not files.named(set(storage.names())) - set(storage.names())


def test_the_periodic_work_looks_once_an_hour(aged, settings):
    settings.KEEP_UPLOADS_DAYS = 90
    aged(100)
    assert [retention.remove_when_due(), retention.remove_when_due()] == [1, 0]
