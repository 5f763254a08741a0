"""From which network a request comes, for limits by address, and a key of it that tells nothing after a day."""

from __future__ import annotations

import ipaddress

from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from ninja.throttling import BaseThrottle

#: One household or host is given as many IPv6 addresses as it likes, all of one such prefix.
IPV6_PREFIX = 64


def network_of(request: HttpRequest) -> str:
    """The network of the client, whose address is read behind as many proxies as `NUM_PROXIES` says.

    Args:
        request: Any.

    Returns:
        An IPv4 address or the /64 of an IPv6 address; empty where no address is known, as behind a socket file.
    """
    named = BaseThrottle().get_ident(request) or ""
    try:
        address = ipaddress.ip_address(named.strip())
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), IPV6_PREFIX), strict=False))


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
