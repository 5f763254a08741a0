"""Temporary faults are distinguished from broken code, on pages and in the API."""

from __future__ import annotations

import errno

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from leaderboard.web import errors


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OperationalError("connection refused"), errors.DATABASE),
        (OperationalError("database is locked"), errors.DATABASE),
        (InterfaceError("the connection is closed"), errors.DATABASE),
        (OperationalError("database or disk is full"), errors.DISK),
        (OSError(errno.ENOSPC, "No space left on device"), errors.DISK),
        (OperationalError("no such table: x"), ""),
        (OSError(errno.EACCES, "Permission denied"), ""),
        (ValueError("x"), ""),
        (None, ""),
    ],
)
def test_temporary_faults_are_named(error: BaseException | None, reason: str) -> None:
    assert errors.reason(error) == reason


def test_an_error_that_a_fault_caused_is_that_fault() -> None:
    error = ValueError("the file could not be kept")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert errors.reason(error) == errors.DISK


@pytest.mark.parametrize("address", ["/history/", "/api/v1/versions"])
def test_a_temporary_fault_is_a_503_with_when_to_ask_again(
    db: None, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("connection refused")

    with monkeypatch.context() as patched:
        patched.setattr("django.db.backends.utils.CursorWrapper.execute", away)
        response = Client(raise_request_exception=False).get(address)
    assert (response.status_code, response["Retry-After"]) == (503, "10")
    assert ("application/problem+json" in response["Content-Type"]) == address.startswith("/api/")
