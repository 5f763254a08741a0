"""A model behind an HTTP API in the form of OpenAI's: chats out, texts and costs back. Used by every adapter
that asks a server.

Requests run concurrently, are retried with growing pauses on 429, 5xx and lost connections, and time out. A
server that refuses `max_tokens` is asked with `max_completion_tokens` from then on. What it says of an answer
(why it ended, how much of the prompt was read) goes into the reply's `trouble`, so that nothing which is no
answer counts as one. The key is read from GOLDEVIDENCEBENCH_API_KEY or OPENAI_API_KEY, or from the variable that
the settings name, and appears in no settings, log or provenance.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillRunning
from dataclasses import dataclass
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

import httpx

from evaluation.adapters.base import ShouldStop, Stopped, Usage
from evaluation.adapters.prompt_check import PromptCheck
from evaluation.adapters.replies import Reply
from evaluation.core.errors import AdapterError
from evaluation.core.row_states import RowState
from evaluation.core.secrets import redact
from evaluation.core.terminal.wording import number_of
from evaluation.core.tokens import pretokens

KEY_VARIABLES = ("GOLDEVIDENCEBENCH_API_KEY", "OPENAI_API_KEY")
NO_KEY = "none"
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
LONGEST_PAUSE_S = 60.0  # before another attempt, whatever `Retry-After` asks for
STOP_INTERVAL_S = 0.1  # how often should_stop is asked while the server computes
TOKENS_PER_PIECE = 1.5  # a high guess: the server's tokenizer is not known here (see `prompt_check`)
MAX_TOKENS, MAX_COMPLETION_TOKENS = "max_tokens", "max_completion_tokens"
SAMPLE_ANSWER = 16  # tokens of an answer that nobody reads; some servers refuse fewer
#: What `finish_reason` says of an answer, by the words of several servers.
TROUBLES = {
    "length": RowState.CUT_OFF,
    "max_tokens": RowState.CUT_OFF,
    "model_length": RowState.CUT_OFF,
    "content_filter": RowState.REFUSED,
    "content-filter": RowState.REFUSED,
    "safety": RowState.REFUSED,
    "refusal": RowState.REFUSED,
    "error": RowState.ERROR,
    "abort": RowState.ERROR,
}
#: Codes of a refused request that is refused for what it holds.
FILTERED = ("content_filter", "content_policy_violation")
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)?")
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
    check_prompt: bool = (
        True  # false where a server counts only the prompt tokens that its cache does not hold
    )

    def check(self) -> dict[str, list[str]]:
        """Problems by field."""
        positive = ("concurrency", "context", "max_tokens", "timeout_s")
        problems = {name: ["must be positive"] for name in positive if getattr(self, name) <= 0}
        if not self.base_url.startswith(("http://", "https://")):
            problems["base_url"] = ["must begin with http:// or https://"]
        elif "@" in urlsplit(self.base_url).netloc:
            problems["base_url"] = ["must hold no user or password: put the key into the environment"]
        elif urlsplit(self.base_url).query or urlsplit(self.base_url).fragment:
            problems["base_url"] = ["must end with its path: put the key into the environment"]
        if not _VARIABLE.fullmatch(self.key_variable) or redact(self.key_variable) != self.key_variable:
            problems["key_variable"] = [
                "must be the name of an environment variable, and never the key itself"
            ]
        if self.retries < 0 or self.pause_s < 0:
            problems["retries"] = ["retries and pause_s must not be negative"]
        return problems


class _Filtered(Exception):
    """A request was refused for what it holds."""


class Server:
    """The connection. Safe to ask from several threads at once."""

    def __init__(self, settings: ConnectionSettings) -> None:
        self.settings = settings
        self._key = key = _key(settings.key_variable)
        self._client = httpx.Client(
            base_url=settings.base_url.rstrip("/") + "/",
            timeout=settings.timeout_s,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            limits=httpx.Limits(max_connections=settings.concurrency),
        )
        self._should_stop: ShouldStop = lambda: False
        self._limit = MAX_TOKENS  # what the server calls the longest answer
        self._prompts = PromptCheck(self._count_tokens)

    def ask(self, system: str, user: str, name: str, constraint: dict[str, Any] | None = None) -> Reply:
        """The reply to one question. `name` (a row id) stands in errors, `constraint` is added to the request.

        Raises AdapterError when the server keeps failing or refuses, Stopped when asked to stop.
        """
        started = time.perf_counter()
        try:
            data = self._post(self._body(system, user) | (constraint or {}), name)
        except _Filtered:
            return Reply("", Usage(passes=1, wall_s=time.perf_counter() - started), RowState.REFUSED)
        text, trouble = _read(data, name)
        usage = _usage(data, time.perf_counter() - started)
        if self.settings.check_prompt and self._prompts.is_cut(f"{system}\n{user}", usage.prompt_tokens):
            trouble = RowState.CUT_PROMPT
        return Reply(text, usage, trouble)

    def provenance(self) -> dict[str, Any]:
        """How it was asked, as far as that was only found out on the way."""
        rate = self._prompts.tokens_per_piece
        return {"limit_field": self._limit} | ({"tokens_per_piece": round(rate, 3)} if rate else {})

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
            MAX_TOKENS: settings.max_tokens,
        }
        if settings.endpoint == "chat":
            turns = [("system", system), ("user", user)]
            body["messages"] = [{"role": role, "content": content} for role, content in turns if content]
        else:
            body["prompt"] = f"{system}\n\n{user}\nAnswer: "
        return body

    def _count_tokens(self, text: str) -> int | None:
        """How many prompt tokens the server makes of a text; None where it does not say."""
        try:
            data = self._post(self._body("", text) | {MAX_TOKENS: SAMPLE_ANSWER}, "(a sample of a prompt)")
        except (AdapterError, _Filtered):
            return None
        return _usage(data, 0.0).prompt_tokens or None

    def _post(self, body: dict[str, Any], row_id: str) -> dict[str, Any]:
        """The server's answer.

        Raises AdapterError when it keeps failing or refuses, _Filtered where it refuses what the row holds.
        """
        path = "chat/completions" if self.settings.endpoint == "chat" else "completions"
        problem = ""
        for attempt in range(self.settings.retries + 1):
            if self._should_stop():
                raise Stopped
            pause = min(self.settings.pause_s * 2**attempt, LONGEST_PAUSE_S)
            try:
                response = self._send(path, body)
            except httpx.TransportError as error:
                problem = f"{type(error).__name__}: {error}"
            else:
                if response.is_success:
                    return self._json(response, row_id)
                if _is_filtered(response):
                    raise _Filtered
                problem = f"HTTP {response.status_code}: {self._excerpt(response)}"
                if response.status_code not in RETRIED:
                    raise AdapterError(f"row {row_id}: the server refuses: {problem}")
                pause = _asked_pause(response, pause)
            if attempt < self.settings.retries:
                self._sleep(pause)
        raise AdapterError(
            f"row {row_id}: no answer after {number_of(self.settings.retries + 1, 'attempt')}: {problem}"
        )

    def _send(self, path: str, body: dict[str, Any]) -> httpx.Response:
        """Send a request; once more, and so from then on, where the server calls the longest answer otherwise."""
        limit = self._limit
        response = self._client.post(path, json=_with_limit(body, limit))
        refused = response.status_code in (400, 422) and MAX_COMPLETION_TOKENS in response.text
        if not refused or limit == MAX_COMPLETION_TOKENS:
            return response
        self._limit = MAX_COMPLETION_TOKENS
        return self._client.post(path, json=_with_limit(body, self._limit))

    def _json(self, response: httpx.Response, row_id: str) -> dict[str, Any]:
        try:
            data = response.json()
        except ValueError as error:
            found = self._excerpt(response)
            raise AdapterError(f"row {row_id}: the server's answer is not JSON: {found}") from error
        if not isinstance(data, dict):
            raise AdapterError(f"row {row_id}: the server's answer is not a JSON object")
        return data

    def _excerpt(self, response: httpx.Response) -> str:
        """The beginning of what a server said, without the key that it may repeat."""
        return redact(response.text, [self._key] if self._key else [])[:200]

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
    key = next((os.environ[name] for name in names if os.environ.get(name)), None)
    if variable and key is None:  # not repeated here: somebody may have taken it for the key
        raise AdapterError("the environment variable that `key_variable` names is not set")
    return key


def _asked_pause(response: httpx.Response, pause: float) -> float:
    """The server's `Retry-After` in seconds where it names one, but never longer than a minute."""
    try:
        return min(max(float(response.headers["retry-after"]), 0.0), LONGEST_PAUSE_S)
    except (KeyError, ValueError):
        return pause


