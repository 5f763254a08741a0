"""A bucket that never answers blocks at most two threads, and only pages that need it."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.files.storage import storages
from django.test import Client

from leaderboard.jobs import faults
from leaderboard.web import errors

bucket = pytest.importorskip("benchsite.bucket", reason="this machine has no django-storages (the s3 extra)")


@pytest.fixture
def hanging(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Artifacts lie in a bucket whose server accepts connections and never answers."""
    monkeypatch.setattr(bucket, "READ_S", 2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        options = {
            "bucket_name": "frozen",
            "endpoint_url": f"http://127.0.0.1:{server.getsockname()[1]}",
            "access_key": "a",
            "secret_key": "b",
            "region_name": "eu",
        }
        place = {"BACKEND": "benchsite.bucket.Bucket", "OPTIONS": options}
        settings.STORAGES = settings.STORAGES | {"artifacts": place}
        yield


def error_at_bucket(_: int) -> tuple[str, str, float]:
    """The error of a thread that uses the bucket: text for readers, text for the job's owner, seconds waited."""
    begun = time.monotonic()
    try:
        storages["artifacts"].exists("a")
    except Exception as error:
        return errors.reason(error), faults.passing(error), time.monotonic() - begun
    raise AssertionError("it answered")


@pytest.mark.timing
def test_two_threads_wait_for_the_bucket_and_the_others_fail_at_once(hanging: None) -> None:
    with ThreadPoolExecutor(4) as pool:
        met = list(pool.map(error_at_bucket, range(4)))
    assert {(reason, passing) for reason, passing, _ in met} == {(errors.STORAGE, faults.STORAGE)}
    times = sorted(seconds for *_, seconds in met)
    assert times[1] < 2 * bucket.READ_S < times[2], "two tries"


@pytest.mark.timing
def test_while_two_have_waited_for_long_the_next_one_does_not_wait_at_all() -> None:
    waiting = bucket.Waiting()
    now = time.monotonic()
    waiting._since = {1: now - 5, 2: now - bucket.PATIENCE_S}
    with pytest.raises(bucket.ConnectTimeoutError):
        waiting.begin()
    assert time.monotonic() - now < 0.2


def test_a_thread_that_is_answered_makes_room() -> None:
    waiting = bucket.Waiting()
    for _ in range(10):
        waiting.begin()
        waiting.end()
    assert not waiting._since


def test_a_page_that_needs_the_bucket_is_a_503_with_when_to_ask_again(version: Any, hanging: None) -> None:
    address = f"{version.get_absolute_url()}rows.jsonl.gz"
    response = Client(raise_request_exception=False).get(address)
    assert (response.status_code, response["Retry-After"]) == (503, "10"), response.content
    assert "storage" in response.content.decode()


def test_a_permanent_refusal_of_a_bucket_is_no_temporary_fault() -> None:
    from botocore.exceptions import ClientError

    def answered(status: int) -> str:
        response: Any = {"Error": {"Code": "x"}, "ResponseMetadata": {"HTTPStatusCode": status}}
        return errors.reason(ClientError(response, "GetObject"))

    assert [answered(403), answered(404), answered(503)] == ["", "", errors.STORAGE]
