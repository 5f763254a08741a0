"""Interpret failed requests: a failure concerns one row or all rows, or is temporary."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any

import httpx2

from evaluation.core.row_states import RowState


class Meaning(Enum):
    """Scope of a failure: one row, all rows, or temporary."""

    BUSY = "busy"  # all requests, temporarily: all wait
    LOST = "lost"  # this request, perhaps by chance: send it again
    ROW = "row"  # this row: asking again would get the same
    FILTERED = "filtered"  # this row, for its content
    ALL = "all"  # all rows: key, URL, model, credit


BUSY = frozenset({429, 503, 529})
LOST = frozenset({408, 409, 425})  # and every other 5xx
ALL = frozenset({401, 402, 403, 404, 405, 407})
#: Statuses that a firewall or gateway may return for a single row. After the first answer a small request shows which.
PERHAPS_ONE = frozenset({403, 404})
#: Error codes for refused content.
FILTERED = frozenset({"content_filter", "content_policy_violation"})
#: Error codes beside 429 for which waiting is useless.
OUT_OF_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
#: Error codes of refused keys, if the status does not say so.
KEY_REFUSED = frozenset({"invalid_api_key", "authentication_error", "permission_error"})
#: Words of a temporary error, in its code or at the start of its message; the status may be 200 or 500.
_BUSY_WORDS = re.compile(
    r"overload|over capacity|rate.?limit|too.many.requests|\b(is|being|still|currently) loading|loading[ _](the )?model"
    r"|model_?loading|(service|server|temporarily|currently).{0,4}unavailable|unavailable_error|server.?(is.)?busy"
    r"|throttl|try again later",
    re.I,
)
_BUSY_WITHIN = 200  # characters: later ones may repeat the row
#: Longest honoured `Retry-After` in seconds: rate limit windows are minutes, and a day is too long to wait.
LONGEST_ASKED_S = 600.0

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")

ADVICE = {
    401: "Check the key: key_variable names its variable, else GOLDEVIDENCEBENCH_API_KEY or OPENAI_API_KEY.",
    402: "The account has no credit.",
    403: "The key has no access to this model, or this network address is not allowed.",
    404: "Check the settings model and base_url (it usually ends with /v1).",
    405: "Check the setting base_url: it usually ends with /v1.",
    407: "The proxy asks for a password: add it to HTTP_PROXY or HTTPS_PROXY. NO_PROXY names hosts without proxy.",
}
#: Errors of nginx, Apache and Go for plain HTTP on a TLS port.
_WANTS_TLS = re.compile(
    r"HTTP request (was sent )?to (an )?HTTPS|speaking plain HTTP to an SSL-enabled", re.I
)
UNREACHABLE = "Is the server running, and is base_url right?"


class Failure(Exception):
    """A request that got no answer. `pause_s` is the pause that the server asked for, or None.

    `perhaps_one`: the status usually concerns all rows, but may concern this row alone.
    """

    perhaps_one = False

    def __init__(
        self, meaning: Meaning, problem: str, *, pause_s: float | None = None, advice: str = ""
    ) -> None:
        super().__init__(problem)
        self.meaning, self.problem, self.pause_s, self.advice = meaning, problem, pause_s, advice


class Unreached(Failure):
    """A request that did not reach the server."""


class NoReply(Exception):
    """Raised if a row gets no answer. The reason is in `state`."""

    def __init__(self, state: RowState, problem: str = "") -> None:
        super().__init__(problem)
        self.state = state


def meaning_of(status: int, data: Any, text: str = "") -> Meaning:
    """Interpret a status (of HTTP, or in an error object); `data` and `text` are the body as JSON and as text."""
    codes = error_codes(data)
    if status == 400 and _WANTS_TLS.search(text):
        return Meaning.ALL
    if codes & FILTERED and status in (400, 403, 422):
        return Meaning.FILTERED
    if codes & OUT_OF_MONEY:
        return Meaning.ALL
    if status in BUSY or (status >= 500 and _is_busy(data)):
        return Meaning.BUSY
    if status in LOST or status >= 500:
        return Meaning.LOST
    return Meaning.ALL if status in ALL or 300 <= status < 400 else Meaning.ROW


def meaning_under_200(data: Mapping[str, object]) -> Meaning:
    """Interpret an error object with HTTP status 200, by its codes, its words, and the status that it names."""
    if error_codes(data) & KEY_REFUSED:
        return Meaning.ALL
    return Meaning.BUSY if _is_busy(data) else meaning_of(status_in(data), data)


def error_in(data: Mapping[str, object]) -> Any:
    """The error in a reply with status 200, an object or a text; None if the reply is an answer."""
    if error := data.get("error"):
        return error
    if data.get("object") == "error":
        return {name: data.get(name) for name in ("code", "type", "message")}
    if "choices" in data:
        return None
    # some servers use other fields while they cannot answer: `{"status": "loading model"}`
    told = (data.get(name) for name in ("message", "detail", "status"))
    return next((text for text in told if isinstance(text, str) and text), None)


def _is_busy(data: Any) -> bool:
    error = data.get("error") if isinstance(data, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    words = [*error_codes(data), message[:_BUSY_WITHIN] if isinstance(message, str) else ""]
    return any(map(_BUSY_WORDS.search, words))


def error_codes(data: Any) -> set[str]:
    error = data.get("error") if isinstance(data, dict) else None
    if not isinstance(error, dict):
        return set()
    return {value for name in ("code", "type") if isinstance(value := error.get(name), str)}


def plain_codes(data: Any) -> set[str]:
    """The error codes that are plain names; sentences are left out, as they might repeat the question."""
    return {code for code in error_codes(data) if _CODE.fullmatch(code)}


def status_in(data: Mapping[str, object]) -> int:
    """The status that an error object names; 400 (a fault of the row) if it names none."""
    error = data.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    try:
        status = int(code) if isinstance(code, int | str) else 400
    except ValueError:
        return 400
    return status if 400 <= status < 600 else 400


def asked_pause(response: httpx2.Response) -> float | None:
    """The server's `Retry-After` (a number or a date) in seconds from 0 to `LONGEST_ASKED_S`, or None."""
    headers = response.headers
    seconds = _number(headers.get("retry-after-ms"), 0.001)
    seconds = _number(headers.get("retry-after")) if seconds is None else seconds
    if seconds is None and (until := _moment(headers.get("retry-after"))) is not None:
        # by the server's own clock if it sends its time: ours may differ
        now = _moment(headers.get("date"))
        seconds = until - (time.time() if now is None else now)
    return None if seconds is None else min(max(seconds, 0.0), LONGEST_ASKED_S)


def _number(text: str | None, unit: float = 1.0) -> float | None:
    try:
        value = float(text or "") * unit
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _moment(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except (ValueError, TypeError, OverflowError):
        return None
