"""Pages rendered ahead by a worker, stored in the database for all web processes.

A stored page is sent only while the content and the code are the same as when it was rendered, and for at most ten
minutes: the fingerprint of the content does not cover files outside the database, such as the engine's wheel.
"""

from __future__ import annotations

import hashlib
import io
import re
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.db.models import Q
from django.http import HttpResponseBase
from django.utils import timezone

from leaderboard.ready_pages.models import RenderedPage, fingerprint
from leaderboard.ready_pages.store import Key, ReadyPage

#: Maximum and minimum lifetime of a page; within the minimum, "1 min ago" may be off by one.
KEEP, LEAST = timedelta(minutes=10), timedelta(minutes=1)
#: Time before expiry from which a page is rendered again.
AHEAD = timedelta(seconds=30)
#: A moment shown as the time since.
MOMENT = re.compile(rb'<time datetime="([^"]+)"')
#: (age in seconds, step): up to this age, the time since is shown in whole steps (`templatetags.marks.ago`).
STEPS = ((3600, 60), (86_400, 3600), (28 * 86_400, 86_400))
#: Key of the WSGI environment that makes the middleware render despite stored pages. Clients cannot set it: it is not
#: the name of a header.
RENDERS = "leaderboard.renders_ahead"


@cache
def release() -> str:
    """Fingerprint of the code, templates and settings behind the pages."""
    shown = (
        settings.SITE_NAME,
        settings.SOURCE_URL,
        settings.CONTACT,
        settings.EMAIL_BACKEND,
        settings.DEBUG,
    )
    digest = hashlib.sha256(f"{shown}".encode())
    folders = [settings.BASE_DIR / name for name in ("leaderboard", "evaluation", "benchsite", "templates")]
    files = (path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".html"})
    for path in [*sorted(files), Path(settings.STATIC_ROOT) / "staticfiles.json"]:
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()[:16]


def good_for(content: bytes, now: datetime) -> timedelta:
    """Time until a relative time on a page ("5 min ago") changes; at least `LEAST`, at most `KEEP`."""
    moments = (datetime.fromisoformat(moment.decode()) for moment in set(MOMENT.findall(content)))
    ages = [(now - moment).total_seconds() for moment in moments]
    steps = ((age, next((step for end, step in STEPS if age < end), 0)) for age in ages)
    shortest = min((step - age % step for age, step in steps if step), default=KEEP.total_seconds())
    return max(LEAST, min(KEEP, timedelta(seconds=shortest)))


def read(key: Key, state: str) -> ReadyPage | None:
    """A page that a worker rendered from this state of the site (`models.fingerprint`), or None if there is none."""
    now = timezone.now()
    rendered = RenderedPage.objects.filter(pk=_named(key), state=_state(state), good_until__gt=now).first()
    if rendered is None:
        return None
    headers = tuple((name, value) for name, value in rendered.headers)
    left = min(LEAST, rendered.good_until - now).total_seconds()
    return ReadyPage(bytes(rendered.packed), headers, rendered.etag, time.monotonic() + left)


def write(key: Key, state: str, page: ReadyPage, good_until: datetime) -> None:
    """Store a page for all web processes, rendered in `state` and valid until `good_until`."""
    fields = {
        "state": _state(state),
        "packed": page.packed,
        "headers": list(page.headers),
        "etag": page.etag,
        "good_until": good_until,
    }
    RenderedPage.objects.update_or_create(
        pk=_named(key), defaults=fields | {"address": "{}://{}{}".format(*key)}
    )


def missing(addresses: Iterable[str]) -> list[str]:
    """The given absolute addresses whose stored page is missing, outdated, or expires soon."""
    current = RenderedPage.objects.filter(_is_current())
    there = set(current.values_list("address", flat=True))
    return [address for address in addresses if address not in there]


def is_overdue() -> bool:
    """True if any stored page is of an earlier state of the site, or expires soon."""
    return RenderedPage.objects.exclude(_is_current()).exists()


def forget(addresses: Iterable[str]) -> int:
    """Delete all stored pages except the pages at these addresses. Returns the number of deleted pages."""
    return RenderedPage.objects.exclude(address__in=list(addresses)).delete()[0]


def origin() -> str:
    """Scheme and host of SITE_URL, for which pages are rendered; empty if not set."""
    parts = urlsplit(settings.SITE_URL)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def ask(handler: WSGIHandler, address: str) -> HttpResponseBase:
    """The response to a GET at an absolute address of this site, without a session."""
    parts = urlsplit(address)
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": parts.path.removeprefix(settings.FORCE_SCRIPT_NAME),
        "QUERY_STRING": parts.query,
        "SCRIPT_NAME": settings.FORCE_SCRIPT_NAME,
        "SERVER_NAME": parts.hostname or "",
        "SERVER_PORT": str(parts.port or (443 if parts.scheme == "https" else 80)),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": parts.netloc,
        "HTTP_X_FORWARDED_PROTO": parts.scheme,
        "wsgi.url_scheme": parts.scheme,
        "wsgi.input": io.BytesIO(),
        RENDERS: True,
    }
    return handler.get_response(WSGIRequest(environ))


def _is_current() -> Q:
    return Q(state=_state(fingerprint()), good_until__gt=timezone.now() + AHEAD)


def _named(key: Key) -> str:
    return hashlib.sha256("\n".join(key).encode()).hexdigest()


def _state(state: str) -> str:
    return f"{state} {release()}"
