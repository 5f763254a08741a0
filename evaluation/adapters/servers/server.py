"""A model behind an HTTP API, used by every adapter that asks a server.

Requests run concurrently over a whole run (`window`), as fast as the server allows (`throttle`). A lost request is
sent again. A row without an answer gets a state, and the run continues. If a failure concerns every row, the run
pauses if it has answers already, and else ends. The finish reason of a reply becomes its `trouble`, so that a reply
without an answer never counts as an answer. The key appears in no settings, log or provenance.
"""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2

from evaluation.adapters.base import Paused, ShouldStop, Stopped, Usage
from evaluation.adapters.prompt_check import PromptCheck
from evaluation.adapters.replies import Reply
from evaluation.adapters.servers.answers import Answered, read
from evaluation.adapters.servers.failures import (
    ADVICE,
    PERHAPS_ONE,
    UNREACHABLE,
    Failure,
    Meaning,
    NoReply,
    Unreached,
    asked_pause,
    meaning_of,
    plain_codes,
)
from evaluation.adapters.servers.names import is_same, public
from evaluation.adapters.servers.requests import (
    MAX_COMPLETION_TOKENS,
    MAX_TOKENS,
    address_of,
    body_of,
    refused_in,
    settings_in,
    with_limit,
    without,
)
from evaluation.adapters.servers.settings import ConnectionSettings, find_key
from evaluation.adapters.servers.throttle import (
    LONGEST_PAUSE_S,
    MOST_AT_A_TIME,
    STOP_INTERVAL_S,
    GaveUp,
    Rise,
    Throttle,
)
from evaluation.adapters.servers.window import Window
from evaluation.adapters.transcripts.record import Exchange, prompt_sha256
from evaluation.adapters.transcripts.recording import models_are_needed, tell_asked, tell_replied
from evaluation.core.connections import cause_of, connect
from evaluation.core.errors import AdapterError
from evaluation.core.row_states import RowState
from evaluation.core.secrets import redact
from evaluation.core.terminal.wording import number_of
from evaluation.core.tokens import pretokens

TOKENS_PER_PIECE = 1.5  # a high guess: the server's tokenizer is unknown (see `prompt_check`)
SAMPLE_ANSWER = 16  # tokens of an ignored answer; some servers refuse fewer
#: This many unanswered rows at the start mean a wrong setting, not bad rows.
FIRST_BAD = 5
PROBLEMS_TOLD = 10  # distinct ones, in the provenance
MODELS_TOLD = 5  # in the provenance
EXCERPT = 200  # characters of a server's message
LOOK_S = 10.0  # timeout of a server's self-description, which needs no computing
log = logging.getLogger(__name__)
In = TypeVar("In")
Out = TypeVar("Out")


