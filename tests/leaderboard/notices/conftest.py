"""Fixtures: a site that sends mail and knows its address; receivers of webhooks that are real servers."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from allauth.account.models import EmailAddress

SITE = "https://bench.example.org"


@pytest.fixture
def sends_mail(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.SITE_URL = SITE


@pytest.fixture
def confirmed(user: Any, other: Any, sends_mail: None) -> None:
    """Both accounts confirmed their addresses."""
    for each in (user, other):
        EmailAddress.objects.create(user=each, email=each.email, primary=True, verified=True)


class Receiver(HTTPServer):
    """Records posts while its block runs, and answers with `status`, or with `noise` instead of HTTP."""

    status = 204
    moved_to = ""
    noise = b""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.posted: list[tuple[dict[str, str], bytes]] = []
        self.url = f"http://127.0.0.1:{self.server_port}/hook"
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posted.append(({name.lower(): value for name, value in self.headers.items()}, body))
        if self.server.noise:
            self.wfile.write(self.server.noise)
            return
        self.send_response(self.server.status)
        if self.server.moved_to:
            self.send_header("Location", self.server.moved_to)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Silence the log."""


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOKS_TO_LOOPBACK = True
    with Receiver() as server:
        yield server
