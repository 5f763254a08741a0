"""The worker of gunicorn that serves this site: slow clients cost it a socket each, and no thread.

gunicorn's own threads read from the client: as many connections that send half a head, or a body a byte at a time, stop
all readers. Here waitress receives requests whole and sends answers from its buffers in one loop, and a thread has a
request only while it is answered. gunicorn starts, watches, restarts and stops the processes as ever.
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

#: A head arrives within so many seconds, and so does a body, with one second more for each so many of its bytes.
HEAD_SECONDS, BODY_SECONDS, SLOWEST_BYTES = 20, 60, 1024
#: Of a request in memory; what is longer goes into a file in TMPDIR.
IN_MEMORY = 64 << 10
#: What a streamed answer may be ahead of its reader, in such a file, before its thread waits.
AHEAD_OF_READER = 64 << 20
#: Beside the file that an upload may have: the other fields of its form.
FIELDS = 1 << 20
LONGEST_HEAD = 64 << 10
#: Each connection has a socket and perhaps a file; the rest is for the database and what is read.
FILES_PER_CONNECTION, OTHER_FILES = 2, 500
#: After a stop, for requests that kept connections have sent by then; their answers say that the connection closes.
LAST_REQUESTS = 1.0

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class TooSlowError(Error):  # type: ignore[misc]
    """The request has not arrived in time."""

    code, reason = 408, "Request Timeout"


class FullError(Error):  # type: ignore[misc]
    """Other uploads take all the room that there is."""

    code, reason = 503, "Service Unavailable"


class Task(WSGITask):  # type: ignore[misc]
    """Ends an answer without a body where its head ends, and keeps the connection."""

    def build_response_header(self) -> bytes:
        """Once the process stops, as if the reader had asked to close the connection."""
        if self.channel.stops:
            self.request.headers["CONNECTION"] = "close"
        head: bytes = super().build_response_header()
        return head

    def set_close_on_finish(self) -> None:
        """Not where waitress closes because no Content-Length says that there is no body: a 304 says so."""
        asked_to = self.version == "1.0" or self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.has_body or asked_to:
            super().set_close_on_finish()

    def write(self, data: bytes) -> None:
        """Nothing of a body to HEAD."""
        super().write(b"" if self.request.command == "HEAD" else data)

    def finish(self) -> None:
        """The last chunk is a body, too."""
        if not self.wrote_header:
            self.write(b"")
        if self.request.command == "HEAD":
            self.chunked_response = False
        super().finish()


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that knows since when it waits for the rest of a request."""

    task_class = Task
    stops = False  # set on the class, for all of the process
    request: Any  # that arrives
    since = 0.0
    served = False

    def received(self, data: bytes) -> bool:
        """Note when a request begins."""
        before = self.request
        done: bool = super().received(data)
        if self.request is not before:
            self.since = time.time()
        return done

    def service(self) -> None:
        """Note that a request was answered: until the next one the connection is kept alive."""
        super().service()
        self.served = True

    @property
    def is_busy(self) -> bool:
        """Whether a request is being answered, or its body arrives."""
        arrives = self.request is not None and self.request.headers_finished
        return bool(self.requests or self.total_outbufs_len or arrives)

    @property
    def body_bytes(self) -> int:
        """Of requests that arrive and that are answered."""
        requests = [*self.requests, *filter(None, [self.request])]
        return sum(request.body_bytes_received for request in requests)

    def is_overdue(self, now: float) -> bool:
        """Whether a request takes longer to arrive than it may."""
        if (request := self.request) is None:
            return False
        in_body = BODY_SECONDS + request.body_bytes_received / SLOWEST_BYTES
        return now - self.since > (in_body if request.headers_finished else HEAD_SECONDS)

    def is_idle(self, now: float, keep_alive: float) -> bool:
        """Whether nothing was asked for so long."""
        waits = self.request is None and not self.is_busy
        return waits and now - self.last_activity > (keep_alive if self.served else HEAD_SECONDS)

    def refuse(self, error: Error) -> None:
        """Answer a request of which the rest is not waited for, and close."""
        with self.requests_lock:
            request, self.request = self.request, None
            if request is None:
                return
            request.error, request.completed = error, True
            self.requests.append(request)
            if len(self.requests) == 1:
                self.server.add_task(self)


class BufferingWorker(Worker):  # type: ignore[misc]
    """One process: a loop that receives and sends, and `--threads` threads that answer."""

    _next_look = 0.0

    def run(self) -> None:
        """Serve until gunicorn says stop, then finish what was begun within `--graceful-timeout`."""
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
            clear_untrusted_proxy_headers=False,  # HTTPS and NUM_PROXIES say what is believed of them
            log_socket_errors=False,
        )
        for each in self._servers():
            each.channel_class = Channel
        return server

    def _round(self) -> None:
        """Wait for something to happen, a second at most, and do what is to be done."""
        self.notify()
        wasyncore.loop(timeout=1.0, use_poll=True, map=self._map, count=1)

    def _look_after(self, channels: list[Channel]) -> None:
        """Once a second: let go of connections that take too long, or too much."""
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
        """Refuse the youngest uploads while all together are more than an import and a few files."""
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
        """Whether so long after the stop anything is answered, or may still be asked."""
        channels = list(self._channels())
        busy = any(channel.is_busy for channel in channels) and seconds < self.cfg.graceful_timeout
        return busy or (bool(channels) and seconds < LAST_REQUESTS)

    def _stop_accepting(self) -> None:
        Channel.stops = True
        for each in self._servers():
            each.del_channel()
            each.socket.close()


class _Front:
    """The application with what gunicorn's options add: a trusted proxy's scheme, access log, `--max-requests`."""

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
    """Whether a proxy of `--forwarded-allow-ips` says that its reader came by HTTPS."""
    says = any(
        environ.get(f"HTTP_{name.replace('-', '_')}") == value
        for name, value in cfg.secure_scheme_headers.items()
    )
    return says and _is_trusted(environ["REMOTE_ADDR"], cfg.forwarded_allow_ips)


def _is_trusted(address: str, allowed: list[str]) -> bool:
    """Whether a connection comes from an allowed address, or through a socket file, as gunicorn has it."""
    try:
        peer = ipaddress.ip_address(address)
    except ValueError:
        return True
    return "*" in allowed or any(peer in ipaddress.ip_network(each, strict=False) for each in allowed)


def _longest_body() -> int:
    """A stranger's longer file is received and not kept; the view says what is wrong with it."""
    return max(settings.UPLOAD_MAX_BYTES, settings.IMPORT_MAX_BYTES) + FIELDS


def _most_bodies() -> int:
    return _longest_body() + 8 * settings.UPLOAD_MAX_BYTES


def _allow_files(connections: int) -> None:
    """The usual 1,024 open files of a process are fewer than its connections may need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES_PER_CONNECTION * connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
