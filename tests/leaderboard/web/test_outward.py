"""The site never asks an internal address, whatever name leads to it, and at any time."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.web import outward

PUBLIC = "93.184.216.34"


def resolves_to(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """Let a name resolve to other addresses each time."""
    waiting = list(answers)

    def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in waiting.pop(0)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "240.0.0.1", "[::1]", "[fe80::1]", "[fc00::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "[2002:a00:1::1]",
        "[::]", "2130706433", "0x7f.1", "localhost",
    ],
)  # fmt: skip
def test_inner_addresses_are_refused_in_every_spelling(host: str) -> None:
    with pytest.raises(outward.RefusedAddressError):
        outward.target_of(f"https://{host}/hook")


@pytest.mark.parametrize(
    "url",
    ["", "hook", "ftp://1.1.1.1/", "https://", "http://1.1.1.1/", "https://ada:pw@1.1.1.1/", "https://1.1.1.1:x/",
     "https://1.1.1.1/\r\nX: y", "https://[::1", "file:///etc/passwd"],
)  # fmt: skip
def test_what_is_no_https_address_is_refused(url: str) -> None:
    with pytest.raises(outward.RefusedAddressError):
        outward.target_of(url)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    with contextlib.suppress(outward.RefusedAddressError):
        assert outward.target_of(f"https://{PUBLIC}/{text}").address == PUBLIC


@given(st.ip_addresses(network="10.0.0.0/8") | st.ip_addresses(network="fc00::/7"))
def test_private_networks_are_inner(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    assert outward.is_inner(address)


def test_a_public_address_is_asked() -> None:
    assert outward.target_of(f"https://{PUBLIC}/hook?a=b") == (True, PUBLIC, 443, PUBLIC, "/hook?a=b")


def test_a_name_with_one_inner_address_among_others_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, [PUBLIC, "10.0.0.1"])
    with pytest.raises(outward.RefusedAddressError, match=r"10\.0\.0\.1"):
        outward.target_of("https://hook.example/")


def test_the_connection_goes_to_the_checked_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that resolves to an internal address the second time (DNS rebinding) is asked for once."""
    resolves_to(monkeypatch, [PUBLIC], ["127.0.0.1"])
    asked: list[Any] = []

    def connect(address: Any, timeout: float) -> Any:
        asked.append(address)
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(TimeoutError):
        outward.post("https://hook.example/", b"{}", {})
    assert asked == [(PUBLIC, 443)]


@pytest.mark.timing
def test_a_receiver_that_drips_its_answer_is_left(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.WEBHOOKS_TO_LOOPBACK = True
    monkeypatch.setattr(outward, "WHOLE_S", 0.2)
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                while not ended.wait(0.02):
                    connection.send(b"H")

        thread = threading.Thread(target=drip)
        thread.start()
        started = time.monotonic()
        with pytest.raises((OSError, http.client.HTTPException)):
            outward.post(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {})
        assert time.monotonic() - started < 3
        ended.set()
        thread.join()
