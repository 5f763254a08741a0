"""Implementations behind HTTP: a right one passes; slow, huge, broken and absent ones get a verdict with a reason."""

from __future__ import annotations

import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest

from evaluation.statebench import run_conformance
from evaluation.statebench.conformance.protocol import ours
from evaluation.statebench.conformance.remote import AddressError, make_server, over_http
from evaluation.statebench.conformance.suite import request_for
from evaluation.statebench.conformance.vectors import builtin
from tests.evaluation.statebench.conformance.serving import serving

pytestmark = pytest.mark.timing


@pytest.fixture(scope="module")
def server():
    with serving(make_server("127.0.0.1", 0)) as url:
        yield url


@contextmanager
def answering(send):
    """A server whose answers are written by `send(handler)`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            try:
                send(self)
            except (BrokenPipeError, ConnectionResetError):  # the client has gone, as it should
                self.close_connection = True

        def log_message(self, *args):
            """Silence the log."""

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        yield url


def body(status, payload, **headers):
    def send(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(payload)))
        handler.end_headers()
        handler.wfile.write(payload)

    return send


def verdict(send, **options):
    with answering(send) as url:
        return run_conformance(builtin()[:1], over_http(url, **options))[0]


def failures(verdicts):
    return {one.name: one.evidence for one in verdicts if not one.passed}


def test_an_implementation_behind_http_is_tested_alike(server):
    assert failures(run_conformance(implementation=over_http(server))) == {}


def test_the_server_answers_as_in_process(server):
    request = request_for(builtin()[0])
    assert httpx2.post(server, json=request).json() == httpx2.Response(200, json=ours(request)).json()


def test_the_server_refuses_what_it_cannot_read(server):
    assert httpx2.post(server, content=b"{").status_code == 400
    assert httpx2.post(server, content=b"[]").status_code == 400
    assert httpx2.post(server, json={"budget": 1}).status_code == 400
    assert httpx2.post(server, content=iter([b"{}"])).status_code == 411


def test_the_server_says_when_the_implementation_behind_it_breaks():
    def breaking(request):
        raise ValueError("no such shelf")

    with serving(make_server("127.0.0.1", 0, breaking)) as url:
        result = run_conformance(builtin()[:1], over_http(url))[0]
    assert "status 500" in result.evidence
    assert "ValueError: no such shelf" in result.evidence


@pytest.mark.parametrize(
    ("status", "payload", "reason"),
    [
        (200, b"<html>It works!</html>", "did not answer in JSON"),
        (200, b"", "did not answer in JSON"),
        (200, b"[" * 100_000, "did not answer in JSON"),
        (200, b'{"context": NaN}', "did not answer in JSON"),
        (200, b"\xff\xfe", "did not answer in JSON"),
        (200, b"[1]", "answered with a list, not an object"),
        (500, b"Traceback: boom", "status 500: 'Traceback: boom'"),
        (404, b"", "status 404: nothing"),
        (302, b"", "status 302"),
    ],
)
def test_an_answer_that_is_none_fails_with_what_came_instead(status, payload, reason):
    response = verdict(body(status, payload, Location="http://elsewhere.example/"))
    assert not response.passed
    assert reason in response.evidence
    assert len(response.evidence) < 500


def test_a_huge_answer_is_not_read_to_its_end():
    response = verdict(body(200, b'{"x": "' + b"x" * 300_000 + b'"}'), limit=100_000)
    assert "more than 100,000 bytes" in response.evidence


def test_a_slow_answer_is_not_waited_for():
    started = time.monotonic()
    result = verdict(lambda handler: time.sleep(0.6), seconds=0.2)
    assert "did not answer within 0.2 s" in result.evidence
    assert time.monotonic() - started < 5


def test_an_answer_that_drips_is_not_waited_for():
    def drip(handler):
        handler.send_response(200)
        handler.end_headers()
        for _ in range(40):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)

    assert "did not answer within 0.3 s" in verdict(drip, seconds=0.3).evidence


def test_an_implementation_that_is_not_there_is_soon_given_up():
    verdicts = run_conformance(builtin()[:6], over_http("http://127.0.0.1:1/"))
    assert "did not answer" in verdicts[0].evidence
    assert verdicts[5].evidence.startswith("not asked: http://127.0.0.1:1/ did not answer 3 times in a row")


def test_a_connection_that_is_cut_is_a_silence():
    assert "did not answer" in verdict(lambda handler: handler.connection.close()).evidence


@pytest.mark.parametrize(
    "url", ["", "localhost:8801", "ftp://host/", "http://", "http://[::1/", "http://h:99999999/"]
)
def test_what_is_no_address_is_said_before_anything_is_asked(url):
    with pytest.raises(AddressError, match="not a valid address"):
        over_http(url)


def test_a_password_in_an_address_stands_in_no_verdict() -> None:
    verdicts = run_conformance(builtin()[:1], over_http("http://ada:correct-horse@127.0.0.1:1/"))
    assert "did not answer" in verdicts[0].evidence
    assert "correct-horse" not in str(verdicts)
