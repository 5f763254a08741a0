"""The id of the current request, for the header `X-Request-ID` and for log lines."""

from __future__ import annotations

import re
import uuid
from contextvars import ContextVar
from logging import Filter, LogRecord

HEADER = "X-Request-ID"
#: Of the current request, or of the request that queued the current task; otherwise empty.
current: ContextVar[str] = ContextVar("request_id", default="")
#: Accepted ids of a proxy. Others could forge log lines.
_SAFE = re.compile(r"[A-Za-z0-9._=-]{1,64}")


def new() -> str:
    return uuid.uuid4().hex


def accept(given: str) -> str:
    """The given id if it is safe to log, else a new one."""
    return given if _SAFE.fullmatch(given) else new()


class AddRequestId(Filter):
    def filter(self, record: LogRecord) -> bool:
        record.request_id = current.get() or "-"
        return True
