"""Public pages for readers without a session come ready: stored bytes, for as long as nothing that they show changed.

One question to the database names the state of the site (`models.fingerprint`), and a page that was rendered from that
state is sent as it is. A reader who has it already is answered 304.

After a write the page of before is sent for READY_PAGES_STALE_SECONDS at most, while one thread renders it anew; its
foot says as of when it is. Readers who are signed in or send a token, and so all who write, get no stored page.
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

#: The pages of which every reader without a session sees the same.
VIEWS = frozenset(
    f"leaderboard:{name}"
    for name in (
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
#: What they are: HTML, the cards of links, and what figures are drawn from.
KINDS = ("text/html", "image/png", "application/json")
#: "2 minutes ago" is at most this much too young.
KEEP_SECONDS = 60
#: A page is rendered this often at most while older ones are sent, however much is written.
PAUSE_SECONDS = 2
#: When a page was rendered, in its foot: no part of what its tag names.
AS_OF = re.compile(rb'<time class="as-of"[^>]*>[^<]*</time>')
#: A cookie of who has just signed out, and may have written before: no older page for them.
WROTE = "wrote"
#: What a page is rendered by beside path and method.
RENDERED_BY = (
    "HTTP_HOST", "HTTP_X_FORWARDED_PROTO", "QUERY_STRING", "SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL",
    "wsgi.url_scheme",
)  # fmt: skip
#: Longer queries are answered, and not kept.
LONGEST_QUERY = 500
#: What a stored page must not hold: it would be somebody's own.
TOKENS = (b"csrfmiddlewaretoken", b"nonce=")
#: What an answer without the page says of it.
NOT_MODIFIED = ("Cache-Control", "ETag", "Vary")
CACHE_CONTROL = "public, no-cache"
PRIVATE = "private, no-store"


class ReadyPageMiddleware:
    """Stands above everything that is compressed or read from a session."""

    def __init__(self, get_response: Callable[[HttpRequest], Any], store: Store = pages) -> None:
        self.get_response, self._store = get_response, store

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _is_anybodys(request):
            return _marked(_private(request, self.get_response(request)))
        key, now = (request.scheme or "", request.get_host(), request.get_full_path()), time.monotonic()
        try:
            state = fingerprint()
        except (OperationalError, InterfaceError):  # the database is away: the last page is better than none
            if page := self._store.last(key):
                return _send(request, page)
            raise
        self._store.saw(state, now)
        behind = _may_be_behind(request)
        page = self._store.get(key, state, now) or self._older(request, key, now, behind)
        return _send(request, page) if page else self._rendered(request, key, state, now, behind)

    def _older(self, request: HttpRequest, key: Key, now: float, behind: float) -> ReadyPage | None:
        """The page as it was a few seconds ago, which is then rendered anew."""
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
        """Names the state of the site, and notes when it was in it."""
        now = time.monotonic()
        state = fingerprint()
        self._store.saw(state, now)
        return state

    def _rendered(
        self, request: HttpRequest, key: Key, state: str, asked: float, behind: float
    ) -> HttpResponseBase:
        """Render once for all who ask at the same time, unless a worker did.

        Those who waited take what another rendered meanwhile, though there were writes since: it is the state of after
        they asked, or young enough. Else each would render in turn.
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
                    return response  # plain: an error, a redirect
                page = _packed(response)
                self._store.put(key, state, page)
                return _send(request, page)
            finally:
                self._store.rendered(key)


def keep_ahead(handler: WSGIHandler, address: str) -> bool:
    """Render a page before anybody asks, and store it for all web processes.

    Args:
        handler: The site, without a web server. Its middleware is this one, too.
        address: The whole address of a public page.

    Returns:
        Whether it is stored: what is no public page is not.
    """
    state, parts, now = fingerprint(), urlsplit(address), timezone.now()
    response = ahead.ask(handler, address)
    path = (
        f"{parts.path}?{parts.query}" if parts.query else parts.path
    )  # with the prefix, as `get_full_path` has it
    key = (parts.scheme, parts.netloc, path)
    page = pages.get(key, state, time.monotonic())
    if page is None or not isinstance(response, HttpResponse) or _says_more_is_to_come(response):
        return False
    ahead.write(key, state, page, now + ahead.good_for(response.content, now))
    return True


def _is_anybodys(request: HttpRequest) -> bool:
    """Whether the reader has nothing of their own, and asks for a public page."""
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
    """Seconds that a page may be behind the site for this reader."""
    is_exact = WROTE in request.COOKIES or ahead.RENDERS in request.META
    return 0 if is_exact else settings.READY_PAGES_STALE_SECONDS


def _same(request: HttpRequest) -> WSGIRequest:
    """The request of a reader, to be asked again by another thread."""
    environ = {name: request.META[name] for name in RENDERED_BY if name in request.META}
    path = request.path_info.encode().decode("latin-1")  # as a web server writes it
    names = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "SCRIPT_NAME": settings.FORCE_SCRIPT_NAME}
    return WSGIRequest(environ | names | {"wsgi.input": io.BytesIO()})


def _is_home(request: HttpRequest) -> bool:
    """Whether an address names no port that nobody serves: any passes ALLOWED_HOSTS, and each would be kept."""
    host = request.get_host()
    port = host.rpartition("]")[2].partition(":")[2]
    return port in ("", request.META.get("SERVER_PORT")) or f"{request.scheme}://{host}" == ahead.origin()


def _may_be_kept(response: HttpResponseBase) -> TypeGuard[HttpResponse]:
    """A whole page that nobody calls their own."""
    if not isinstance(response, HttpResponse) or response.status_code != 200 or response.cookies:
        return False
    is_page = response.get("Content-Type", "").startswith(KINDS)
    return is_page and not any(token in response.content for token in TOKENS)


def _says_more_is_to_come(response: HttpResponse) -> bool:
    """Whether a page changes without a write, soon: ranks that are late say what they wait for."""
    return "no-store" in response.get("Cache-Control", "")


def _packed(response: HttpResponse) -> ReadyPage:
    patch_vary_headers(response, ("Accept-Encoding", "Cookie"))
    seconds = KEEP_SECONDS
    if _says_more_is_to_come(response):
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
    """What is made for a signed-in reader, pages and files, stays in no cache."""
    user = getattr(request, "user", None)
    if "Cache-Control" not in response.headers and user is not None and user.is_authenticated:
        response["Cache-Control"] = PRIVATE
    return response


def _marked(response: HttpResponseBase) -> HttpResponseBase:
    """Marks who signs out: they are a stranger from now on, and know what they have just written."""
    session = response.cookies.get(settings.SESSION_COOKIE_NAME)
    if session is not None and not session.value and (seconds := settings.READY_PAGES_STALE_SECONDS):
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie(WROTE, "1", max_age=seconds, secure=secure, httponly=True, samesite="Lax")
    return response