def _with_limit(body: dict[str, Any], name: str) -> dict[str, Any]:
    """The request with the longest answer under the name that the server takes."""
    return {name if field == MAX_TOKENS else field: value for field, value in body.items()}


def _is_filtered(response: httpx.Response) -> bool:
    """Whether a request was refused for what it holds, and not for its form."""
    if response.status_code not in (400, 403, 422):
        return False
    try:
        error = response.json()["error"]
        return error["code"] in FILTERED or error.get("type") in FILTERED
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


def _read(data: dict[str, Any], row_id: str) -> tuple[str, RowState | None]:
    """The text of an answer, and what the server says against it. What stands beside the content is thinking."""
    try:
        choice = data["choices"][0]
        message = choice["message"] if "message" in choice else {"content": choice["text"]}
        text = _text_of(message.get("content"))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise AdapterError(f"row {row_id}: the server's answer has no choices[0] text") from error
    if message.get("refusal") and not text:
        return "", RowState.REFUSED
    return text, TROUBLES.get(str(choice.get("finish_reason")).lower())


def _text_of(content: Any) -> str:
    """The text of a message: a text, null, or a list of parts, of which thinking is one kind."""
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, dict) and part.get("type") != "thinking")
        return "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return str(content or "")


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
    return math.ceil(TOKENS_PER_PIECE * pretokens(text))
