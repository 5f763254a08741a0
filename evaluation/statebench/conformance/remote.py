"""An implementation behind HTTP. A slow, huge or broken answer becomes a verdict with a reason."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import httpx2

from evaluation.core import jsonl
from evaluation.core.connections import cause_of, connect
from evaluation.core.errors import AdapterError, BenchmarkError, RowError
from evaluation.core.secrets import redact
from evaluation.statebench.conformance.protocol import Answer, Implementation, Request, ours

SECONDS = 30.0  # for one whole answer
LIMIT = 16 << 20  # bytes of one request or answer
_GIVEN_UP_AFTER = 3  # consecutive requests without an answer
_SHOWN = 200  # characters of an unusable answer
_OK = 200
_LAST_PORT = 65535


class AddressError(BenchmarkError):
    """The URL is invalid."""


class Silence(AdapterError):
    """No answer within the time limit."""


class StatusError(AdapterError):
    def __init__(self, text: str, status: int) -> None:
        self.status = status
        super().__init__(text)


def over_http(
    url: str, *, seconds: float = SECONDS, limit: int = LIMIT
) -> Callable[[Mapping[str, object]], Answer]:
    """Return a function that POSTs a request to a URL as JSON and returns the answer.

    Raises AddressError for an invalid URL. A call raises AdapterError if there is no answer within `seconds`, the
    answer exceeds `limit` bytes, or the request fails. After three unanswered requests in a row nothing more is sent.
    """
    return _Remote(_checked(url), seconds, limit)


class _Remote:
    def __init__(self, url: str, seconds: float, limit: int) -> None:
        self._address, self.url = url, redact(url)  # reports are public: no credentials in them
        self.seconds, self.limit = seconds, limit
        self.silences = 0
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        self.client = connect(url, timeout=seconds, headers=headers)

    def __call__(self, request: Mapping[str, object]) -> Answer:
        if self.silences >= _GIVEN_UP_AFTER:
            raise AdapterError(f"not asked: {self.url} did not answer {self.silences} times in a row")
        try:
            status, body = self._ask(jsonl.dumps(dict(request)))
        except Silence:
            self.silences += 1
            raise
        self.silences = 0
        return self._answer(status, body)

    def _ask(self, question: bytes) -> tuple[int, bytes]:
        end = time.monotonic() + self.seconds
        body = bytearray()
        try:
            with self.client.stream("POST", self._address, content=question) as response:
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > self.limit:
                        raise AdapterError(f"{self.url} answered with more than {self.limit:,} bytes")
                    # The client's timeout is per read; a server that drips bytes would never exceed it.
                    if time.monotonic() > end:
                        raise self._late()
                return response.status_code, bytes(body)
        except httpx2.TimeoutException as error:
            raise self._late() from error
        except httpx2.HTTPError as error:
            cause = cause_of(error, self._address)
            why = cause.text if cause else error or type(error).__name__
            raise Silence(f"{self.url} did not answer: {why}") from error

    def _late(self) -> Silence:
        return Silence(f"{self.url} did not answer within {self.seconds:g} s")

    def _answer(self, status: int, body: bytes) -> Answer:
        if status != _OK:
            raise StatusError(f"{self.url} answered with status {status}: {_excerpt(body)}", status)
        try:
            answer: Any = jsonl.parse(body)
        except RowError as error:
            raise AdapterError(
                f"{self.url} did not answer in JSON ({error.reason}): {_excerpt(body)}"
            ) from error
        if not isinstance(answer, dict):
            raise AdapterError(f"{self.url} answered with {jsonl.kind(answer)}, not an object")
        return answer


def _excerpt(body: bytes) -> str:
    text = " ".join(body[: 4 * _SHOWN].decode(errors="replace").split())
    return repr(text[:_SHOWN] + ("…" if len(text) > _SHOWN else "")) if text else "nothing"


def _checked(url: str) -> str:
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise AddressError(f"{redact(url)!r} is not a valid address: {error}") from error
    if parsed.scheme not in ("http", "https") or not parsed.host or (parsed.port or 0) > _LAST_PORT:
        raise AddressError(f"{redact(url)!r} is not a valid address: it should read http://host:port/path")
    return url


def make_server(host: str, port: int, implementation: Implementation = ours) -> ThreadingHTTPServer:
    """Create a server, not yet running, that passes each POST to the implementation. Port 0: any free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal():
                return self._send(411, _error("send the request with its Content-Length"))
            if int(length) > LIMIT:
                return self._send(413, _error(f"a request may have at most {LIMIT} bytes"))
            return self._send(*_answer(implementation, self.rfile.read(int(length))))

        def _send(self, status: int, payload: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the terminal quiet."""

    return ThreadingHTTPServer((host, port), Handler)


def _answer(implementation: Implementation, body: bytes) -> tuple[int, bytes]:
    try:
        return 200, jsonl.dumps(implementation(cast(Request, jsonl.parse_row(body))))
    except (KeyError, TypeError, BenchmarkError) as error:
        return 400, _error(error)
    except Exception as error:  # third-party code
        return 500, _error(error)


def _error(error: Exception | str) -> bytes:
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return jsonl.dumps({"error": text})
