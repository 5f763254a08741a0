"""Send stored pages to readers without a session, as long as their content has not changed.

One database query names the state of the site (`models.fingerprint`). A page rendered from that state is sent as
it is; a reader who already has the page gets 304.

After a write the previous page is sent for at most READY_PAGES_STALE_SECONDS, while one thread renders it again; its
footer says when it was rendered. Readers who are signed in or send a token get no stored page, so that writers
always see their own changes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import time
from collections.abc import Callable
from typing import Any, TypeGuard
from urllib.parse import urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotModified
from django.urls import Resolver404, resolve
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

from leaderboard.ready_pages import ahead
from leaderboard.ready_pages.models import fingerprint
from leaderboard.ready_pages.renderer import renderer
from leaderboard.ready_pages.store import Key, ReadyPage, Store, pages

#: Pages that are the same for every reader without a session.
VIEWS = frozenset(
    f"leaderboard:{name}"
    for name in (
        "about",
        "board",
        "board_card",
        "board_figure",
        "board_figures",
        "board_split",
        "changes",
        "conformance",
        "conformance_report",
        "front",
        "glossary",
        "history",
        "site_card",
        "submission_card",
        "system",
        "system_card",
        "systems",
        "version",
        "version_card",
        "versions",
    )
)
#: HTML, link previews, and the data of charts.
KINDS = ("text/html", "image/png", "application/json")
#: "2 minutes ago" is off by at most this.
KEEP_SECONDS = 60
#: Minimum time between renderings of a page while older ones are sent, however much is written.
PAUSE_SECONDS = 2
#: The time of rendering in the footer, which must not change the ETag.
AS_OF = re.compile(rb'<time class="as-of"[^>]*>[^<]*</time>')
#: Cookie of readers who just signed out and may have written before: they get no older page.
WROTE = "wrote"
#: Parts of the WSGI environment that a page depends on, beside path and method.
RENDERED_BY = (
    "HTTP_HOST", "HTTP_X_FORWARDED_PROTO", "QUERY_STRING", "SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL",
    "wsgi.url_scheme",
)  # fmt: skip
#: Pages with longer queries are not stored.
LONGEST_QUERY = 500
#: Marks of a page made for one reader, which must not be stored.
TOKENS = (b"csrfmiddlewaretoken", b"nonce=")
#: Headers of a 304 response.
NOT_MODIFIED = ("Cache-Control", "ETag", "Vary")
CACHE_CONTROL = "public, no-cache"
PRIVATE = "private, no-store"


class ReadyPageMiddleware:
    """Sends stored pages. Must come before all middleware that compresses or reads the session."""

    def __init__(self, get_response: Callable[[HttpRequest], Any], store: Store = pages) -> None:
        self.get_response, self._store = get_response, store

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _is_public(request):
            return _marked(_private(request, self.get_response(request)))
        key, now = (request.scheme or "", request.get_host(), request.get_full_path()), time.monotonic()
        try:
            state = fingerprint()
        except (
            OperationalError,
            InterfaceError,
        ):  # database unreachable: an old page is better than an error
            if page := self._store.last(key):
                return _send(request, page)
            raise
        self._store.saw(state, now)
        behind = _may_be_behind(request)
        page = self._store.get(key, state, now) or self._older(request, key, now, behind)
        return _send(request, page) if page else self._rendered(request, key, state, now, behind)

    def _older(self, request: HttpRequest, key: Key, now: float, behind: float) -> ReadyPage | None:
        """The stored page if it was current at most `behind` seconds ago. Also queues a new rendering of the page."""
        kept = self._store.older(key, now, behind)
        if kept is None:
            return None
        if now - kept.since >= PAUSE_SECONDS:
            anew = _same(request)
            renderer.take(key, lambda: self._anew(anew, key))
        return kept.page

    def _anew(self, request: HttpRequest, key: Key) -> None:
        now = time.monotonic()
        self._rendered(request, key, self._state(), now, 0)

    def _state(self) -> str:
        now = time.monotonic()
        state = fingerprint()
        self._store.saw(state, now)
        return state

    def _rendered(
        self, request: HttpRequest, key: Key, state: str, asked: float, behind: float
    ) -> HttpResponseBase:
        """Render a page, or send a stored page that was current after `asked` or in the last `behind` seconds.

        Concurrent readers wait for one rendering, and get its page despite later writes.
        """
        lock = self._store.rendering(key)
        waits = lock.locked()
        with lock:
            try:
                state, now = self._state() if waits else state, time.monotonic()
                kept = self._store.older(key, asked, 0) or self._store.older(key, now, behind)
                if page := self._store.get(key, state, now) or (kept and kept.page):
                    return _send(request, page)
                if ahead.RENDERS not in request.META and (page := ahead.read(key, state)):
                    self._store.put(key, state, page)
                    return _send(request, page)
                accepts = request.META.pop("HTTP_ACCEPT_ENCODING", "")
                response: HttpResponseBase = self.get_response(request)
                request.META["HTTP_ACCEPT_ENCODING"] = accepts
                if not _may_be_kept(response):
                    return response  # an error or a redirect
                page = _packed(response)
                self._store.put(key, state, page)
                return _send(request, page)
            finally:
                self._store.rendered(key)


def keep_ahead(handler: WSGIHandler, address: str) -> bool:
    """Render a public page at an absolute address for all web processes; False if it is not public."""
    state, parts, now = fingerprint(), urlsplit(address), timezone.now()
    response = ahead.ask(handler, address)
    # Including a URL prefix, as in `get_full_path`: this is the key that the middleware stored it under.
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    key = (parts.scheme, parts.netloc, path)
    page = pages.get(key, state, time.monotonic())
    if page is None or not isinstance(response, HttpResponse) or _changes_soon(response):
        return False
    ahead.write(key, state, page, now + ahead.good_for(response.content, now))
    return True


def _is_public(request: HttpRequest) -> bool:
    if request.method not in ("GET", "HEAD") or len(request.META.get("QUERY_STRING", "")) > LONGEST_QUERY:
        return False
    if any(name in request.COOKIES for name in (settings.SESSION_COOKIE_NAME, "messages")):
        return False
    if "HTTP_AUTHORIZATION" in request.META or "HTTP_HX_REQUEST" in request.META:
        return False
    if not _is_home(request):
        return False
    try:
        return resolve(request.path_info).view_name in VIEWS
    except Resolver404:
        return False


def _may_be_behind(request: HttpRequest) -> float:
    is_exact = WROTE in request.COOKIES or ahead.RENDERS in request.META
    return 0 if is_exact else settings.READY_PAGES_STALE_SECONDS


def _same(request: HttpRequest) -> WSGIRequest:
    environ = {name: request.META[name] for name in RENDERED_BY if name in request.META}
    path = request.path_info.encode().decode("latin-1")  # WSGI decodes paths as Latin-1
    names = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "SCRIPT_NAME": settings.FORCE_SCRIPT_NAME}
    return WSGIRequest(environ | names | {"wsgi.input": io.BytesIO()})


def _is_home(request: HttpRequest) -> bool:
    """True if the address has the port of this site. ALLOWED_HOSTS accepts any port, and pages are stored by port."""
    host = request.get_host()
    port = host.rpartition("]")[2].partition(":")[2]
    return port in ("", request.META.get("SERVER_PORT")) or f"{request.scheme}://{host}" == ahead.origin()


def _may_be_kept(response: HttpResponseBase) -> TypeGuard[HttpResponse]:
    if not isinstance(response, HttpResponse) or response.status_code != 200 or response.cookies:
        return False
    is_page = response.get("Content-Type", "").startswith(KINDS)
    return is_page and not any(token in response.content for token in TOKENS)


def _changes_soon(response: HttpResponse) -> bool:
    """True if the response forbids storing, because the page will soon change without a write."""
    return "no-store" in response.get("Cache-Control", "")


def _packed(response: HttpResponse) -> ReadyPage:
    patch_vary_headers(response, ("Accept-Encoding", "Cookie"))
    seconds = KEEP_SECONDS
    if _changes_soon(response):
        seconds = min(PAUSE_SECONDS, settings.READY_PAGES_STALE_SECONDS)
    else:
        response["Cache-Control"] = CACHE_CONTROL
    etag = f'W/"{hashlib.sha256(AS_OF.sub(b"", response.content)).hexdigest()[:32]}"'
    headers = tuple((name, value) for name, value in response.items() if name != "Content-Length")
    packed = gzip.compress(response.content, compresslevel=6, mtime=0)
    return ReadyPage(packed, headers, etag, time.monotonic() + seconds)


def _send(request: HttpRequest, page: ReadyPage) -> HttpResponse:
    headers = dict(page.headers) | {"ETag": page.etag}
    asked = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    if page.etag in asked or "*" in asked:
        return HttpResponseNotModified(headers={name: headers[name] for name in NOT_MODIFIED})
    if "gzip" not in request.META.get("HTTP_ACCEPT_ENCODING", ""):
        return _whole(gzip.decompress(page.packed), headers)
    return _whole(page.packed, headers | {"Content-Encoding": "gzip"})


def _whole(content: bytes, headers: dict[str, str]) -> HttpResponse:
    return HttpResponse(content, headers=headers | {"Content-Length": str(len(content))})


def _private(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    user = getattr(request, "user", None)
    if "Cache-Control" not in response.headers and user is not None and user.is_authenticated:
        response["Cache-Control"] = PRIVATE
    return response


def _marked(response: HttpResponseBase) -> HttpResponseBase:
    """Set a cookie when a reader signs out: without a session, readers must still see their own last writes."""
    session = response.cookies.get(settings.SESSION_COOKIE_NAME)
    if session is not None and not session.value and (seconds := settings.READY_PAGES_STALE_SECONDS):
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie(WROTE, "1", max_age=seconds, secure=secure, httponly=True, samesite="Lax")
    return response
