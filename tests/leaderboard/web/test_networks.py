"""A network is one address, or one IPv6 /64; behind proxies it is the client's; its key changes every day."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import RequestFactory

from leaderboard.web import networks


def asked_from(address: str, **headers: str) -> str:
    return networks.network_of(RequestFactory().get("/", REMOTE_ADDR=address, **headers))


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1:4711", "10.0.0.1", True),
        ("[2001:db8:1:2::1]:4711", "2001:db8:1:2::1", True),
        ('"[2001:db8:1:2::1]"', "2001:db8:1:2::1", True),
        ("fe80::1%eth0", "fe80::1", True),
    ],
)
def test_ipv6_counts_by_its_prefix(one: str, other: str, is_same: bool) -> None:
    assert (asked_from(one) == asked_from(other)) == is_same


def test_a_header_is_believed_only_behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    from ninja.conf import settings as ninja

    sent = {"HTTP_X_FORWARDED_FOR": "10.9.9.9, 192.0.2.7"}
    assert asked_from("10.0.0.1", **sent) == "10.0.0.1"
    monkeypatch.setattr(ninja, "NUM_PROXIES", 1)
    assert asked_from("10.0.0.1", **sent) == "192.0.2.7"


def test_an_unknown_address_has_no_key() -> None:
    assert networks.daily_key(RequestFactory().get("/", REMOTE_ADDR="")) == ""


def test_the_key_changes_every_day_and_does_not_hold_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    request: Any = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1")
    keys = set()
    for day in (1, 2):
        monkeypatch.setattr(networks.timezone, "now", lambda day=day: datetime(2026, 1, day, tzinfo=UTC))
        keys |= {networks.daily_key(request), networks.daily_key(request)}
    assert len(keys) == 2
    assert all(len(key) == 64 and "10.0" not in key for key in keys)
