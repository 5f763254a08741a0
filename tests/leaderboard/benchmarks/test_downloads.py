"""The rows of a version in formats of other projects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from evaluation.core import jsonl
from evaluation.statebench.interchange.changes import Changes
from evaluation.statebench.interchange.export import WITHHELD, to_release
from evaluation.statebench.interchange.release import RELEASES
from evaluation.statebench.interchange.restore import from_release
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version

MakeVersion = Callable[..., Version]


def address(version: Version, name: str) -> str:
    return reverse("leaderboard:version_rows_in_format", args=[version.benchmark.slug, version.slug, name])


def sent(client: Any, version: Version, name: str) -> list[Any]:
    response = client.get(address(version, name))
    assert response.status_code == 200
    assert f'-{version.slug}.{name}.jsonl"' in response["Content-Disposition"]
    return [jsonl.parse(line) for line in b"".join(response.streaming_content).splitlines()]


@pytest.mark.parametrize("release", RELEASES)
def test_timelines_can_be_had_as_the_released_packages_read_them(
    make_version: MakeVersion, client: Any, release: str
) -> None:
    version = make_version("statebench", "quick", tracks=["supersession", "dependency_chain"], count=2)
    rows = list(storage.rows(version.rows_sha256))
    released = sent(client, version, f"statebench-{release}")
    assert released == [to_release(row, RELEASES[release], Changes()) for row in rows]
    assert [from_release(row) for row in released] == rows
    assert all(row["canary"] for row in released)
    assert (
        address(version, f"statebench-{release}") in client.get(version.get_absolute_url()).content.decode()
    )


def test_a_sealed_version_keeps_its_answers_in_every_format(make_version: MakeVersion, client: Any) -> None:
    sealed = make_version("statebench", "quick", sealed=True, tracks=["supersession"], count=2)
    truths = [row["events"][-1]["ground_truth"] for row in sent(client, sealed, "statebench-2.0")]
    assert [(truth["decision"], truth["must_mention"]) for truth in truths] == [(WITHHELD, [])] * 2


def test_a_format_that_a_suite_does_not_offer_is_not_found(version: Version, client: Any) -> None:
    assert client.get(address(version, "statebench-2.0")).status_code == 404
    assert "Download rows for" not in client.get(version.get_absolute_url()).content.decode()
