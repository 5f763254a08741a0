"""What a server's refusal or silence means: for this row, for all rows, or for now."""

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
    """Whom a failure concerns, and so what is done about it."""

    BUSY = "busy"  # every request, for now: all wait
    LOST = "lost"  # this request, perhaps by chance: it alone is sent again
    ROW = "row"  # this row: asking again would get the same
    FILTERED = "filtered"  # this row, for what it holds
    ALL = "all"  # every row: key, address, model, money


BUSY = frozenset({429, 503, 529})
LOST = frozenset({408, 409, 425})  # and every other 5xx
ALL = frozenset({401, 402, 403, 404, 405, 407})
#: Of these the ones that a firewall or a gateway may say of one row: something small tells, once rows were answered.
PERHAPS_ONE = frozenset({403, 404})
#: Codes of a refused request that is refused for what it holds.
FILTERED = frozenset({"content_filter", "content_policy_violation"})
#: Codes beside 429 that no waiting helps.
OUT_OF_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
#: Codes of keys that are not taken, where the status does not say so.
KEY_REFUSED = frozenset({"invalid_api_key", "authentication_error", "permission_error"})
#: Words of an error that passes, in its code or at the beginning of its message: 200 or 500 may stand beside it.
_BUSY_WORDS = re.compile(
    r"overload|over capacity|rate.?limit|too.many.requests|\b(is|being|still|currently) loading|loading[ _](the )?model"
    r"|model_?loading|(service|server|temporarily|currently).{0,4}unavailable|unavailable_error|server.?(is.)?busy"
    r"|throttl|try again later",
    re.I,
)
_BUSY_WITHIN = 200  # characters: what follows may repeat the row
#: Seconds that a `Retry-After` is honoured for, at most: the windows of providers are minutes; a day is not waited for.
LONGEST_ASKED_S = 600.0

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,59}")

ADVICE = {
    401: "Check the key: key_variable names its variable, else GOLDEVIDENCEBENCH_API_KEY or OPENAI_API_KEY.",
    402: "The account has no credit.",
    403: "The key may not use this model, or not from here.",
    404: "Check model, and base_url: it usually ends with /v1.",
    405: "Check base_url: it usually ends with /v1.",
    407: "The proxy asks for a password: HTTP_PROXY or HTTPS_PROXY names it. NO_PROXY names hosts that need none.",
}
#: Of nginx, Apache and Go, where a request in the clear comes to a port of TLS.
_WANTS_TLS = re.compile(
    r"HTTP request (was sent )?to (an )?HTTPS|speaking plain HTTP to an SSL-enabled", re.I
)
UNREACHABLE = "Is the server running, and base_url right?"


class Failure(Exception):
    """A request without an answer. `pause_s` is what the server asked for, None where it asked for nothing.

    `perhaps_one`: it reads as if it concerned all rows, and may concern this one alone.
    """

    perhaps_one = False

    def __init__(
        self, meaning: Meaning, problem: str, *, pause_s: float | None = None, advice: str = ""
    ) -> None:
        super().__init__(problem)
        self.meaning, self.problem, self.pause_s, self.advice = meaning, problem, pause_s, advice


class Unreached(Failure):
    """A request that did not get to the server."""


class NoReply(Exception):
    """A row that gets no answer, and the state that says why."""

    def __init__(self, state: RowState, problem: str = "") -> None:
        super().__init__(problem)
        self.state = state


def meaning_of(status: int, data: Any, text: str = "") -> Meaning:
    """What a status means, with what the server says beside it.

    Args:
        status: Of HTTP, or the one that an error object with 200 names.
        data: What the body holds, where it is JSON.
        text: The body, where it may be a gateway's own.
    """
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
    """What an error object means under status 200: by the status that it names, else by its words.

    Args:
        data: With an `error`.
    """
    if error_codes(data) & KEY_REFUSED:
        return Meaning.ALL
    return Meaning.BUSY if _is_busy(data) else meaning_of(status_in(data), data)


def error_in(data: Mapping[str, object]) -> Any:
    """What a reply with 200 says in place of an answer, as an error object or its text; None for an answer.

    A reply that holds no answer may say so in other fields: `{"status": "loading model"}`, `{"object": "error", …}`.
    """
    if error := data.get("error"):
        return error
    if data.get("object") == "error":
        return {name: data.get(name) for name in ("code", "type", "message")}
    if "choices" in data:
        return None
    told = (data.get(name) for name in ("message", "detail", "status"))
    return next((text for text in told if isinstance(text, str) and text), None)


def _is_busy(data: Any) -> bool:
    error = data.get("error") if isinstance(data, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    words = [*error_codes(data), message[:_BUSY_WITHIN] if isinstance(message, str) else ""]
    return any(map(_BUSY_WORDS.search, words))


def error_codes(data: Any) -> set[str]:
    """The code and the type of an error object, where there is one."""
    error = data.get("error") if isinstance(data, dict) else None
    if not isinstance(error, dict):
        return set()
    return {value for name in ("code", "type") if isinstance(value := error.get(name), str)}


def plain_codes(data: Any) -> set[str]:
    """Those of the codes that are names, and no sentence that might repeat what was asked."""
    return {code for code in error_codes(data) if _CODE.fullmatch(code)}


def status_in(data: Mapping[str, object]) -> int:
    """The status that an error object names; 400 where it names none: the row's own."""
    error = data.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    try:
        status = int(code) if isinstance(code, int | str) else 400
    except ValueError:
        return 400
    return status if 400 <= status < 600 else 400


def asked_pause(response: httpx2.Response) -> float | None:
    """The server's `Retry-After` in seconds, as a number or a date; None where it names none.

    Args:
        response: What came. A date is read by the server's own clock, where it tells its time.

    Returns:
        Seconds from 0 to `LONGEST_ASKED_S`.
    """
    headers = response.headers
    seconds = _number(headers.get("retry-after-ms"), 0.001)
    seconds = _number(headers.get("retry-after")) if seconds is None else seconds
    if seconds is None and (until := _moment(headers.get("retry-after"))) is not None:
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
