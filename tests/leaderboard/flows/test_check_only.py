"""The button that checks a file: the same check as before a submission, and nothing is stored."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from leaderboard.benchmarks import storage
from leaderboard.jobs.models import CheckSlot
from leaderboard.submissions import quotas
from leaderboard.submissions.models import Submission, System

SCRIPTED = {"HX-Request": "true"}


@pytest.fixture
def check(client, user, version):
    client.force_login(user)

    def post(data: bytes, *, headers=None, **fields):
        form = {"version": version.pk, "check": "1", "file": SimpleUploadedFile("preds.jsonl", data)}
        return client.post(reverse("leaderboard:submit"), form | fields, headers=headers or {})

    return post


@pytest.fixture
def good(version, predictions) -> bytes:
    return predictions(version).read_bytes()


@pytest.fixture
def stored(monkeypatch) -> list[str]:
    """Records what is stored while the test runs."""
    names: list[str] = []
    monkeypatch.setattr(storage, "keep", names.append)
    return names


def test_a_good_file_is_found_ready_and_nothing_is_kept(check, good, user, version, stored) -> None:
    before = quotas.quota_for(user).used
    response = check(good)
    html = response.content.decode()
    assert response.status_code == 200
    assert "Ready to submit" in html
    assert "nothing was submitted or stored" in html
    assert not Submission.objects.exists()
    assert not System.objects.exists()
    assert not CheckSlot.objects.exists()
    assert (stored, quotas.quota_for(user).used) == ([], before)


def test_a_used_up_quota_bars_no_check(check, good, settings) -> None:
    settings.SUBMISSIONS_PER_DAY = 0
    assert check(good).status_code == 200


def test_with_script_only_the_finding_is_sent_so_that_the_form_keeps_its_file(check, good) -> None:
    html = check(good, headers=SCRIPTED).content.decode()
    assert "Ready to submit" in html
    assert "<form" not in html


def test_without_script_the_form_keeps_what_was_typed(check, good) -> None:
    html = check(good, name="My system", note="Seed 7").content.decode()
    assert 'value="My system"' in html
    assert 'value="Seed 7"' in html
    assert "errorlist" not in html


@pytest.mark.parametrize("headers", [{}, SCRIPTED])
def test_a_bad_file_is_refused_in_the_words_of_a_submission(check, good, headers) -> None:
    response = check(b"{oops\n" + good, headers=headers)
    html = response.content.decode()
    assert response.status_code == 422
    assert "1 problem: this file would be refused" in " ".join(html.split())
    assert "Not JSON" in html


def test_equal_problems_stand_together(check, good) -> None:
    first = json.loads(good.splitlines()[0])
    strangers = b"".join(json.dumps(first | {"id": f"X{number}"}).encode() + b"\n" for number in range(5))
    html = " ".join(check(good + strangers, headers=SCRIPTED).content.decode().split())
    assert "4 more like it: lines" in html
    assert html.count("The version has no row") == 1


def test_what_the_file_seems_to_be_comes_first(check) -> None:
    html = check(b"id,value\nE1,amber\nE2,blue\n", headers=SCRIPTED).content.decode()
    said = "Read as a table: 0 answers used, 2 for rows that the version does not have."
    assert said in html
    assert html.index(said) < html.index("line by line")


def test_a_file_that_looks_mistaken_is_warned_of_before_and_after(check, good, version, user, client) -> None:
    rows = [json.loads(line) for line in good.splitlines()]
    alike = b"".join(
        json.dumps(row | {"support_ids": ["U1", "U2", "U3", "U4"]}).encode() + b"\n" for row in rows
    )
    assert "more than 3 lines of the text" in check(alike, headers=SCRIPTED).content.decode()
    form = {
        "version": version.pk,
        "name": "Odd",
        "kind": "llm",
        "visibility": "private",
        "file": SimpleUploadedFile("preds.jsonl", alike),
    }
    assert client.post(reverse("leaderboard:submit"), form).status_code == 302
    page = client.get(Submission.objects.get().get_absolute_url()).content.decode()
    assert "Are these intended?" in page
    assert "cite no line of their row" in page
    assert "more than 3 lines of the text" in page


@pytest.mark.parametrize(
    ("fields", "words"),
    [({"version": ""}, "Version: This field is required."), ({"file": ""}, "File: This field is required.")],
)
def test_what_a_check_needs_is_asked_for(check, good, fields, words) -> None:
    response = check(good, headers=SCRIPTED, **fields)
    assert response.status_code == 422
    assert words in response.content.decode()


def test_a_file_past_the_limit_is_stopped(check, settings) -> None:
    settings.UPLOAD_MAX_BYTES = 1 << 20
    response = check(b"x" * (3 << 20), headers=SCRIPTED)
    assert response.status_code == 413
    assert "larger than 1 MB" in response.content.decode()


def test_while_another_file_is_checked_it_says_when_to_come_again(check, good, user) -> None:
    from datetime import timedelta

    from django.utils import timezone

    CheckSlot.objects.create(account=user, number=0, until=timezone.now() + timedelta(minutes=1))
    response = check(good, headers=SCRIPTED)
    assert (response.status_code, response["Retry-After"]) == (429, "5")


def test_the_form_has_what_the_address_says(client, user, version) -> None:
    client.force_login(user)
    address = (
        f"?version={version.benchmark.slug}/{version.slug}&name=Mine&note=Seed+7&visibility=private&file=x"
    )
    form = client.get(reverse("leaderboard:submit") + address).context["form"]
    said = {name: form[name].value() for name in ("name", "note", "visibility", "file")}
    assert said == {"name": "Mine", "note": "Seed 7", "visibility": "private", "file": None}
