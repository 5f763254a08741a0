"""gunicorn worker for this site: a slow client occupies a socket, but no thread.

In gunicorn's own workers, threads read requests, so that slow clients can block all threads. Here waitress receives
whole requests and sends buffered answers in one loop, and a thread holds a request only while answering it. gunicorn
still starts, watches, restarts and stops the processes.
"""

from __future__ import annotations

import ipaddress
import os
import resource
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, create_server
from waitress.task import WSGITask
from waitress.utilities import Error

#: Time limits for a head and a body; the latter grows by one second per SLOWEST_BYTES.
HEAD_SECONDS, BODY_SECONDS, SLOWEST_BYTES = 20, 60, 1024
#: Bytes of a request in memory; longer ones go to a file in TMPDIR.
IN_MEMORY = 64 << 10
#: Bytes of a streamed answer that may wait for a slow reader (in a file, too) before the answering thread waits.
AHEAD_OF_READER = 64 << 20
#: Bytes allowed for an upload's form fields beside the file.
FIELDS = 1 << 20
LONGEST_HEAD = 64 << 10
#: File descriptors: a socket and perhaps a file per connection, the rest for database and other files.
FILES_PER_CONNECTION, OTHER_FILES = 2, 500
#: Grace period after a stop for requests on kept connections; their answers close the connection.
LAST_REQUESTS = 1.0

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class TooSlowError(Error):  # type: ignore[misc]
    """The request has not arrived in time."""

    code, reason = 408, "Request Timeout"


class FullError(Error):  # type: ignore[misc]
    """Other uploads use all of the memory reserved for request bodies."""

    code, reason = 503, "Service Unavailable"


