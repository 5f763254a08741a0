"""Error reports to Sentry if SENTRY_DSN is set, each with its request id."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from leaderboard.web import request_ids


def start(dsn: str) -> None:
    """Report errors to Sentry, without personal data or performance tracing. Raises ImproperlyConfigured."""
    try:
        import sentry_sdk
    except ImportError as error:
        raise ImproperlyConfigured(
            "SENTRY_DSN is set, but sentry-sdk is not installed: pip install '.[sentry]'."
        ) from error
    try:
        sentry_sdk.init(dsn, send_default_pii=False, before_send=_with_request_id)
    except sentry_sdk.utils.BadDsn as error:
        raise ImproperlyConfigured(
            f"SENTRY_DSN: {error}. For example: https://key@sentry.example.org/1"
        ) from error


def _with_request_id(event: Any, hint: dict[str, Any]) -> Any:
    event.setdefault("tags", {})["request_id"] = request_ids.current.get()
    return event
