"""Predictions are public if the answers are: of new submissions at once, of older ones by consent."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from evaluation.core import jsonl
from leaderboard.benchmarks.models import Version
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

Submit = Callable[..., Submission]


def file_of(submission: Submission) -> str:
    return reverse("leaderboard:submission_predictions", args=[submission.pk])


def fetched(client: Any, address: str) -> list[bytes]:
    answer = client.get(address)
    assert answer.status_code == 200
    return gzip.decompress(b"".join(answer.streaming_content)).splitlines()


def listed(client: Any, version: Version) -> list[str]:
    answer = client.get(f"/api/v1/versions/{version.benchmark.slug}/{version.slug}/predictions")
    return [each["submission"] for each in answer.json()["items"]]


def test_predictions_of_a_new_submission_are_public_if_the_answers_are(
    version: Version, system: System, submit: Submit, client: Any
) -> None:
    made = submit(version, system, wrong=2)
    assert listed(client, version) == [str(made.pk)]
    told = client.get(f"/api/v1/submissions/{made.pk}").json()
    lines = fetched(client, told["predictions_url"])
    assert len(lines) == version.row_count
    assert sum(jsonl.parse(line)["value"] == "spoilt" for line in lines) == 2
    assert file_of(made) in client.get(made.get_absolute_url()).content.decode()


@pytest.mark.parametrize("sealed", [False, True])
def test_an_older_one_waits_for_its_owner_and_a_sealed_version_for_its_end(
    make_version: Any, system: System, submit: Submit, client: Any, sealed: bool
) -> None:
    version = make_version(sealed=sealed)
    made = submit(version, system, predictions_public=sealed)
    assert client.get(f"/api/v1/submissions/{made.pk}").json()["predictions_url"] is None
    assert client.get(file_of(made)).status_code in (302, 403)
    if sealed:
        version.retire()
    else:
        submissions.share_predictions(made, actor=system.owner)
        assert made.events.last().get_kind_display() == "Predictions made public"
    assert fetched(client, file_of(made))
    assert listed(client, version) == [str(made.pk)]


def test_its_owner_agrees_on_the_page_once_and_for_all(
    version: Version, system: System, submit: Submit, client: Any
) -> None:
    made = submit(version, system, predictions_public=False)
    switch = reverse("leaderboard:submission_share_predictions", args=[made.pk])
    assert switch not in client.get(made.get_absolute_url()).content.decode()
    client.force_login(system.owner)
    assert switch in client.get(made.get_absolute_url()).content.decode()
    assert client.post(switch).status_code == 302
    assert switch not in client.get(made.get_absolute_url()).content.decode()
    client.logout()
    assert fetched(client, file_of(made))
