"""The worker of gunicorn: slow clients block no reader; otherwise it behaves like gunicorn's own workers."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.live import ROOT, LiveSite, free_port, kill, wait_for

pytestmark = [pytest.mark.timing, pytest.mark.xdist_group("live")]
HALF_HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Rest: "
HEAD_OF_BODY = b"POST /sent HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
#: As the site's own, with limits that a test can wait for.
CONFIG = """
from benchsite import server
server.HEAD_SECONDS, server.BODY_SECONDS, server.SLOWEST_BYTES = 1, 2, 1 << 20
worker_class = server.BufferingWorker
"""


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The application that the worker serves here instead of the site."""
    match environ["PATH_INFO"]:
        case "/known":
            start_response("304 Not Modified", [("ETag", '"x"')])
            return []
        case "/streamed":
            start_response("200 OK", [])
            return (b"part" for _ in range(3))
        case "/large":
            start_response("200 OK", [])
            return (bytes(1 << 20) for _ in range(32))
        case "/slow":
            time.sleep(1.5)
    digest = hashlib.sha256()
    for part in iter(lambda: environ["wsgi.input"].read(65536), b""):
        digest.update(part)
    names = ("PATH_INFO", "SCRIPT_NAME", "REMOTE_ADDR", "wsgi.url_scheme", "HTTP_X_FORWARDED_FOR")
    said = {name: environ.get(name) for name in names}
    answer = json.dumps(said | {"sha256": digest.hexdigest(), "process": os.getpid()}).encode()
    start_response("200 OK", [("Content-Length", str(len(answer)))])
    return [answer]


class Server:
    """gunicorn with the application of this module."""

    def __init__(self, folder: Path, *options: str, uds: Path | None = None, **environment: str) -> None:
        self.port, self.log = free_port(), folder / "gunicorn.log"
        self.url = f"http://127.0.0.1:{self.port}"
        self.uds, self.client = uds, httpx2.Client(transport=httpx2.HTTPTransport(uds=uds and str(uds)))
        (folder / "gunicorn.conf.py").write_text(CONFIG)
        words = [f"{__name__}:application", "--config", str(folder / "gunicorn.conf.py")]
        words += ["--bind", f"unix:{uds}" if uds else f"127.0.0.1:{self.port}", *options]
        env = os.environ | {"DJANGO_SETTINGS_MODULE": "benchsite.settings", "DATA_DIR": str(folder)}
        with open(self.log, "wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", *words],
                cwd=ROOT, env=env | environment, stdout=out, stderr=out, start_new_session=True,
            )  # fmt: skip

    def __enter__(self) -> Server:
        wait_for(self._answers, seconds=20, what="gunicorn")
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        kill(self.process)

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        if self.uds and not self.uds.exists():
            return False
        try:
            return self.client.get(self.url).status_code == 200
        except httpx2.TransportError:
            return False

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=10)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with one thread, which a single client could block."""
    with Server(tmp_path_factory.mktemp("server"), "--threads", "1", "--keep-alive", "10") as one:
        yield one


def read_all(connection: socket.socket) -> bytes:
    """Read until the server closes the connection."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


@contextlib.contextmanager
def slow_clients(address: tuple[str, int], heads: int, bodies: int) -> Iterator[None]:
    """Hold connections that send a byte now and then."""
    sent = [HALF_HEAD] * heads + [HEAD_OF_BODY % 100_000] * bodies
    stop = threading.Event()
    with contextlib.ExitStack() as stack:
        all_of_them = [stack.enter_context(socket.create_connection(address)) for _ in sent]
        for connection, begin in zip(all_of_them, sent, strict=True):
            connection.sendall(begin)

        def trickle() -> None:
            while not stop.wait(0.5):
                for connection in all_of_them:
                    connection.sendall(b"a")

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


def test_two_hundred_slow_clients_stop_no_reader(tmp_path: Path) -> None:
    waits: list[float] = []

    def read(url: str) -> None:
        with httpx2.Client(base_url=url, timeout=5) as client:
            for _ in range(25):
                started = time.monotonic()
                assert client.get("/versions/").status_code == 200
                waits.append(time.monotonic() - started)

    with LiveSite(tmp_path) as site:
        site.start_web()
        httpx2.get(f"{site.url}/versions/")
        with slow_clients(("127.0.0.1", site.port), heads=100, bodies=100):
            readers = [threading.Thread(target=read, args=(site.url,)) for _ in range(8)]
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join()
    assert len(waits) == 200
    assert sorted(waits)[197] < 1


def test_a_request_that_does_not_arrive_in_time_is_refused(server: Server) -> None:
    for begin in (HALF_HEAD, HEAD_OF_BODY % 100):
        with server.connect() as connection:
            connection.sendall(begin)
            answer = read_all(connection)
        assert answer.startswith((b"HTTP/1.0 408 Request Timeout", b"HTTP/1.1 408 Request Timeout"))
        assert b"Send it again." in answer


def test_a_connection_that_says_nothing_is_closed(server: Server) -> None:
    with server.connect() as connection:
        assert read_all(connection) == b""


