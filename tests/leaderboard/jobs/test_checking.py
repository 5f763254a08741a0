"""A file is checked in its own process, one at a time for an account, and with a time limit."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.urls import reverse

from leaderboard.accounts.models import ApiToken
from leaderboard.jobs import checking, isolated
from leaderboard.jobs.models import CheckSlot
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission
from tests.leaderboard.conftest import TINY
from tests.leaderboard.submissions.dying import die, hang
from tests.proportion import soon


@pytest.fixture
def costly(make_version, predictions, tmp_path):
    """A version, and a valid file for it that takes seconds to check: its texts are long and almost JSON."""
    version = make_version(name="long", generator=TINY["generator"] | {"queries": 12, "episodes": 3})
    text = '{"value":"x","a":[' + "[]," * 300_000 + "NaN]}"
    ids = [json.loads(line)["id"] for line in predictions(version).read_bytes().splitlines()]
    path = tmp_path / "costly.jsonl"
    path.write_bytes(
        b"".join(json.dumps({"id": row_id, "output": text}).encode() + b"\n" for row_id in ids[:60])
    )
    return version, path


@pytest.fixture
def send(client, user, version):
    client.force_login(user)

    def post(data: bytes, **headers):
        form = {"version": version.pk, "name": "New", "kind": "llm", "visibility": "public"}
        form["file"] = SimpleUploadedFile("preds.jsonl", data)
        return client.post(reverse("leaderboard:submit"), form, **headers)

    return post


def test_a_file_is_checked_outside_the_web_process(version, predictions, user, monkeypatch):
    here = []
    monkeypatch.setattr("evaluation.core.validation.check", lambda *args, **options: here.append(args))
    accepted = submissions.accept(version, predictions(version), sent_by=user)
    assert accepted.rows == version.row_count
    assert here == []


def test_what_the_process_finds_is_what_the_command_line_finds(version, predictions, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b'{oops\n{"id": "E9"}\n' + predictions(version).read_bytes())
    for path in (predictions(version), bad):
        here = submissions.validate(version, path)
        assert submissions.validate(version, path, apart=True) == here
    assert not here.ok


def test_a_check_that_takes_too_long_ends_with_a_reason(costly, user, settings, monkeypatch):
    monkeypatch.setattr(isolated, "WALL", 60)  # however busy this machine is
    version, path = costly
    settings.CHECK_SECONDS = 1
    with pytest.raises(submissions.RejectedError) as refused:
        submissions.accept(version, path, sent_by=user)
    (problem,) = refused.value.intake.problems
    assert problem.code == "takes_too_long"
    assert "more than 1 s" in problem.message
    assert not CheckSlot.objects.exists()


def test_a_process_that_dies_is_a_fault_of_the_site_and_costs_nothing(
    version, predictions, user, monkeypatch
):
    monkeypatch.setattr(isolated, "_work", die)
    with pytest.raises(isolated.BrokenOffError):
        submissions.accept(version, predictions(version), sent_by=user)
    assert not CheckSlot.objects.exists()
    monkeypatch.undo()
    assert submissions.accept(version, predictions(version), sent_by=user).rows


def test_a_process_that_hangs_is_ended(version, predictions, user, monkeypatch, settings):
    settings.CHECK_SECONDS = 1
    monkeypatch.setattr(isolated, "_work", hang)
    with pytest.raises(checking.BusyError, match="too busy to check"):
        submissions.accept(version, predictions(version), sent_by=user)


def test_an_account_has_one_file_checked_at_a_time(user, other):
    with checking.slot(user):
        with pytest.raises(checking.BusyError, match="Another file of yours") as busy, checking.slot(user):
            pass
        assert busy.value.status == 429
        with checking.slot(other):
            pass
    with checking.slot(user):
        pass


def test_the_site_checks_only_so_many_at_once(user, other, staff, settings):
    settings.CHECKS_AT_ONCE = 2
    with checking.slot(user), checking.slot(other):
        with pytest.raises(checking.BusyError, match="checking other files") as busy, checking.slot(staff):
            pass
        assert busy.value.status == 503
    with checking.slot(staff):
        pass


def test_a_slot_is_free_again_whatever_happens_in_it(user):
    with pytest.raises(ZeroDivisionError), checking.slot(user):
        raise ZeroDivisionError
    assert not CheckSlot.objects.exists()


def test_a_slot_whose_process_died_is_free_again_after_its_time(user, settings):
    with checking.slot(user):
        held = CheckSlot.objects.annotate(left=Now()).get()
        assert timedelta(seconds=settings.CHECK_SECONDS) < held.until - held.left < timedelta(minutes=5)
    CheckSlot.objects.create(account=user, number=0, until=Now() - timedelta(seconds=1))
    with checking.slot(user):
        assert CheckSlot.objects.count() == 1


def test_a_process_that_is_late_ends_only_its_own_slot(user):
    with checking.slot(user):
        CheckSlot.objects.update(until=Now() - timedelta(seconds=1))
        with checking.slot(user):
            mine = CheckSlot.objects.get()
            # the first one, suspended meanwhile, ends here
            assert CheckSlot.objects.filter(pk=mine.pk).exists()
    assert not CheckSlot.objects.exists()


def test_the_api_says_when_to_send_the_second_file(client, user, other, version, predictions, settings):
    _, secret = ApiToken.objects.issue(user=user, name="script", scopes=["read", "submit"])
    address, data = "/api/v1/versions/goldevidencebench/tiny/validate", predictions(version).read_bytes()

    def post():
        return client.post(
            address, data, "application/x-ndjson", headers={"Authorization": f"Bearer {secret}"}
        )

    assert post().status_code == 200
    with checking.slot(user):
        own = post()
    settings.CHECKS_AT_ONCE = 1
    with checking.slot(other):
        full = post()
    for answer, status, kind in ((own, 429, "check-running"), (full, 503, "busy")):
        result = json.loads(answer.content)
        assert (answer.status_code, answer["Retry-After"], result["retry_after"]) == (status, "5", 5)
        assert result["type"].endswith(f":{kind}")


def test_the_page_says_that_another_file_is_being_checked(send, user, version, predictions):
    with checking.slot(user):
        response = send(predictions(version).read_bytes())
    assert (response.status_code, response["Retry-After"]) == (429, "5")
    assert "Another file of yours is being checked" in response.content.decode()
    assert not Submission.objects.exists()
    assert send(predictions(version).read_bytes()).status_code == 302


def test_a_busy_site_says_so_and_when_to_come_back(send, user, other, version, predictions, settings):
    settings.CHECKS_AT_ONCE = 1
    with checking.slot(other):
        response = send(predictions(version).read_bytes())
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "checking other files" in response.content.decode()


def test_a_run_of_the_site_needs_no_free_slot(version, predictions, user):
    with checking.slot(user):
        assert submissions.accept(version, predictions(version)).rows


def test_many_problems_cost_no_more_than_a_good_file(send, version):
    with soon(2):
        assert send(gzip.compress(b"x\n" * (7 << 20))).status_code == 422
