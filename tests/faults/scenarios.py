"""Faults of a site, each a function of a folder, a number of rounds and random moments."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import signal
import socket
import struct
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.faults.site import AT_WORK, DisturbedSite, Outcome, strike
from tests.leaderboard.runs.gguf import tiny_model
from tests.live import free_port, wait_for
from tests.services import PostgresServer, bucket, redis

RUN = """
from django.contrib.auth import get_user_model
from leaderboard.models import ModelFile, Version
from leaderboard.runs import model_files, services as runs
ada = get_user_model().objects.get(username="ada")
model = ModelFile.objects.filter(path="slow.gguf").first() or model_files.register("slow.gguf", by=ada)
runs.start(
    version=Version.objects.get(slug="disturbed"), executor="adapter:llama_cpp", model_file=model, started_by=ada,
    values={"threads": 1}, row_limit=8,
)
"""
REGISTER = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from django.contrib.auth import get_user_model
from leaderboard.runs import model_files
ada = get_user_model().objects.get(username="ada")
for name in model_files.unregistered():
    try:
        model_files.register(name, by=ada)
    except model_files.ModelFileError as error:
        assert len(str(error)) < 400, error
    else:
        raise AssertionError(f"{name} was registered")
"""


MOST_WAITING = 8  # work is begun no faster than workers that are struck all the time can finish it


@dataclass(frozen=True, slots=True)
class Scenario:
    """A fault: its name in the table, the markers of what it needs, the function that causes it, how often at most."""

    name: str
    needs: tuple[str, ...]
    run: Callable[[Path, int, random.Random], Outcome]
    most_rounds: int = 1000


def killed_while(begin: Callable[[DisturbedSite], None]) -> Callable[[Path, int, random.Random], Outcome]:
    """A fault: workers, or a child of theirs, are killed at random moments while they work.

    Args:
        begin: Function that gives the site work.
    """

    def run(folder: Path, rounds: int, rng: random.Random) -> Outcome:
        with DisturbedSite(folder, rng=rng) as site:
            site.start_web()
            with site.readers():
                worker = site.start_worker(concurrency=2)
                for _ in range(rounds):
                    if site.undone() < MOST_WAITING:
                        begin(site)
                    wait_for(lambda: _is_at_work(site), seconds=120, what="a worker to begin", every=0.02)
                    time.sleep(rng.uniform(0, 1))
                    if not strike(worker, rng):
                        worker = site.start_worker(concurrency=2)
                return site.settle()

    return run


def _is_at_work(site: DisturbedSite) -> bool:
    """Whether a worker is busy, or done already."""
    return bool(site.statuses() & AT_WORK) or not site.has_due()


def upload(site: DisturbedSite) -> None:
    """Send four files."""
    for _ in range(4):
        site.upload()


def _run_a_model(site: DisturbedSite) -> None:
    if not (site.folder / "models/slow.gguf").exists():
        tiny_model(site.folder / "models", "slow.gguf", width=192, layers=4)
    site.shell(RUN)


