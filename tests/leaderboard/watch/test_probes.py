"""Who may read numbers, and that probes need neither the site's host name nor HTTPS."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from django.test import Client

from leaderboard.watch import checks


def get(address: str, **headers: str) -> Any:
    return Client(headers={"Host": "10.0.0.7", **headers}).get(address)


def test_the_process_answers_without_the_database(settings: Any) -> None:
    """pytest-django fails a test that uses the database without declaring it."""
    settings.SECURE_SSL_REDIRECT = True
    response = get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert "no-store" in response["Cache-Control"]


def test_numbers_are_no_page_until_a_setting_says_who_may_read_them() -> None:
    assert get("/metrics").status_code == 404


@pytest.mark.parametrize("sent", ["", "Bearer another", "Bearer ", "Bearer tokén"])
def test_numbers_are_for_callers_with_the_token(settings: Any, sent: str) -> None:
    settings.METRICS_TOKEN = "token"
    assert get("/metrics", Authorization=sent).status_code == 403


@pytest.mark.django_db
def test_numbers_are_for_callers_of_a_network(settings: Any) -> None:
    settings.METRICS_NETWORKS = [ipaddress.ip_network("10.0.0.0/8")]
    assert get("/metrics").status_code == 403  # from 127.0.0.1
    settings.METRICS_NETWORKS += [ipaddress.ip_network("127.0.0.0/8")]
    response = get("/metrics")
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain; version=1.0.0")
    assert b'bench_check_ok{check="static"}' in response.content


@pytest.mark.django_db
def test_what_fails_is_named_and_may_be_left_out(settings: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(checks, "_latest", (float("-inf"), {}))
    settings.DISK_ROOM_BYTES = 1 << 60
    response = get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["disk"] == "Disk space is low."
    failing = response.json()["failing"]
    assert "disk" in failing
    everything = "&".join(f"exclude={name}" for name in failing)
    assert get(f"/readyz?{everything}").status_code == 200


def test_an_id_that_could_forge_a_log_line_is_replaced() -> None:
    assert get("/healthz", **{"X-Request-ID": "of-the-proxy.1"})["X-Request-ID"] == "of-the-proxy.1"
    assert len(get("/healthz", **{"X-Request-ID": "two words"})["X-Request-ID"]) == 32
