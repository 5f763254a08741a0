"""Requests of this site to URLs that users enter; internal addresses are refused.

A host name is resolved once, each of its addresses is checked, and the connection goes to a checked address. So a
name that later resolves to another address (DNS rebinding) has no effect. Redirects are not followed, and proxies of
the environment are not used.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

#: Seconds for one step of the network, and for the whole request: a receiver that drips bytes holds no worker.
STEP_S, WHOLE_S = 5.0, 15.0


class RefusedAddressError(ValueError):
    """The site sends no request to this address; the text says why."""


class Target(NamedTuple):
    is_secure: bool
    host: str
    port: int
    address: str
    path: str


def target_of(url: str) -> Target:
    """Return the target of an http or https URL.

    Raises RefusedAddressError if the URL has another scheme, or its host is unknown or internal.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise RefusedAddressError(f"The address is invalid: {error}.") from error
    if not host or parts.scheme not in ("https", "http") or not url.isascii() or not url.isprintable():
        raise RefusedAddressError("Enter a complete address, such as https://example.org/hook.")
    if parts.username is not None:
        raise RefusedAddressError("The address must not contain a user name or password.")
    is_secure = parts.scheme == "https"
    port = port or (443 if is_secure else 80)
    addresses = _resolved(host, port)
    if not is_secure and not all(_is_allowed_loopback(each) for each in addresses):
        raise RefusedAddressError("The address must begin with https.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(is_secure, host, port, str(addresses[0]), path)


def _resolved(host: str, port: int) -> list[ipaddress.IPv4Address | ipaddress.IPv6Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [ipaddress.ip_address(str(each[4][0])) for each in found]
    except (OSError, ValueError) as error:
        raise RefusedAddressError(f"The host {host} is not known.") from error
    for address in addresses:
        if is_inner(address) and not _is_allowed_loopback(address):
            raise RefusedAddressError(f"The host {host} is inside a private network: {address}.")
    return addresses


def is_inner(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """True if the address is private, loopback, link-local, reserved or multicast, or may embed such an IPv4."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.sixtofour or address.scope_id:
            return True
        address = address.ipv4_mapped or address
    return not address.is_global or address.is_multicast or address.is_reserved


def _is_allowed_loopback(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return bool(settings.WEBHOOKS_TO_LOOPBACK) and address.is_loopback


def post(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a POST request and return the status. Raises RefusedAddressError, OSError or HTTPException."""
    target = target_of(url)
    connection = _Connection(target)
    watch = threading.Timer(WHOLE_S, connection.cut)
    watch.start()
    try:
        connection.request("POST", target.path, body, dict(headers))
        return connection.getresponse().status
    finally:
        watch.cancel()
        connection.close()


class _Connection(http.client.HTTPConnection):
    """Connects to the checked address, and verifies that the certificate is for the host."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.host, target.port, timeout=STEP_S)
        self.default_port = 443 if target.is_secure else 80  # leaves the port out of the header Host
        self._target = target

    def connect(self) -> None:
        target = self._target
        self.sock = socket.create_connection((target.address, target.port), STEP_S)
        if target.is_secure:
            context = ssl.create_default_context()
            # The handshake comes after the assignment: `cut` ends it, too.
            secure = context.wrap_socket(
                self.sock, server_hostname=target.host, do_handshake_on_connect=False
            )
            self.sock = secure
            secure.do_handshake()

    def cut(self) -> None:
        """Abort the request from another thread."""
        with suppress(OSError, AttributeError):
            self.sock.shutdown(socket.SHUT_RDWR)
