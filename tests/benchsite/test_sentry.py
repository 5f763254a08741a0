"""Errors reach a Sentry that SENTRY_DSN names, with the id of their request and nothing personal."""

from __future__ import annotations

import gzip
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.live import ROOT

FAIL = """
import logging, django, sentry_sdk
django.setup()
from leaderboard.web import request_ids
request_ids.current.set("of-the-request")
logging.getLogger("leaderboard").error("grading broke")
sentry_sdk.flush(10)
"""


class Envelopes(http.server.BaseHTTPRequestHandler):
    received: list[bytes] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.append(gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Silence the log."""


@pytest.fixture
def port() -> Iterator[int]:
    Envelopes.received.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Envelopes) as server:
        threading.Thread(target=server.serve_forever).start()
        yield server.server_port
        server.shutdown()


def run(dsn: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    env = environment | {
        "SENTRY_DSN": dsn,
        "DJANGO_SETTINGS_MODULE": "benchsite.settings",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run([sys.executable, "-c", FAIL], env=env, capture_output=True, text=True, timeout=120)


def test_an_error_is_sent_with_the_id_of_its_request(port: int, tmp_path) -> None:
    done = run(f"http://key@127.0.0.1:{port}/1", {"DATA_DIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    (event,) = [body for body in Envelopes.received if b"grading broke" in body]
    assert b'"request_id":"of-the-request"' in event


def test_an_invalid_dsn_is_refused_in_words(tmp_path) -> None:
    done = run("sentry.example.org", {"DATA_DIR": str(tmp_path)})
    assert "SENTRY_DSN: Unsupported scheme" in done.stderr
    assert "For example: https://key@sentry.example.org/1" in done.stderr
