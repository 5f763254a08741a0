"""HTTP clients that use the environment's proxies and certificates, and explanations of failed requests."""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
import ssl
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from evaluation.core.errors import BenchmarkError

if TYPE_CHECKING:
    import httpx2  # slow to import: `--help` does without it

CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
PROXY_KINDS = ("http", "https", "socks5", "socks5h")
LOOK_S = 2.0  # timeout of `speaks_tls`
#: Reasons of OpenSSL that mean the other side does not speak TLS at all.
_NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "UNKNOWN_PROTOCOL"})
log = logging.getLogger(__name__)


class ConnectionSettingError(BenchmarkError):
    """An environment variable prevents a connection. The message names the variable."""


class Cause(NamedTuple):
    """Explanation of a failed connection. `lasts`: True if a retry would fail in the same way."""

    text: str
    lasts: bool = True


class Proxy(NamedTuple):
    variable: str
    address: str

    def fault(self) -> str:
        """Explain why the proxy is unusable, without the address and its password. Returns "" if it is usable."""
        kind = self.address.partition("://")[0].lower()
        if kind not in PROXY_KINDS:
            return (
                f"{self.variable} names a proxy that begins with {kind[:20]}://, which cannot be used: use one of "
                f"{', '.join(f'{each}://' for each in PROXY_KINDS)}. To bypass it, add the host to NO_PROXY."
            )
        if kind.startswith("socks") and find_spec("socksio") is None:
            return (
                f"{self.variable} names a SOCKS proxy, for which the package socksio is missing: pip install "
                "socksio, or name an http:// proxy. To bypass it, add the host to NO_PROXY."
            )
        return ""


def connect(url: str, **options: Any) -> httpx2.Client:
    """Open a client for `url`, with the proxy and certificates that environment variables name.

    A `transport` option replaces both. Raises ConnectionSettingError if a required variable has an unusable value.
    """
    import httpx2

    if options.get("transport") is not None:
        return httpx2.Client(**options)
    proxy = proxy_of(url)
    try:
        return httpx2.Client(
            trust_env=False, verify=_certificates(url), proxy=proxy.address if proxy else None, **options
        )
    except (httpx2.InvalidURL, ValueError) as error:
        raise ConnectionSettingError(
            f"{proxy.variable} does not name a usable proxy."
            if proxy
            else f"the address cannot be used: {error}"
        ) from error


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def proxy_of(url: str) -> Proxy | None:
    """Find the proxy for a URL, or None to connect directly. Raises ConnectionSettingError if the proxy is unusable."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxy = _named_proxy(parts.scheme)
    if proxy is None:
        return None
    past = is_loopback(host) or bool(proxy_bypass(parts.netloc.rpartition("@")[2]))
    if fault := proxy.fault():
        if not past:
            raise ConnectionSettingError(fault)
        log.warning("%s Connecting to this host without a proxy.", fault)
    return None if past else proxy


def _named_proxy(scheme: str) -> Proxy | None:
    names = [name for base in (f"{scheme}_proxy", "all_proxy") for name in (base, base.upper())]
    for name in names:
        if address := os.environ.get(name, "").strip():
            return Proxy(name, address if "://" in address else f"http://{address}")
    address = getproxies().get(scheme, "")
    is_of_system = address and not any(name.lower().endswith("_proxy") for name in os.environ)
    return Proxy("the system's settings", address) if is_of_system else None


def _certificates(url: str) -> ssl.SSLContext | bool:
    """TLS context to verify a server; False for http://. Raises ConnectionSettingError for unusable certificates."""
    import httpx2

    needed = urlsplit(url).scheme == "https"
    for variable in CERTIFICATE_VARIABLES:
        path = os.environ.get(variable)
        if not path or os.path.exists(path):
            continue
        fault = f"{variable} names {path}, which does not exist."
        if needed:
            raise ConnectionSettingError(fault)
        log.warning("%s An http:// address needs no certificates.", fault)
    if not needed:
        return False  # plain http shows no certificate
    try:
        return httpx2.create_ssl_context()
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        named = next(
            (name for name in CERTIFICATE_VARIABLES if os.environ.get(name)), "the system's certificate store"
        )
        raise ConnectionSettingError(f"{named} cannot be read as certificates: {error}") from error


def cause_of(error: BaseException, url: str, *, look: bool = True) -> Cause | None:
    """Explain why a request failed, without naming the host. Returns None if the cause is unknown.

    `look` allows a connection to the server, to find out whether it speaks TLS.
    """
    import httpx2

    for each in _chain(error):
        if isinstance(each, ssl.SSLError):
            return _tls_cause(each)
        if isinstance(each, socket.gaierror):
            return Cause(f"there is no such host ({each.strerror})", lasts=each.errno != socket.EAI_AGAIN)
    if isinstance(error, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol):
        return Cause(f"the request cannot be sent: {error}")
    if isinstance(error, httpx2.ProxyError | httpx2.ConnectError) and (proxy := proxy_of(url)):
        return Cause(
            f"the proxy that {proxy.variable} names does not connect ({error}); to bypass it, add the host to NO_PROXY",
            lasts=isinstance(error, httpx2.ProxyError),
        )
    # a TLS server answers a plain request by closing or with bytes that are no HTTP
    broke_off = isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError)
    if broke_off and look and speaks_tls(url):
        return Cause("the address begins with http://, but the server expects https://")
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _tls_cause(error: ssl.SSLError) -> Cause:
    if isinstance(error, ssl.SSLCertVerificationError):
        return Cause(
            f"the server's certificate is not accepted: {getattr(error, 'verify_message', error)}. "
            "Set SSL_CERT_FILE to a file with the certificates to accept"
        )
    if error.reason in _NO_TLS:
        return Cause("the address begins with https://, but the server expects http://")
    return Cause(f"the TLS handshake failed: {error.reason or error}", lasts=False)


def speaks_tls(url: str) -> bool:
    """True if the server at an http:// address speaks TLS."""
    parts = urlsplit(url)
    if parts.scheme != "http" or proxy_of(url):
        return False
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((parts.hostname or "", parts.port or 80), LOOK_S) as plain,
            context.wrap_socket(plain),
        ):
            return True
    except (OSError, ValueError):
        return False


def usable_key(given: str) -> str | None:
    """Strip white space and a byte order mark from an API key. Returns None if HTTP headers cannot contain the key."""
    key = given.strip().strip("\ufeff")
    return key if key.isascii() and key.isprintable() and " " not in key else None