@pytest.mark.parametrize("size", [0, 1000, 5_000_000])
def test_a_body_arrives_whole_with_its_length_named_or_in_chunks(server: Server, size: int) -> None:
    body = os.urandom(size)
    parts = (body[at : at + 50_000] for at in range(0, size, 50_000))
    for content in (body, parts):
        answer = httpx2.post(f"{server.url}/sent", content=content).json()
        assert answer["sha256"] == hashlib.sha256(body).hexdigest()


def test_a_slow_reader_holds_no_thread(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert connection.recv(4) == b"HTTP"
        assert httpx2.get(server.url, timeout=5).status_code == 200
        assert read_all(connection).count(bytes(1 << 20)) == 32


@pytest.mark.parametrize(
    ("asked", "ends"),
    [
        ("HEAD /streamed", b"\r\n\r\n"),
        ("GET /streamed", b"\r\n4\r\npart\r\n0\r\n\r\n"),
        ("HEAD /", b"\r\n\r\n"),
    ],
)
def test_an_answer_to_head_is_a_head(server: Server, asked: str, ends: bytes) -> None:
    with server.connect() as connection:
        connection.sendall(f"{asked} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        head, _, body = read_all(connection).partition(b"\r\n\r\n")
    assert (b"\r\n\r\n" + body).endswith(ends)
    assert asked.startswith("GET") or not body
    assert head.startswith(b"HTTP/1.1 200 OK")


def test_a_reader_who_has_the_page_keeps_the_connection(server: Server) -> None:
    with server.connect() as connection:
        for _ in range(3):
            connection.sendall(b"GET /known HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.recv(65536).startswith(b"HTTP/1.1 304 Not Modified")


def test_uploads_together_have_a_limit_and_the_youngest_goes(tmp_path: Path) -> None:
    with Server(tmp_path, UPLOAD_MAX_BYTES="1", IMPORT_MAX_BYTES="1") as server:
        with server.connect() as first, server.connect() as second:
            for connection in (first, second):
                connection.sendall(HEAD_OF_BODY % 900_000 + bytes(800_000))
                time.sleep(0.1)
            assert b"Too many uploads at once. Try again in a minute." in read_all(second)
            first.sendall(bytes(100_000))
            assert first.recv(65536).startswith(b"HTTP/1.1 200 OK")
        assert httpx2.post(f"{server.url}/sent", content=bytes(1_100_000)).status_code == 413


def test_proxies_are_believed_as_gunicorn_is_told_and_requests_are_logged(tmp_path: Path) -> None:
    by_proxy = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7"}
    options = ("--access-logfile", "-", "--access-logformat", "%(m)s %(U)s %(s)s %(b)s %({user-agent}i)s")
    with Server(tmp_path, *options, SCRIPT_NAME="/bench") as server:
        said = httpx2.get(f"{server.url}/bench/page", headers=by_proxy | {"User-Agent": "me"}).json()
        assert said["wsgi.url_scheme"] == "https"
        assert said["HTTP_X_FORWARDED_FOR"] == "192.0.2.7"
        assert (said["SCRIPT_NAME"], said["PATH_INFO"]) == ("/bench", "/page")
        assert "GET /page 200 " in server.log.read_text()
        assert server.log.read_text().rstrip().endswith(" me")
    with Server(tmp_path, "--forwarded-allow-ips", "192.0.2.0/24") as server:
        assert httpx2.get(server.url, headers=by_proxy).json()["wsgi.url_scheme"] == "http"


def test_a_socket_file_serves_as_a_port_does(tmp_path: Path) -> None:
    with Server(tmp_path, uds=tmp_path / "s") as server:
        said = server.client.get(server.url, headers={"X-Forwarded-Proto": "https"}).json()
    assert said["wsgi.url_scheme"] == "https"


def test_requests_before_the_stop_are_answered_and_a_killed_process_is_replaced(tmp_path: Path) -> None:
    with Server(tmp_path, "--workers", "2") as server:
        os.kill(httpx2.get(server.url).json()["process"], signal.SIGKILL)
        assert httpx2.get(server.url, timeout=20).status_code == 200
        answers: list[int] = []
        asking = threading.Thread(target=lambda: answers.append(httpx2.get(f"{server.url}/slow").status_code))
        asking.start()
        time.sleep(0.3)
        server.process.terminate()
        assert server.process.wait(20) == 0
        asking.join()
        assert answers == [200]


def test_a_process_that_has_served_its_requests_is_replaced_and_kept_connections_lose_none(
    tmp_path: Path,
) -> None:
    with Server(tmp_path, "--workers", "2", "--max-requests", "40", "--max-requests-jitter", "10") as server:
        processes: set[int] = set()

        def read() -> None:
            with httpx2.Client(base_url=server.url, timeout=20) as client:
                processes.update(client.get("/").json()["process"] for _ in range(60))

        with ThreadPoolExecutor(4) as readers:
            for each in [readers.submit(read) for _ in range(4)]:
                each.result()
    assert len(processes) > 2


def test_a_process_whose_loop_stands_still_is_replaced_after_the_timeout(tmp_path: Path) -> None:
    with Server(tmp_path, "--timeout", "2") as server:
        frozen = httpx2.get(server.url).json()["process"]
        os.kill(frozen, signal.SIGSTOP)
        assert httpx2.get(server.url, timeout=20).json()["process"] != frozen