def redis_restarts(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Kill the broker within two seconds of uploads; it comes back empty. One worker does all work."""
    port = free_port()
    address = f"redis://127.0.0.1:{port}/0"
    with DisturbedSite(folder, rng=rng, broker_url=address) as site, ExitStack() as stack:
        broker = stack.enter_context(redis(folder, port=port))
        site.start_web()
        worker = site.start_worker(concurrency=2)
        with site.readers():
            for _ in range(rounds):
                upload(site)
                time.sleep(rng.uniform(0, 2))
                broker.kill()
                broker.wait()
                site.upload()
                broker = stack.enter_context(redis(folder, port=port))
                time.sleep(1)
            outcome = site.settle()
        assert worker.poll() is None, "the worker ended with its broker"
        return outcome


def database_away(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Stop PostgreSQL for some seconds while files are sent and graded."""
    with PostgresServer() as database, DisturbedSite(folder, rng=rng, database_url=database.url) as site:
        site.start_web()
        worker = site.start_worker(concurrency=2)
        with site.readers():
            for _ in range(rounds):
                upload(site)
                time.sleep(rng.uniform(0, 1))
                database.stop()
                time.sleep(rng.uniform(1, 3))
                database.start()
                site.upload()
            outcome = site.settle()
        assert worker.poll() is None, "the worker ended with its database"
        return outcome


def bucket_hangs(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Let the bucket of the artifacts accept connections and answer none, while files are sent and pages read."""
    with bucket() as (server, settings), DisturbedSite(folder, rng=rng, **settings) as site:
        site.start_web()
        site.start_worker(concurrency=2)
        with site.readers():
            for _ in range(rounds):
                upload(site)
                os.kill(server.pid, signal.SIGSTOP)
                _ask_of_a_hanging_bucket(site)
                os.kill(server.pid, signal.SIGCONT)
                site.upload()
            return site.settle()


def _ask_of_a_hanging_bucket(site: DisturbedSite) -> None:
    """More downloads and uploads at once than the web server has threads; each answer says when to retry."""
    address = f"{site.url}/api/v1/versions/goldevidencebench/disturbed/rows"
    with ExitStack() as stack:
        clients = [stack.enter_context(httpx2.Client(timeout=60)) for _ in range(24)]
        sockets = [_sent(site, f"GET {address.removeprefix(site.url)} HTTP/1.1") for _ in clients]
        time.sleep(8)
        for each in sockets:
            each.close()


def slow_sockets(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Open 200 sockets that send half a request head, or a body byte by byte, and never end."""
    with DisturbedSite(folder, rng=rng) as site:
        site.start_web()
        site.start_worker()
        half, body = "GET / HTTP/1.1", "POST /api/v1/submissions HTTP/1.1"
        for _ in range(rounds):
            sockets = [_sent(site, half if number % 2 else body, ends=False) for number in range(200)]
            with site.readers():
                for _ in range(5):
                    for each in sockets:
                        with contextlib.suppress(OSError):
                            each.send(b"x")
                    time.sleep(1)
                site.upload()
            for each in sockets:
                each.close()
        return site.settle()


def _sent(site: DisturbedSite, line: str, *, ends: bool = True) -> socket.socket:
    """A connection with a started request: its head, complete if `ends`, and nothing of its body."""
    connection = socket.create_connection(("127.0.0.1", site.port), 10)
    length = "Content-Length: 1000000\r\n\r\n" if line.startswith("POST") else ""
    connection.sendall(f"{line}\r\nHost: 127.0.0.1:{site.port}\r\n{length}".encode() + b"\r\n" * ends)
    return connection


def hostile_uploads(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Send files made to stop the site, eight at a time: bombs, depth, long numbers, endless lines."""
    with DisturbedSite(folder, rng=rng, CHECK_SECONDS="3") as site:
        site.start_web()
        site.start_worker()
        address = f"{site.url}/api/v1/versions/goldevidencebench/disturbed/validate"
        headers = {"Authorization": f"Bearer {site.token}"}
        with site.readers():
            for _ in range(rounds):
                for content in HOSTILE.values():
                    status = httpx2.post(address, content=content(), headers=headers, timeout=120).status_code
                    assert status in (200, 413, 422, 429, 503), status
                site.upload()
        return site.settle()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "bad lines": lambda: gzip.compress(b"x\n" * (7 << 20)),
    "a bomb": lambda: gzip.compress(b"0" * (256 << 20)),
    "depth": lambda: b'{"id":' + b"[" * 1_000_000,
    "a long number": lambda: b'{"id":"a","value":' + b"9" * 4_000_000 + b"}\n",
    "a line without end": lambda: b'{"id":"' + b"a" * (8 << 20),
    "zeros": lambda: b"\0" * (4 << 20),
    "costly lines": lambda: b"".join(
        json.dumps({"id": f"E0001-Q{query:03d}", "output": "[" + "[]," * 100_000 + "NaN]"}).encode() + b"\n"
        for query in range(1, 13)
    ),
}


def hostile_models(folder: Path, rounds: int, rng: random.Random) -> Outcome:
    """Register GGUF headers made to fill the memory or to take endless time, and truncated files."""
    with DisturbedSite(folder, rng=rng) as site:
        (folder / "models").mkdir(exist_ok=True)
        for name, content in HEADERS.items():
            (folder / f"models/{name}.gguf").write_bytes(content)
        for _ in range(rounds):
            started = time.monotonic()
            site.shell(REGISTER)
            site.outcome.slowest_s = max(site.outcome.slowest_s, time.monotonic() - started)
        return site.settle()


def _header(pairs: int, body: bytes, *, tensors: int = 1) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, pairs) + body


def _text(text: bytes) -> bytes:
    return struct.pack("<Q", len(text)) + text


_ARRAY_OF_BYTES, _ARRAY_OF_ARRAYS, _TEXT = 0, 9, 8
HEADERS: dict[str, bytes] = {
    "array-of-2-60": _header(1, _text(b"a") + struct.pack("<IIQ", 9, _ARRAY_OF_BYTES, 1 << 60)),
    "text-of-2-60": _header(1, _text(b"a") + struct.pack("<IQ", _TEXT, 1 << 60)),
    "pairs-of-2-60": _header(1 << 60, b""),
    "tensors-of-2-60": _header(0, b"", tensors=1 << 60),
    "many-small-values": _header(
        3_000_000, b"".join(_text(b"%d" % number) + struct.pack("<IB", 0, 1) for number in range(3_000_000))
    ),
    "nested-arrays": _header(
        1, _text(b"a") + struct.pack("<I", 9) + struct.pack("<IQ", _ARRAY_OF_ARRAYS, 1) * 100_000
    ),
    "cut": _header(5, _text(b"general.name")[:9]),
}

SCENARIOS = (
    Scenario("workers killed in mid-grade", (), killed_while(upload)),
    Scenario("workers killed in mid-freeze", (), killed_while(DisturbedSite.draft)),
    Scenario("workers killed in mid-run", ("llama",), killed_while(_run_a_model)),
    Scenario("Redis killed and restarted within 2 s of uploads", ("redis",), redis_restarts),
    Scenario("PostgreSQL stopped for 1 to 3 s", ("postgres",), database_away),
    Scenario("a bucket that answers nothing for 8 s", (), bucket_hangs),
    Scenario("200 slow sockets", (), slow_sockets),
    Scenario("files made to stop the site", (), hostile_uploads),
    Scenario("GGUF headers made to stop the site", (), hostile_models),
)


def outcome_of(scenario: Scenario, rounds: int, seed: int) -> Outcome:
    """Cause a fault in a folder of its own.

    Args:
        scenario: The fault.
        rounds: How often it is caused.
        seed: Seed of the random moments.
    """
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        return scenario.run(Path(folder), rounds, random.Random(seed))
