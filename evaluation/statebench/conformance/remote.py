"""An implementation behind HTTP. Whatever it does, slow, huge or broken, becomes a verdict with a reason."""

from __future__ import annotations

import time
from typing import Any

import httpx2

from evaluation.core import jsonl
from evaluation.core.connections import cause_of, connect
from evaluation.core.errors import AdapterError, BenchmarkError, RowError
from evaluation.core.secrets import redact
from evaluation.statebench.conformance.protocol import Answer, Implementation, Request

SECONDS = 30.0  # for one whole answer
LIMIT = 16 << 20  # bytes of one answer
_GIVEN_UP_AFTER = 3  # vectors in a row without an answer
_SHOWN = 200  # characters of an answer that is none
_OK = 200
_LAST_PORT = 65535


class AddressError(BenchmarkError):
    """What was given is no address."""


class _Silence(AdapterError):
    """Nothing came, or not in time."""


def over_http(url: str, *, seconds: float = SECONDS, limit: int = LIMIT) -> Implementation:
    """The implementation behind a URL: each request is POSTed to it as JSON.

    Args:
        url: Where it listens.
        seconds: How long one answer may take.
        limit: Bytes of one answer at most.

    Returns:
        The implementation. It raises AdapterError where it fails; after three silences in a row it is not asked any
        more.

    Raises:
        AddressError: The URL is none.
    """
    return _Remote(_checked(url), seconds, limit)


class _Remote:
    def __init__(self, url: str, seconds: float, limit: int) -> None:
        self._address, self.url = url, redact(url)  # the latter stands in reports, which are public
        self.seconds, self.limit = seconds, limit
        self.silences = 0
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        self.client = connect(url, timeout=seconds, headers=headers)

    def __call__(self, request: Request) -> Answer:
        if self.silences >= _GIVEN_UP_AFTER:
            raise AdapterError(f"not asked: {self.url} did not answer {self.silences} times in a row")
        try:
            status, body = self._ask(jsonl.dumps(dict(request)))
        except _Silence:
            self.silences += 1
            raise
        self.silences = 0
        return self._answer(status, body)

    def _ask(self, question: bytes) -> tuple[int, bytes]:
        """Status and body, read while there is time and room."""
        end = time.monotonic() + self.seconds
        body = bytearray()
        try:
            with self.client.stream("POST", self._address, content=question) as response:
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > self.limit:
                        raise AdapterError(f"{self.url} answered with more than {self.limit:,} bytes")
                    if time.monotonic() > end:
                        raise self._late()
                return response.status_code, bytes(body)
        except httpx2.TimeoutException as error:
            raise self._late() from error
        except httpx2.HTTPError as error:
            cause = cause_of(error, self._address)
            why = cause.text if cause else error or type(error).__name__
            raise _Silence(f"{self.url} did not answer: {why}") from error

    def _late(self) -> _Silence:
        return _Silence(f"{self.url} did not answer within {self.seconds:g} s")

    def _answer(self, status: int, body: bytes) -> Answer:
        if status != _OK:
            raise AdapterError(f"{self.url} answered with status {status}: {_excerpt(body)}")
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
    """The beginning of a body, in one line."""
    text = " ".join(body[: 4 * _SHOWN].decode(errors="replace").split())
    return repr(text[:_SHOWN] + ("…" if len(text) > _SHOWN else "")) if text else "nothing"


def _checked(url: str) -> str:
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise AddressError(f"{redact(url)!r} is no address: {error}") from error
    if parsed.scheme not in ("http", "https") or not parsed.host or (parsed.port or 0) > _LAST_PORT:
        raise AddressError(f"{redact(url)!r} is no address: it should read http://host:port/path")
    return url