class Server:
    """The connection to a server. Thread-safe."""

    def __init__(self, settings: ConnectionSettings) -> None:
        self.settings = settings
        self._key = key = find_key(settings.key_variable) if models_are_needed() else None
        headers = json.loads(settings.headers or "{}")
        self._client = connect(
            settings.base_url,
            base_url=settings.base_url.rstrip("/") + "/",
            timeout=httpx2.Timeout(settings.timeout_s, pool=None),
            headers=headers | ({"Authorization": f"Bearer {key}"} if key else {}),
            limits=httpx2.Limits(max_connections=MOST_AT_A_TIME if settings.rises else settings.at_first),
        )
        self._should_stop: ShouldStop = lambda: False
        self._window: Window[Any, Any] | None = None
        self._worker = threading.local()  # holds `ended` of the thread's window
        self.left_out: tuple[str, ...] = ()  # parts that the server refuses (`requests.OPTIONAL`)
        self._limit = MAX_TOKENS  # the server's field for the longest answer
        self._prompts = PromptCheck(self._count_tokens)
        self._rise = Rise() if settings.rises else None
        self._throttle = Throttle(
            most=settings.at_first,
            rise=self._rise,
            pause_s=settings.pause_s,
            patience_s=settings.patience_s,
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
            seed=settings.seed or 0,
        )
        self._lock = threading.Lock()
        self._answers, self._bad = 0, 0  # answered requests; unanswered rows before the first one
        self._cost = 0.0
        self._problems: Counter[str] = Counter()
        self._models: Counter[str] = Counter()  # answers by model name
        self.doubts: dict[str, str] = {}  # row id -> why its prompt seems to have been read in part
        self.last_meaning: Meaning | None = None  # of the last row without an answer
        self.last_problem = ""  # in the server's words, without URL and key

    def ask(self, system: str, user: str, name: str, constraint: Mapping[str, object] | None = None) -> Reply:
        """Ask one question. `name` (a row id) appears in errors; `constraint` is added to the request.

        Without an answer the reply has no text, and its `trouble` says why. Raises AdapterError if the server has not
        answered any request so far, Paused if it stopped answering or the cost limit is reached, and Stopped.
        """
        tell_asked(name, system, user)
        self._check_cost()
        body, prompt = body_of(self.settings, system, user, constraint or {}), prompt_sha256(system, user)
        started = time.perf_counter()
        try:
            answered = self._exchange(body, name, f"{system}\n{user}")
        except NoReply as none:
            tell_replied(name, Exchange(prompt, model=self.settings.model, problem=str(none)))
            return Reply("", Usage(passes=1, wall_s=time.perf_counter() - started), none.state)
        tell_replied(name, answered.exchange(prompt))
        self._note_model(answered.said.model)
        text, trouble = answered.text, answered.trouble
        usage = replace(answered.usage, wall_s=time.perf_counter() - started)
        if self.settings.check_prompt:
            self._check_prompt(name, f"{system}\n{user}", usage)
        return Reply(text, usage, trouble)

    def _note_model(self, answered: str) -> None:
        if not answered:
            return
        with self._lock:
            is_new = not self._models[public(answered)]
            self._models[public(answered)] += 1
        if is_new and not is_same(self.settings.model, answered):
            log.warning(
                "Requested model %s, but %s answered: the results are those of the model that answered.",
                self.settings.model,
                public(answered),
            )

    def _check_prompt(self, name: str, prompt: str, usage: Usage) -> None:
        why = self._prompts.doubt(prompt, usage.prompt_tokens, cached=usage.reused_tokens)
        if not why:
            return
        if not self.doubts:
            log.warning("Row %s: %s. Its answer is kept.", name, why)
        self.doubts[name] = why

    def leave_out(self, names: Sequence[str]) -> None:
        """Leave these parts (names in `requests.OPTIONAL`) out of further requests, and forget earlier refusals."""
        with self._lock:
            self.left_out, self._bad = tuple(names), 0
            self._problems.clear()

    def results(self, work: Callable[[In], Iterable[Out]], items: Sequence[In]) -> Iterator[Out]:
        """Call `work` on every item in as many threads as the throttle allows; see `Window.results`."""
        self._window = window = Window[In, Out](self._workers)

        def begun(item: In) -> Iterable[Out]:
            self._worker.ended = window.ended
            return work(item)

        yield from window.results(begun, items, self._should_stop)

    def _workers(self) -> int:
        return self._throttle.at_a_time if self._rise else self.settings.at_first

    def wind_down(self) -> None:
        if self._window is not None:
            self._window.ended.set()

    def look_up(self, address: str, body: Mapping[str, object] | None = None) -> dict[str, object]:
        """Read a server's description of itself, by POST if there is a `body`; empty if the server has none."""
        try:
            sent = self._client.request(
                "POST" if body else "GET", address, json=body, timeout=min(LOOK_S, self.settings.timeout_s)
            )
            data = sent.json() if sent.is_success else None
        except (httpx2.RequestError, ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) else {}

    def provenance(self) -> dict[str, object]:
        found: dict[str, object] = {"limit_field": self._limit}
        with self._lock:
            models = [name for name, _ in self._models.most_common(MODELS_TOLD)]
        if models:
            found["model_asked"], found["models_answered"] = self.settings.model, models
        if self.left_out:
            found["left_out"] = list(self.left_out)
        if rate := self._prompts.tokens_per_piece:
            found["tokens_per_piece"] = round(rate, 3)
        if self._prompts.leaves_out_cache:
            found["counts_cached_tokens"] = False
        if self._throttle.fewest < self.settings.at_first:
            found["fewest_at_a_time"] = self._throttle.fewest
        if self._rise is not None:
            found["most_at_a_time"] = self._rise.highest
        if self._cost:
            found["cost"] = round(self._cost, 6)
        with self._lock:
            told = dict(self._problems.most_common(PROBLEMS_TOLD))
        return found | ({"problems": told} if told else {})

    def stop_when(self, should_stop: ShouldStop) -> None:
        self._should_stop = should_stop

    def close(self) -> None:
        self.wind_down()
        self._client.close()

    def _exchange(self, body: dict[str, Any], name: str, prompt: str) -> Answered:
        lost, allowed, answers = 0, self.settings.retries, 0
        expected = self._expected_tokens(prompt)
        while True:
            try:
                with self._throttle.slot(expected, self._stopping) as sent_at:
                    answered = self._attempt(body, prompt)
            except Failure as failure:
                answers = answers if lost else self._answers
                lost += failure.meaning is Meaning.LOST
                if failure.meaning is Meaning.LOST and lost > allowed and self._answers:
                    if self._is_down(since=answers):
                        failure.meaning = Meaning.BUSY
                    elif allowed == self.settings.retries:
                        allowed = lost  # once more, now that the server is known to work
                if failure.perhaps_one and self._answers and not self._is_down(since=self._answers):
                    failure.meaning = Meaning.ROW
                self._after(failure, sent_at, lost, allowed, name)
            else:
                used = answered.usage.prompt_tokens + answered.usage.generated_tokens
                self._took(used - expected if used else 0.0, sent_at, answered.usage.wall_s)
                return answered

    def _attempt(self, body: dict[str, Any], prompt: str) -> Answered:
        started = time.perf_counter()
        try:
            response = self._send(body)
        except httpx2.RequestError as error:
            raise self._silence(error) from error
        if not response.is_success:
            raise self._refusal(response, body)
        seconds = time.perf_counter() - started
        try:
            answered = read(response.content, response.charset_encoding, self.settings.endpoint, seconds)
        except Failure as failure:
            if _is_page(response) and not self._answers:  # a wrong URL returns the same page every time
                failure.meaning, failure.problem = Meaning.ROW, f"{failure.problem[:EXCERPT]}. {ADVICE[405]}"
            raise
        return answered._replace(usage=self._priced(self._whole(answered.usage), prompt, answered.text))

    def _silence(self, error: httpx2.RequestError) -> Failure:
        cause = cause_of(error, self.settings.base_url, look=not self._answers)
        if cause is not None and cause.lasts:
            return Unreached(Meaning.ALL, cause.text)
        problem = cause.text if cause else f"{type(error).__name__}: {error}"
        if isinstance(error, httpx2.ConnectError):
            meaning = Meaning.BUSY if self._answers else Meaning.ALL
            return Unreached(meaning, problem, advice="" if cause else UNREACHABLE)
        return Failure(Meaning.LOST, problem)

    def _after(self, failure: Failure, sent_at: float, lost: int, allowed: int, name: str) -> None:
        problem = self._redacted(failure.problem)
        match failure.meaning:
            case Meaning.FILTERED:
                self._took()
                raise NoReply(RowState.REFUSED, problem)
            case Meaning.ALL:
                verb = "cannot be reached" if isinstance(failure, Unreached) else "refuses"
                raise self._end(f"row {name}: the server {verb}: {problem}", failure.advice)
            case Meaning.BUSY:
                self._wait_for_all(failure, sent_at, problem)
            case Meaning.LOST if lost <= allowed:
                # not doubled once the server is known to work
                doubled = lost - 1 if lost <= self.settings.retries else 0
                self._sleep(min(self.settings.pause_s * 2.0**doubled, LONGEST_PAUSE_S))
            case _:
                self._throttle.succeeded()  # any other response shows that it is not busy
                attempts = f" after {number_of(lost, 'attempt')}" if lost else ""
                self._give_up_row(f"no answer{attempts}: {problem}", name, failure.meaning)

    def _wait_for_all(self, failure: Failure, sent_at: float, problem: str) -> None:
        try:
            self._throttle.pushed_back(sent_at, failure.pause_s)
        except GaveUp:
            waited = f"the server has not answered for {self.settings.patience_s:g} s (patience_s)"
            raise self._end(f"{waited}: {problem}", failure.advice) from None

    def _give_up_row(self, problem: str, name: str, meaning: Meaning) -> None:
        brief = _brief(problem)
        with self._lock:
            is_new = not self._problems[brief]
            self._problems[brief] += 1
            self.last_problem, self.last_meaning = problem, meaning
            self._bad += not self._answers
            is_hopeless = not self._answers and self._bad >= FIRST_BAD
        if is_new:
            log.warning("Row %s: %s", name, problem)
        if is_hopeless:
            named = " and ".join(settings_in(problem))
            advice = f" The server's message names these settings: {named}." if named else ""
            raise AdapterError(
                f"row {name}: none of the first {FIRST_BAD} rows was answered: {problem}{advice}"
            )
        raise NoReply(RowState.ERROR, problem)

    def _end(self, problem: str, advice: str) -> Exception:
        text = f"{problem}. {advice}".rstrip(". ") + "." if advice else problem
        return Paused(text) if self._answers else AdapterError(text)

    def _send(self, body: dict[str, Any]) -> httpx2.Response:
        limit, address = self._limit, address_of(self.settings)
        body = without(body, self.left_out)
        response = self._client.post(address, json=with_limit(body, limit))
        refused = response.status_code in (400, 422) and MAX_COMPLETION_TOKENS in response.text
        if not refused or limit == MAX_COMPLETION_TOKENS:
            return response
        self._limit = MAX_COMPLETION_TOKENS
        return self._client.post(address, json=with_limit(body, self._limit))

    def _refusal(self, response: httpx2.Response, body: Mapping[str, object]) -> Failure:
        try:
            data = response.json()
        except (ValueError, RecursionError):
            data = None
        status = response.status_code
        codes = " ".join([f"HTTP {status}", *sorted(plain_codes(data))])
        meaning = meaning_of(status, data, response.text)
        if meaning is Meaning.LOST and not self._answers and self._is_refusal(response, body):
            meaning = Meaning.ROW
        failure = Failure(
            meaning, f"{codes}: {response.text}", pause_s=asked_pause(response), advice=ADVICE.get(status, "")
        )
        failure.perhaps_one = meaning is Meaning.ALL and status in PERHAPS_ONE
        return failure

    def _is_refusal(self, response: httpx2.Response, body: Mapping[str, object]) -> bool:
        """True if a server error names a part of the request, such as the system role: a retry would fail, too."""
        sent = without(body, self.left_out)
        return response.status_code in (500, 501) and bool(refused_in(response.text, sent))

    def _took(self, more_tokens: float = 0.0, sent_at: float = float("-inf"), seconds: float = 0.0) -> None:
        with self._lock:
            self._answers += 1
        self._throttle.succeeded(more_tokens, sent_at=sent_at, seconds=seconds)

    def _is_down(self, since: int) -> bool:
        if self._answers > since:
            return False
        try:
            self._attempt(self._small("Say yes."), "")
        except Failure as failure:
            return failure.meaning not in (Meaning.ROW, Meaning.FILTERED)
        return False

    def _count_tokens(self, text: str) -> int | None:
        try:
            sample = self._exchange(self._small(text), "(a sample of a prompt)", text)
            return sample.usage.prompt_tokens or None
        except (AdapterError, NoReply):
            return None

    def _small(self, text: str) -> dict[str, Any]:
        body = body_of(self.settings, "", text, {})
        if self.settings.endpoint == "ollama":
            body["options"]["num_predict"] = SAMPLE_ANSWER
        else:
            body[MAX_TOKENS] = SAMPLE_ANSWER
        return body

    def _expected_tokens(self, prompt: str) -> float:
        return guess_tokens(prompt) + self.settings.max_tokens if self.settings.tokens_per_minute else 0.0

    def _whole(self, usage: Usage) -> Usage:
        if not self._prompts.leaves_out_cache:
            return usage
        cached = usage.reused_tokens
        return replace(
            usage,
            prompt_tokens=usage.prompt_tokens + cached,
            evaluated_tokens=usage.evaluated_tokens + cached,
        )

    def _priced(self, usage: Usage, prompt: str, text: str) -> Usage:
        """The usage with its cost in money. If the server reports no token counts, high estimates are used."""
        settings = self.settings
        if not settings.price_in and not settings.price_out:
            return usage
        read = usage.prompt_tokens or guess_tokens(prompt)
        written = usage.generated_tokens or guess_tokens(text)
        cost = (read * settings.price_in + written * settings.price_out) / 1e6
        with self._lock:
            self._cost += cost
        return replace(usage, cost=cost)

    def _check_cost(self) -> None:
        most = self.settings.max_cost
        if most and self._cost >= most:
            raise Paused(
                f"The run has cost {self._cost:.4g} and max_cost is {most:g}: resuming it may cost as much again."
            )

    def _redacted(self, problem: str) -> str:
        text = redact(problem, [self._key] if self._key else [])
        place = urlsplit(self.settings.base_url).netloc
        return text.replace(place, "(the server)").strip()[: EXCERPT + 10]

    def _stopping(self) -> bool:
        # in a window only the thread that takes the results calls `should_stop`
        ended: threading.Event | None = getattr(self._worker, "ended", None)
        return self._should_stop() if ended is None else ended.is_set()

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if self._stopping():
                raise Stopped
            time.sleep(min(left, STOP_INTERVAL_S))


def _brief(problem: str) -> str:
    """A short form of a problem, such as `no answer after 3 attempts: HTTP 400`, without the response body."""
    answer, kind, *_ = [*problem.split(": "), ""]
    return f"{answer}: {kind}"


def _is_page(response: httpx2.Response) -> bool:
    return response.content[:EXCERPT].lstrip().lower().startswith((b"<!doctype", b"<html"))


def guess_tokens(text: str) -> int:
    return math.ceil(TOKENS_PER_PIECE * pretokens(text))
