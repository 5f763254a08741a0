"""The client's network, for limits by network, and a daily pseudonym of it."""

from __future__ import annotations

import ipaddress

from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from ninja.throttling import BaseThrottle

#: A single household or host controls all addresses of such a prefix.
IPV6_PREFIX = 64


def address_of(request: HttpRequest) -> str:
    """The client's address behind `NUM_PROXIES` proxies; empty if unknown."""
    address = _address(request)
    return str(address) if address else ""


def network_of(request: HttpRequest) -> str:
    """The client's network: an IPv4 address or the /64 of an IPv6 address; empty if unknown."""
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
    """An address without the port or quotes that some proxies add (`192.0.2.1:4711`, `[2001:db8::1]:4711`)."""
    bare = named.strip('"')
    if bare.startswith("["):
        return bare[1:].partition("]")[0]
    return bare.partition(":")[0] if bare.count(":") == 1 else bare.partition("%")[0]


def daily_key(request: HttpRequest) -> str:
    """Keyed hash (64 characters) of the client's network and the UTC day; empty if unknown."""
    if not (network := network_of(request)):
        return ""
    return salted_hmac(__name__, f"{timezone.now():%Y-%m-%d} {network}", algorithm="sha256").hexdigest()
