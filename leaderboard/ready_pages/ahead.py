"""Pages that a worker renders before anybody asks, in the database, where every web process finds them.

Such a page is sent while the site is in the state that it was rendered from and the code is the one that rendered it,
and for ten minutes at most: the state does not know of what lies beside the database, the wheel of the engine, say.
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

#: A page is sent for so long at most, and for so long at least: a minute ago may be two.
KEEP, LEAST = timedelta(minutes=10), timedelta(minutes=1)
#: It is rendered again so long before its time is over.
AHEAD = timedelta(seconds=30)
#: A moment that the page names by how long ago it was.
MOMENT = re.compile(rb'<time datetime="([^"]+)"')
#: How long ago something was is said in whole ones of these, up to so many seconds (`templatetags.marks.ago`).
STEPS = ((3600, 60), (86_400, 3600), (28 * 86_400, 86_400))
#: Tells the middleware that a page is to be rendered, whatever is stored. No header is called so.
RENDERS = "leaderboard.renders_ahead"


@cache
def release() -> str:
    """Names the code, the templates and the settings that pages are rendered by."""
    digest = hashlib.sha256(f"{settings.SITE_NAME} {settings.EMAIL_BACKEND} {settings.DEBUG}".encode())
    folders = [settings.BASE_DIR / name for name in ("leaderboard", "evaluation", "benchsite", "templates")]
    files = (path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".html"})
    for path in [*sorted(files), Path(settings.STATIC_ROOT) / "staticfiles.json"]:
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()[:16]


def good_for(content: bytes, now: datetime) -> timedelta:
    """How long a page can be sent: until "5 min ago" is six, and a minute at least.

    Args:
        content: The page.
        now: When it was rendered.
    """
    moments = (datetime.fromisoformat(moment.decode()) for moment in set(MOMENT.findall(content)))
    ages = [(now - moment).total_seconds() for moment in moments]
    steps = ((age, next((step for end, step in STEPS if age < end), 0)) for age in ages)
    shortest = min((step - age % step for age, step in steps if step), default=KEEP.total_seconds())
    return max(LEAST, min(KEEP, timedelta(seconds=shortest)))


def read(key: Key, state: str) -> ReadyPage | None:
    """A page that a worker rendered from this state of the site. One query.

    Args:
        key: Names the page.
        state: Of the site, see `models.fingerprint`.
    """
    now = timezone.now()
    rendered = RenderedPage.objects.filter(pk=_named(key), state=_state(state), good_until__gt=now).first()
    if rendered is None:
        return None
    headers = tuple((name, value) for name, value in rendered.headers)
    left = min(LEAST, rendered.good_until - now).total_seconds()
    return ReadyPage(bytes(rendered.packed), headers, rendered.etag, time.monotonic() + left)


def write(key: Key, state: str, page: ReadyPage, good_until: datetime) -> None:
    """Store a page for all web processes, in place of an earlier one.

    Args:
        key: Names the page.
        state: Of the site before it was rendered.
        page: As it is sent.
        good_until: When it is to be rendered again though nothing was written.
    """
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
    """Those that are not stored as the site is now, or not for long any more.

    Args:
        addresses: Whole addresses.
    """
    current = RenderedPage.objects.filter(_is_current())
    there = set(current.values_list("address", flat=True))
    return [address for address in addresses if address not in there]


def is_overdue() -> bool:
    """Whether a page is of another state of the site than this one, or will soon be too old."""
    return RenderedPage.objects.exclude(_is_current()).exists()


def forget(addresses: Iterable[str]) -> int:
    """Delete the pages of all other addresses. Returns how many."""
    return RenderedPage.objects.exclude(address__in=list(addresses)).delete()[0]


def origin() -> str:
    """Scheme and host of SITE_URL, where pages are rendered for; empty where it is not set."""
    parts = urlsplit(settings.SITE_URL)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def ask(handler: WSGIHandler, address: str) -> HttpResponseBase:
    """What a reader without a session gets at an address of this site.

    Args:
        handler: The site, without a web server.
        address: The whole of it.
    """
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
    """Pages that need no other round: of the present state, and for a while."""
    return Q(state=_state(fingerprint()), good_until__gt=timezone.now() + AHEAD)


def _named(key: Key) -> str:
    return hashlib.sha256("\n".join(key).encode()).hexdigest()


def _state(state: str) -> str:
    return f"{state} {release()}"
