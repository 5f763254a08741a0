"""A model behind an HTTP API in the form of OpenAI's: chats out, texts and costs back. Used by every adapter
that asks a server.

Requests run concurrently, are retried with growing pauses on 429, 5xx and lost connections, and time out. The
key is read from GOLDEVIDENCEBENCH_API_KEY or OPENAI_API_KEY, or from the variable that the settings name, and
appears in no settings, log or provenance.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillRunning
from dataclasses import dataclass
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

import httpx

from evaluation.adapters.base import ShouldStop, Stopped, Usage
from evaluation.errors import AdapterError

KEY_VARIABLES = ("GOLDEVIDENCEBENCH_API_KEY", "OPENAI_API_KEY")
NO_KEY = "none"
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
LONGEST_PAUSE_S = 60.0
STOP_INTERVAL_S = 0.1
CHARS_PER_TOKEN = 3  # a low guess: the server's tokenizer is not known here
In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """Where the server is and how it is asked. `context`: a guess of the server's limit in tokens.

    `key_variable`: the environment variable of the key; empty: the first of KEY_VARIABLES that is set; `none`: no key.
    """

    base_url: str = "http://127.0.0.1:8080/v1"
    model: str = "default"
    endpoint: Literal["chat", "completions"] = "chat"
    concurrency: int = 4
    timeout_s: float = 300.0
    retries: int = 5
    pause_s: float = 0.5  # before the first retry; doubled each time
    context: int = 32768
    max_tokens: int = 300
    temperature: float = 0.0
    seed: int = 0
    key_variable: str = ""

    def check(self) -> dict[str, list[str]]:
        """Problems by field."""
        positive = ("concurrency", "context", "max_tokens", "timeout_s")
        problems = {name: ["must be positive"] for name in positive if getattr(self, name) <= 0}
        if not self.base_url.startswith(("http://", "https://")):
            problems["base_url"] = ["must begin with http:// or https://"]
        elif "@" in urlsplit(self.base_url).netloc:
            problems["base_url"] = ["must hold no user or password: put the key into the environment"]
        if self.retries < 0 or self.pause_s < 0:
            problems["retries"] = ["retries and pause_s must not be negative"]
        return problems


class Server:
    """The connection. Safe to ask from several threads at once."""

    def __init__(self, settings: ConnectionSettings) -> None:
        self.settings = settings
        key = _key(settings.key_variable)
        self._client = httpx.Client(
            base_url=settings.base_url.rstrip("/") + "/",
            timeout=settings.timeout_s,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            limits=httpx.Limits(max_connections=settings.concurrency),
        )
        self._should_stop: ShouldStop = lambda: False

    def ask(
        self, system: str, user: str, name: str, constraint: dict[str, Any] | None = None
    ) -> tuple[str, Usage]:
        """The text of one answer and its cost. `name` (a row id) stands in errors, `constraint` is added to
        the request. Raises AdapterError when the server keeps failing or refuses, Stopped when asked to stop.
        """
        started = time.perf_counter()
        data = self._post(self._body(system, user) | (constraint or {}), name)
        return _text_of(data, name), _usage(data, time.perf_counter() - started)

    def map(self, work: Callable[[In], Out], items: Sequence[In]) -> Iterator[Out]:
        """`work` done on every item, `concurrency` at a time, in order."""
        pool = ThreadPoolExecutor(self.settings.concurrency)
        try:
            for future in [pool.submit(work, item) for item in items]:
                yield self._wait(future)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Ask `should_stop` while requests are under way."""
        self._should_stop = should_stop

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _wait(self, future: Future[Out]) -> Out:
        while True:
            try:
                return future.result(timeout=STOP_INTERVAL_S)
            except StillRunning:
                if self._should_stop():
                    raise Stopped from None

    def _body(self, system: str, user: str) -> dict[str, Any]:
        settings = self.settings
        body: dict[str, Any] = {
            "model": settings.model,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "max_tokens": settings.max_tokens,
        }
        if settings.endpoint == "chat":
            turns = [("system", system), ("user", user)]
            body["messages"] = [{"role": role, "content": content} for role, content in turns]
        else:
            body["prompt"] = f"{system}\n\n{user}\nAnswer: "
        return body

    def _post(self, body: dict[str, Any], row_id: str) -> dict[str, Any]:
        """The server's answer. Raises AdapterError when it keeps failing or refuses."""
        path = "chat/completions" if self.settings.endpoint == "chat" else "completions"
        problem = ""
        for attempt in range(self.settings.retries + 1):
            if self._should_stop():
                raise Stopped
            pause = min(self.settings.pause_s * 2**attempt, LONGEST_PAUSE_S)
            try:
                response = self._client.post(path, json=body)
            except httpx.TransportError as error:
                problem = f"{type(error).__name__}: {error}"
            else:
                if response.is_success:
                    return _json(response, row_id)
                problem = f"HTTP {response.status_code}: {response.text[:200]}"
                if response.status_code not in RETRIED:
                    raise AdapterError(f"row {row_id}: the server refuses: {problem}")
                pause = _asked_pause(response, pause)
            if attempt < self.settings.retries:
                self._sleep(pause)
        raise AdapterError(f"row {row_id}: no answer after {self.settings.retries + 1} attempts: {problem}")

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._should_stop():
                raise Stopped
            time.sleep(min(left, STOP_INTERVAL_S))


def _key(variable: str) -> str | None:
    if variable == NO_KEY:
        return None
    names = (variable,) if variable else KEY_VARIABLES
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def _asked_pause(response: httpx.Response, pause: float) -> float:
    """The server's `Retry-After` in seconds where it names one, but never longer than a minute."""
    try:
        return min(max(float(response.headers["retry-after"]), 0.0), LONGEST_PAUSE_S)
    except (KeyError, ValueError):
        return pause


def _json(response: httpx.Response, row_id: str) -> dict[str, Any]:
    try:
        data = response.json()
    except ValueError as error:
        raise AdapterError(f"row {row_id}: the server's answer is not JSON: {response.text[:200]}") from error
    if not isinstance(data, dict):
        raise AdapterError(f"row {row_id}: the server's answer is not a JSON object")
    return data


def _text_of(data: dict[str, Any], row_id: str) -> str:
    try:
        choice = data["choices"][0]
        text = choice["message"]["content"] if "message" in choice else choice["text"]
    except (KeyError, IndexError, TypeError) as error:
        raise AdapterError(f"row {row_id}: the server's answer has no choices[0] text") from error
    return text or ""


def _usage(data: dict[str, Any], seconds: float) -> Usage:
    counts = data.get("usage") or {}
    prompt = int(counts.get("prompt_tokens") or 0)
    written = int(counts.get("completion_tokens") or 0)
    reused = int((counts.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
    return Usage(
        prompt_tokens=prompt,
        evaluated_tokens=prompt - reused + written,
        reused_tokens=reused,
        generated_tokens=written,
        passes=1,
        wall_s=seconds,
    )


def guess_tokens(text: str) -> int:
    """A high guess of a text's tokens."""
    return len(text) // CHARS_PER_TOKEN
