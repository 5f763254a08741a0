"""`openai_compatible`: any server that speaks the OpenAI API (llama-server, vLLM, Ollama, a hosted one).

Requests run concurrently, are retried with growing pauses on 429, 5xx and lost connections, and time out. The
key is read from GOLDEVIDENCEBENCH_API_KEY or OPENAI_API_KEY and appears in no settings, log or provenance.

A server may ignore the answer's schema, so the answer is read leniently: unreadable text is no answer (null),
and ids that were not shown are left out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillRunning
from dataclasses import asdict, dataclass
from typing import Any, Literal

import httpx

from evaluation.adapters import prompts
from evaluation.adapters.base import MAX_SUPPORT, Answer, Row, ShouldStop, Stopped, Usage
from evaluation.adapters.forms import answer_grammar, answer_schema, read_answer
from evaluation.adapters.prompts import Prompt, answer_prompt, fit
from evaluation.adapters.settings import read_settings
from evaluation.adapters.shown import by_shown_text, shown
from evaluation.errors import AdapterError

KEY_VARIABLES = ("GOLDEVIDENCEBENCH_API_KEY", "OPENAI_API_KEY")
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
LONGEST_PAUSE_S = 60.0
STOP_INTERVAL_S = 0.1
CHARS_PER_TOKEN = 3  # a low guess: the server's tokenizer is not known here


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where the server is and how it is asked. `context`: a guess of the server's limit in tokens."""

    base_url: str = "http://127.0.0.1:8080/v1"
    model: str = "default"
    endpoint: Literal["chat", "completions"] = "chat"
    constrain: Literal["json_schema", "json_object", "grammar", "none"] = "json_schema"
    concurrency: int = 4
    timeout_s: float = 300.0
    retries: int = 5
    pause_s: float = 0.5  # before the first retry; doubled each time
    context: int = 32768
    max_tokens: int = 300
    max_value_chars: int = 200
    temperature: float = 0.0
    seed: int = 0
    truncation: prompts.Truncation = "key_aware"

    def check(self) -> dict[str, list[str]]:
        """Problems by field."""
        positive = ("concurrency", "context", "max_tokens", "max_value_chars", "timeout_s")
        problems = {name: ["must be positive"] for name in positive if getattr(self, name) <= 0}
        if not self.base_url.startswith(("http://", "https://")):
            problems["base_url"] = ["must begin with http:// or https://"]
        if self.retries < 0 or self.pause_s < 0:
            problems["retries"] = ["retries and pause_s must not be negative"]
        return problems


class ServerAdapter:
    """A model behind an HTTP API."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        key = next((os.environ[name] for name in KEY_VARIABLES if os.environ.get(name)), None)
        self._client = httpx.Client(
            base_url=settings.base_url.rstrip("/") + "/",
            timeout=settings.timeout_s,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            limits=httpx.Limits(max_connections=settings.concurrency),
        )
        self._should_stop: ShouldStop = lambda: False
        self.truncated_rows = 0

    def predict(self, row: Row, *, protocol: str) -> Row:
        """The answer to one row."""
        return dict(self._ask(row, protocol).output)

    def batches(self, rows: Sequence[Row]) -> Iterator[list[Row]]:
        """Rows in an order that a server's prefix cache likes, a few requests per connection at a time."""
        ordered = [row for group in by_shown_text(rows) for row in group]
        size = 4 * self.settings.concurrency
        for start in range(0, len(ordered), size):
            yield ordered[start : start + size]

    def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]:
        """The answers in order, `concurrency` requests at a time."""
        pool = ThreadPoolExecutor(self.settings.concurrency)
        try:
            futures = [pool.submit(self._ask, row, protocol) for row in rows]
            for future in futures:
                yield self._wait(future)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Ask `should_stop` while requests are under way."""
        self._should_stop = should_stop

    def provenance(self) -> dict[str, Any]:
        """Settings and prompt hash; what the server itself runs is not known here."""
        return {
            "settings": asdict(self.settings),
            "prompt_template_sha256": prompts.template_hash(),
            "truncated_rows": self.truncated_rows,
        }

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _wait(self, future: Future[Answer]) -> Answer:
        while True:
            try:
                return future.result(timeout=STOP_INTERVAL_S)
            except StillRunning:
                if self._should_stop():
                    raise Stopped from None

    def _ask(self, row: Row, protocol: str) -> Answer:
        prompt = self._prompt(row, protocol)
        ids = prompt.shown.ids
        cite = bool((row.get("meta") or {}).get("requires_citation", True)) and bool(ids)
        started = time.perf_counter()
        data = self._post(self._body(prompt, ids if cite else []), row["id"])
        text = _text_of(data, row["id"])
        output = _lenient(read_answer(text), ids if cite else [])
        return Answer(output, _usage(data, time.perf_counter() - started))

    def _prompt(self, row: Row, protocol: str) -> Prompt:
        sandwich = bool((row.get("meta") or {}).get("query_sandwich"))
        words = len(prompts.SYSTEM) + 2 * len(row["question"])
        room = self.settings.context - self.settings.max_tokens - words // CHARS_PER_TOKEN
        seen, left_out = fit(
            shown(row, protocol),
            row["question"],
            room=room,
            count=_guess,
            truncation=self.settings.truncation,
        )
        self.truncated_rows += bool(left_out)
        return answer_prompt(seen, row["question"], sandwich=sandwich)

    def _body(self, prompt: Prompt, ids: Sequence[str]) -> dict[str, Any]:
        settings = self.settings
        body: dict[str, Any] = {
            "model": settings.model,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "max_tokens": settings.max_tokens,
        }
        if settings.endpoint == "chat":
            turns = [("system", prompt.system), ("user", prompt.user)]
            body["messages"] = [{"role": role, "content": content} for role, content in turns]
        else:
            body["prompt"] = f"{prompt.system}\n\n{prompt.user}\nAnswer: "
        return body | self._constraint(ids)

    def _constraint(self, ids: Sequence[str]) -> dict[str, Any]:
        match self.settings.constrain:
            case "json_schema":
                schema = {"name": "answer", "strict": True, "schema": answer_schema(ids)}
                return {"response_format": {"type": "json_schema", "json_schema": schema}}
            case "json_object":
                return {"response_format": {"type": "json_object"}}
            case "grammar":
                return {"grammar": answer_grammar(ids, self.settings.max_value_chars)}
            case "none":
                return {}

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


def _lenient(answer: dict[str, Any], ids: Sequence[str]) -> Row:
    """The answer in the contract's form, whatever a model without constraints wrote."""
    value = answer.get("value")
    support = answer.get("support_ids") or answer.get("support_id") or []
    support = [support] if isinstance(support, str) else support
    shown_ids = [uid for uid in support if uid in ids] if isinstance(support, list) else []
    return {
        "value": None if isinstance(value, (list, dict)) else value,
        "support_ids": list(dict.fromkeys(shown_ids))[:MAX_SUPPORT],
    }


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


def _guess(text: str) -> int:
    return len(text) // CHARS_PER_TOKEN


def create_adapter(settings: ServerSettings | None = None) -> ServerAdapter:
    """The adapter, with settings from the environment where none are given."""
    return ServerAdapter(settings or read_settings(ServerSettings, {}))
