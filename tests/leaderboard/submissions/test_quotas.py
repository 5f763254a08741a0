"""Quotas: a submission over them is refused before its file is read or stored."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts.models import ApiToken
from leaderboard.benchmarks import storage
from leaderboard.submissions import quotas
from leaderboard.submissions.models import Submission, System


@pytest.fixture
def used_up(settings, version, system, submit):
    """An account that has made its one submission of the day."""
    settings.SUBMISSIONS_PER_VERSION_PER_DAY = 1
    return submit(version, system).submitter


@pytest.fixture
def nothing_stored(used_up, monkeypatch):
    """Fails the test if a file is stored."""

    def keep(path):
        raise AssertionError(f"{path} was stored")

    monkeypatch.setattr(storage, "keep", keep)


@pytest.mark.usefixtures("nothing_stored")
def test_the_page_refuses_before_it_stores(client, version, used_up, predictions):
    client.force_login(used_up)
    upload = SimpleUploadedFile("preds.jsonl", predictions(version, wrong=2).read_bytes())
    form = {"version": version.pk, "name": "New one", "visibility": "public", "file": upload}
    answer = client.post(reverse("leaderboard:submit"), form)
    assert answer.status_code == 429
    assert "1 of 1 submission " in answer.content.decode()
    assert Submission.objects.count() == 1


@pytest.mark.usefixtures("nothing_stored")
def test_the_api_refuses_before_it_stores(client, version, used_up, predictions):
    _, secret = ApiToken.objects.issue(user=used_up, name="script", scopes=["read", "submit"])
    answer = client.post(
        f"/api/v1/submissions?version={version.benchmark.slug}/{version.slug}&system=New",
        predictions(version, wrong=2).read_bytes(),
        content_type="application/x-ndjson",
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (429, "quota-used-up")
    assert int(answer["Retry-After"]) > 0


def test_an_account_makes_so_many_systems_a_day_and_may_go_on_with_those(settings, user, staff):
    settings.SYSTEMS_PER_DAY = 2
    for name in ("one", "two"):
        quotas.new_system(user, name=name)
    with pytest.raises(quotas.QuotaError, match="You have created 2 systems within 24 hours") as caught:
        quotas.new_system(user, name="three")
    assert 86_000 < caught.value.retry_after <= 86_400
    assert [quotas.new_system(staff, name=name).name for name in ("1", "2", "3")] == ["1", "2", "3"]
    System.objects.filter(owner=user).update(created_at=timezone.now() - timedelta(days=2))
    quotas.new_system(user, name="three")
