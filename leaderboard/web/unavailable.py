"""Faults of what the site stands on, which pass: a database or a bucket that is away, a disk without room."""

from __future__ import annotations

import errno
from typing import Any

from django.db import InterfaceError, OperationalError

RETRY_AFTER = 10  # seconds
DATABASE = "The site's database does not answer for now."
STORAGE = "The site's storage of files does not answer for now."
DISK = "The site's disk is full for now."
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
#: What SQLite calls an operational error, too, and is a fault of ours: it does not pass.
_OURS = ("no such ", "syntax error", "near ", "has no column", "ambiguous column")


def reason(error: BaseException | None) -> str:
    """Why a request cannot be answered for now; empty where an error is none of these faults.

    Args:
        error: What was raised; errors that it was raised from are looked at, too.
    """
    seen = 0
    while error is not None and seen < 10:  # an error may be its own context
        if found := _reason(error):
            return found
        error, seen = error.__cause__ or error.__context__, seen + 1
    return ""


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno in _FULL:
        return DISK
    if isinstance(error, InterfaceError):
        return DATABASE
    if isinstance(error, OperationalError) and not any(each in str(error) for each in _OURS):
        return DISK if "is full" in str(error) or "No space left" in str(error) else DATABASE
    return STORAGE if _is_of_a_bucket(error) else ""


def _is_of_a_bucket(error: BaseException) -> bool:
    """Whether a bucket did not answer, or answered that it cannot. Its client does not have to be installed."""
    kinds = {kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "botocore.exceptions"}
    answer: dict[str, Any] = getattr(error, "response", None) or {}
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) if "ClientError" in kinds else 0
    return bool(kinds & {"ConnectionError", "HTTPClientError"}) or status >= 500
