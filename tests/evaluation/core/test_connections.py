"""Connections: proxies, certificates and keys of the environment; each fault names its variable in a sentence."""

from __future__ import annotations

import logging
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest

from evaluation.core import connections
from evaluation.core.connections import (
    ConnectionSettingError,
    cause_of,
    connect,
    is_loopback,
    proxy_of,
    usable_key,
)

FAR = "http://models.example/v1"
VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir")


class Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_args: object) -> None:
        """Silence the log."""


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def served(http: ThreadingHTTPServer) -> Iterator[ThreadingHTTPServer]:
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield http
    http.shutdown()
    thread.join()
    http.server_close()


@pytest.fixture
def plain() -> Iterator[ThreadingHTTPServer]:
    yield from served(ThreadingHTTPServer(("127.0.0.1", 0), Hello))


class Quiet(ThreadingHTTPServer):
    def handle_error(self, *_args: object) -> None:
        """The test sends what is not TLS: ignore that error."""


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[ThreadingHTTPServer]:
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    names = "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem"
    subprocess.run([*words.split(), *names.split()], cwd=tmp_path, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    http = Quiet(("127.0.0.1", 0), Hello)
    http.socket = context.wrap_socket(http.socket, server_side=True, do_handshake_on_connect=False)
    yield from served(http)


def why(url: str) -> connections.Cause | None:
    with connect(url) as client:
        try:
            client.get(url)
        except httpx2.TransportError as error:
            return cause_of(error, url)
    raise AssertionError("it was answered")


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("0.0.0.0", True),
        ("localhost.example", False),
        ("10.0.0.1", False),
        ("", False),
    ],
)
def test_this_machine_is_known_by_its_names(host: str, here: bool) -> None:
    assert is_loopback(host) is here


@pytest.mark.parametrize("variable", ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])
def test_this_machine_is_asked_past_a_proxy_that_would_swallow_it(
    plain: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    assert proxy_of(FAR) == (variable, "http://127.0.0.1:9")
    with connect(url := f"http://127.0.0.1:{plain.server_port}") as client:
        assert client.get(url).text == "hello"


def test_hosts_of_no_proxy_are_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "proxy.example:3128")
    assert proxy_of(FAR) == ("http_proxy", "http://proxy.example:3128")
    assert proxy_of("https://models.example") is None
    monkeypatch.setenv("NO_PROXY", ".example")
    assert proxy_of(FAR) is None


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("socks://127.0.0.1:1080/", r"begins with socks://.*socks5://"),
        ("socks4://127.0.0.1:1080/", r"begins with socks4://"),
        ("socks5h://user:sesame@127.0.0.1:1080/", r"SOCKS.*pip install socksio"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, address: str, says: str
) -> None:
    monkeypatch.setattr(connections, "find_spec", lambda name: None)
    monkeypatch.setenv("ALL_PROXY", address)
    with pytest.raises(ConnectionSettingError, match=f"^ALL_PROXY .*{says}") as refused:
        connect(FAR)
    assert "sesame" not in str(refused.value)
    with caplog.at_level(logging.WARNING):
        connect("http://127.0.0.1:9").close()
    assert "ALL_PROXY" in caplog.text
    assert "without a proxy" in caplog.text


def test_a_proxy_that_does_not_connect_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    cause = why(FAR)
    assert cause is not None
    assert cause.text.startswith("the proxy that http_proxy names does not connect")
    assert "NO_PROXY" in cause.text


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_certificates_that_are_not_there_are_named_with_their_variable(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, variable: str
) -> None:
    monkeypatch.setenv(variable, "/nonexistent.pem")
    with pytest.raises(
        ConnectionSettingError, match=rf"{variable} names /nonexistent\.pem, which does not exist"
    ):
        connect("https://models.example")
    connect(FAR).close()
    assert f"{variable} names /nonexistent.pem" in caplog.text


def test_a_file_that_holds_no_certificates_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "x.pem").write_text("x")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "x.pem"))
    with pytest.raises(ConnectionSettingError, match="SSL_CERT_FILE cannot be read as certificates"):
        connect("https://models.example")


@pytest.mark.timing
@pytest.mark.openssl
def test_certificates_and_mistaken_schemes_are_told_and_last(
    secure: ThreadingHTTPServer, plain: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at = f"127.0.0.1:{secure.server_port}"
    for url, text in (
        (
            f"https://{at}",
            "the server's certificate is not accepted: self-signed certificate. Set SSL_CERT_FILE",
        ),
        (f"http://{at}", "the address begins with http://, but the server expects https://"),
        (
            f"https://127.0.0.1:{plain.server_port}",
            "the address begins with https://, but the server expects http://",
        ),
    ):
        cause = why(url)
        assert cause is not None
        assert (cause.text[: len(text)], cause.lasts) == (text, True)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    with connect(f"https://{at}") as client:
        assert client.get(f"https://{at}").text == "hello"


def test_a_host_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    cause = why("http://no-such-host.invalid/")
    assert cause is not None
    assert cause.text.startswith("there is no such host")


def test_a_server_that_is_not_running_says_so_itself() -> None:
    started = time.monotonic()
    assert why("http://127.0.0.1:9/") is None
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("sk-abc", "sk-abc"),
        ("sk-abc\n", "sk-abc"),
        (" \ufeffsk-abc\r\n", "sk-abc"),
        ("\n", ""),
        ("sk-“abc”", None),
        ("Bearer sk-abc", None),
        ("sk-\nabc", None),
        ("sk-\udcff", None),
    ],
)
def test_a_key_is_sent_without_what_pasting_and_mounting_add(given: str, key: str | None) -> None:
    assert usable_key(given) == key
