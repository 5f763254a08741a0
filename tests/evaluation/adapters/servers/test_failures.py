"""How refusals are classified, and how long a server asks to wait."""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import Any

import httpx2
import pytest

from evaluation.adapters.servers.failures import (
    ADVICE,
    LONGEST_ASKED_S,
    Meaning,
    asked_pause,
    meaning_of,
    status_in,
)


@pytest.mark.parametrize(
    ("status", "data", "meaning"),
    [
        (400, None, Meaning.ROW),
        (400, {"error": {"code": "content_filter"}}, Meaning.FILTERED),
        (403, {"error": {"type": "content_policy_violation"}}, Meaning.FILTERED),
        (413, None, Meaning.ROW),
        (422, {"detail": []}, Meaning.ROW),
        (401, None, Meaning.ALL),
        (403, {"error": "no"}, Meaning.ALL),
        (404, {"error": {"message": "model 'x' not found"}}, Meaning.ALL),
        (301, None, Meaning.ALL),
        (429, None, Meaning.BUSY),
        (429, {"error": {"code": "insufficient_quota"}}, Meaning.ALL),
        (503, None, Meaning.BUSY),
        (529, None, Meaning.BUSY),
        (408, None, Meaning.LOST),
        (500, [], Meaning.LOST),
        (502, None, Meaning.LOST),
        (599, None, Meaning.LOST),
    ],
)
def test_a_status_concerns_the_row_or_all_of_them(status: int, data: Any, meaning: Meaning) -> None:
    assert meaning_of(status, data) is meaning


@pytest.mark.parametrize(
    ("error", "status"),
    [({"code": 429}, 429), ({"code": "503"}, 503), ({"code": "oops"}, 400), ({"code": 7}, 400), ("no", 400)],
)
def test_an_error_object_may_name_a_status(error: Any, status: int) -> None:
    assert status_in({"error": error}) == status


def test_a_failure_of_all_rows_says_what_to_do() -> None:
    assert {401, 402, 403, 404, 405, 407} == set(ADVICE)


DATE = "Wed, 21 Oct 2026 07:28:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "0.25"}, 0.25),
        ({"Retry-After": "-3"}, 0),
        ({"Retry-After": "86400"}, LONGEST_ASKED_S),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After-Ms": "1500", "Retry-After": "2"}, 1.5),
        ({"Retry-After": "Wed, 21 Oct 2026 07:30:00 GMT", "Date": DATE}, 120),
        ({"Retry-After": "Wed, 21 Oct 2026 07:00:00 GMT", "Date": DATE}, 0),
    ],
)
def test_a_pause_is_asked_for_in_seconds_or_by_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_pause(httpx2.Response(429, headers=headers)) == seconds


def test_without_a_date_of_its_own_the_server_s_clock_is_taken_for_ours() -> None:
    headers = {"Retry-After": formatdate(time.time() + 60, usegmt=True)}
    assert asked_pause(httpx2.Response(429, headers=headers)) == pytest.approx(60, abs=3)
