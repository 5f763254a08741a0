"""From which network a request comes, for limits by address, and a key of it that tells nothing after a day."""

from __future__ import annotations

import ipaddress

from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from ninja.throttling import BaseThrottle

#: One household or host is given as many IPv6 addresses as it likes, all of one such prefix.
IPV6_PREFIX = 64


def address_of(request: HttpRequest) -> str:
    """The address of the client, behind as many proxies as `NUM_PROXIES` says; empty where none is known.

    Args:
        request: Any.
    """
    address = _address(request)
    return str(address) if address else ""


def network_of(request: HttpRequest) -> str:
    """The network of the client, whose address is read behind as many proxies as `NUM_PROXIES` says.

    Args:
        request: Any.

    Returns:
        An IPv4 address or the /64 of an IPv6 address; empty where no address is known, as behind a socket file.
    """
    address = _address(request)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(address), IPV6_PREFIX), strict=False))
    return str(address) if address else ""


def _address(request: HttpRequest) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    named = BaseThrottle().get_ident(request) or ""
    try:
        address = ipaddress.ip_address(_without_port(named.strip()))
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _without_port(named: str) -> str:
    """An address as some proxies write it, with a port (`192.0.2.1:4711`, `[2001:db8::1]:4711`) or in quotes."""
    bare = named.strip('"')
    if bare.startswith("["):
        return bare[1:].partition("]")[0]
    return bare.partition(":")[0] if bare.count(":") == 1 else bare.partition("%")[0]


def daily_key(request: HttpRequest) -> str:
    """A key of the client's network for today (UTC); tomorrow it has another one.

    Args:
        request: Any.

    Returns:
        A keyed hash, 64 characters; empty where no address is known.
    """
    if not (network := network_of(request)):
        return ""
    return salted_hmac(__name__, f"{timezone.now():%Y-%m-%d} {network}", algorithm="sha256").hexdigest()