class Task(WSGITask):  # type: ignore[misc]
    """Keeps the connection open after answers without a body (304, HEAD)."""

    def build_response_header(self) -> bytes:
        # Close kept connections once the process stops.
        if self.channel.stops:
            self.request.headers["CONNECTION"] = "close"
        head: bytes = super().build_response_header()
        return head

    def set_close_on_finish(self) -> None:
        """Keep the connection open after an answer without a body; waitress closes it if there is no Content-Length."""
        asked_to = self.version == "1.0" or self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or asked_to:
            super().set_close_on_finish()

    def write(self, data: bytes) -> None:
        # HEAD has no body.
        super().write(b"" if self.request.command == "HEAD" else data)

    def finish(self) -> None:
        """Finish the response. A response to HEAD has no body, so it also lacks the final chunk of chunked encoding."""
        if not self.wrote_header:
            self.write(b"")
        if self.request.command == "HEAD":
            self.chunked_response = False
        super().finish()


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that records when its current request began to arrive."""

    task_class = Task
    stops = False  # set on the class: process-wide
    request: Any  # the one being received
    since = 0.0
    served = False

    def received(self, data: bytes) -> bool:
        before = self.request
        done: bool = super().received(data)
        if self.request is not before:
            self.since = time.time()
        return done

    def service(self) -> None:
        super().service()
        # Idle from now on counts as keep-alive.
        self.served = True

    @property
    def is_busy(self) -> bool:
        """True if a request is being answered, or its body is arriving."""
        arrives = self.request is not None and self.request.headers_finished
        return bool(self.requests or self.total_outbufs_len or arrives)

    @property
    def body_bytes(self) -> int:
        """Total size in bytes of the request bodies that are being received or answered."""
        requests = [*self.requests, *filter(None, [self.request])]
        return sum(request.body_bytes_received for request in requests)

    def is_overdue(self, now: float) -> bool:
        """True if the current request has not arrived in time."""
        if (request := self.request) is None:
            return False
        in_body = BODY_SECONDS + request.body_bytes_received / SLOWEST_BYTES
        return now - self.since > (in_body if request.headers_finished else HEAD_SECONDS)

    def is_idle(self, now: float, keep_alive: float) -> bool:
        """True if the connection has had no request for `keep_alive` seconds."""
        waits = self.request is None and not self.is_busy
        return waits and now - self.last_activity > (keep_alive if self.served else HEAD_SECONDS)

    def refuse(self, error: Error) -> None:
        """Answer an incomplete request with an error, and close."""
        with self.requests_lock:
            request, self.request = self.request, None
            if request is None:
                return
            request.error, request.completed = error, True
            self.requests.append(request)
            if len(self.requests) == 1:
                self.server.add_task(self)


class BufferingWorker(Worker):  # type: ignore[misc]
    """Worker process with a loop that receives and sends, and `--threads` threads that answer requests."""

    _next_look = 0.0

    def run(self) -> None:
        """Serve until gunicorn stops the worker, then finish open requests within `--graceful-timeout`."""
        _allow_files(self.cfg.worker_connections)
        self._map: dict[int, Any] = {}
        server = self._server()
        while self.alive and self.ppid == os.getppid():
            self._round()
            self._look_after(list(self._channels()))
        self._stop_accepting()
        stopped = time.monotonic()
        while self._has_requests(time.monotonic() - stopped):
            self._round()
        server.task_dispatcher.shutdown(timeout=1)
        wasyncore.close_all(self._map)

    def _server(self) -> Any:
        server = create_server(
            _Front(self),
            map=self._map,
            sockets=[each.sock for each in self.sockets],
            threads=self.cfg.threads,
            url_prefix=os.environ.get("SCRIPT_NAME", ""),
            backlog=self.cfg.backlog,
            connection_limit=self.cfg.worker_connections,
            max_request_header_size=LONGEST_HEAD,
            max_request_body_size=_longest_body(),
            recv_bytes=IN_MEMORY,
            inbuf_overflow=IN_MEMORY,
            outbuf_high_watermark=AHEAD_OF_READER,
            ident="gunicorn",
            clear_untrusted_proxy_headers=False,  # the settings HTTPS and NUM_PROXIES decide which are trusted
            log_socket_errors=False,
        )
        for each in self._servers():
            each.channel_class = Channel
        return server

    def _round(self) -> None:
        self.notify()
        wasyncore.loop(timeout=1.0, use_poll=True, map=self._map, count=1)

    def _look_after(self, channels: list[Channel]) -> None:
        now = time.time()
        if now < self._next_look:
            return
        self._next_look = now + 1
        for channel in channels:
            if channel.is_overdue(now):
                channel.refuse(TooSlowError("The request did not arrive in time. Send it again."))
            elif channel.is_idle(now, self.cfg.keepalive):
                channel.will_close = True
        self._bound_bodies(channels)

    def _bound_bodies(self, channels: list[Channel]) -> None:
        """Refuse the newest uploads until the remaining request bodies have at most `_most_bodies()` bytes in total."""
        taken = sum(channel.body_bytes for channel in channels)
        receiving = sorted((each for each in channels if each.request), key=lambda each: each.since)
        while receiving and taken > _most_bodies():
            youngest = receiving.pop()
            taken -= youngest.body_bytes
            youngest.refuse(FullError("Too many uploads at once. Try again in a minute."))

    def _servers(self) -> Iterator[BaseWSGIServer]:
        return (each for each in list(self._map.values()) if isinstance(each, BaseWSGIServer))

    def _channels(self) -> Iterator[Channel]:
        return (each for each in list(self._map.values()) if isinstance(each, Channel))

    def _has_requests(self, seconds: float) -> bool:
        """True if a stopping worker must still wait for requests. `seconds` is the time since it was told to stop."""
        channels = list(self._channels())
        busy = any(channel.is_busy for channel in channels) and seconds < self.cfg.graceful_timeout
        return busy or (bool(channels) and seconds < LAST_REQUESTS)

    def _stop_accepting(self) -> None:
        Channel.stops = True
        for each in self._servers():
            each.del_channel()
            each.socket.close()


class _Front:
    """Wraps the application to apply options of gunicorn: trusted proxies, access log, `--max-requests`."""

    def __init__(self, worker: BufferingWorker) -> None:
        self._worker = worker
        self._application: Application = worker.wsgi

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        worker, began = self._worker, datetime.now()
        worker.nr += 1
        if worker.nr >= worker.max_requests:
            worker.alive = False
        if _is_secure(environ, worker.cfg):
            environ["wsgi.url_scheme"] = "https"
        if not worker.log.access_log_enabled:
            return self._application(environ, start_response)

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            answer = SimpleNamespace(status=status, headers=headers, sent=dict(headers).get("Content-Length"))
            environ["RAW_URI"] = environ["REQUEST_URI"]
            asked = {
                name[5:].replace("_", "-"): environ[name] for name in environ if name.startswith("HTTP_")
            }
            worker.log.access(answer, asked, environ, datetime.now() - began)
            return start_response(status, headers, *error)

        return self._application(environ, start)


def _is_secure(environ: Environ, cfg: Any) -> bool:
    says = any(
        environ.get(f"HTTP_{name.replace('-', '_')}") == value
        for name, value in cfg.secure_scheme_headers.items()
    )
    return says and _is_trusted(environ["REMOTE_ADDR"], cfg.forwarded_allow_ips)


def _is_trusted(address: str, allowed: list[str]) -> bool:
    """Return True for an allowed address and, as gunicorn does, for a Unix socket, which has no IP address."""
    try:
        peer = ipaddress.ip_address(address)
    except ValueError:
        return True
    return "*" in allowed or any(peer in ipaddress.ip_network(each, strict=False) for each in allowed)


def _longest_body() -> int:
    """Maximum size of a request body in bytes: the largest accepted file and some other form fields.

    A file that is too large for its user is received up to here, so that the view can explain the error.
    """
    return max(settings.UPLOAD_MAX_BYTES, settings.IMPORT_MAX_BYTES) + FIELDS


def _most_bodies() -> int:
    return _longest_body() + 8 * settings.UPLOAD_MAX_BYTES


def _allow_files(connections: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_PER_CONNECTION * connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
