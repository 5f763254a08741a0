"""Servers that tests start: PostgreSQL and Redis in folders of their own, a bucket of moto."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parent.parent
#: Addresses of databases that have the tables of a site.
MIGRATED: set[str] = set()
_NUMBERS = count(1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def listens(port: int) -> bool:
    """Whether a server accepts connections at a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class PostgresServer:
    """An empty database of a server of its own, which can be stopped and started; it ends with the block."""

    def __enter__(self) -> PostgresServer:
        self._folder = tempfile.TemporaryDirectory(prefix="postgres-")
        folder = self._folder.name
        self._account = _unprivileged(Path(folder))
        port, self._data = free_port(), f"{folder}/data"
        self._options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._log = f"{folder}/log"
        self.url = f"postgres://test@127.0.0.1:{port}/postgres"
        words = ["initdb", "-D", self._data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C"]
        _run(words, self._account)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop("immediate")
        self._folder.cleanup()

    def start(self) -> None:
        words = ["pg_ctl", "-D", self._data, "-l", self._log, "-w", "-o", self._options, "start"]
        _run(words, self._account)

    @property
    def pid(self) -> int:
        """The id of the process that starts all others."""
        return int(Path(self._data, "postmaster.pid").read_text().split()[0])

    def stop(self, mode: str = "fast") -> None:
        _run(["pg_ctl", "-D", self._data, "-m", mode, "-w", "stop"], self._account)

    def create(self, name: str, *, of: str) -> str:
        """The address of a new database, a copy of another."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            copy = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
            connection.execute(copy.format(sql.Identifier(name), sql.Identifier(of)))
        return self.url.removesuffix("postgres") + name


@cache
def _server() -> PostgresServer:
    """The server that the sites of this process share."""
    server = PostgresServer()
    atexit.register(server.__exit__)
    return server.__enter__()


@cache
def _template() -> str:
    """The name of a database with the tables of a new site. Copying them takes a fiftieth of migrating."""
    url = _server().create("template", of="template1")
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "DATABASE_URL": url, "DATA_DIR": folder}
        subprocess.run([sys.executable, "manage.py", "migrate", "-v", "0"], cwd=ROOT, env=env, check=True)
    return "template"


@contextmanager
def postgres(*, empty: bool = False) -> Iterator[str]:
    """The address of a database for a new site: TEST_POSTGRES_URL, or one of its own with its tables.

    Args:
        empty: Whether to leave its tables out.
    """
    if given := os.environ.get("TEST_POSTGRES_URL"):
        yield given
        return
    url = _server().create(f"site{next(_NUMBERS)}", of="template1" if empty else _template())
    if not empty:
        MIGRATED.add(url)
    yield url


@contextmanager
def redis(folder: Path, *, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """An empty Redis on 127.0.0.1; its process, which a test may kill."""
    words = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def bucket() -> Iterator[tuple[subprocess.Popen[bytes], dict[str, str]]]:
    """An empty bucket of moto's server: its process, and the settings of a site whose artifacts lie in it."""
    port = free_port()
    words = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    settings = {
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_DEFAULT_REGION": "us-east-1",
        "S3_BUCKET": "artifacts",
        "S3_ENDPOINT": f"http://127.0.0.1:{port}",
    }
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for_port(port)
            client_of(settings).create_bucket(Bucket="artifacts")
            yield server, settings
        finally:
            server.kill()


def client_of(settings: Mapping[str, str]) -> Any:
    """boto3's client of a bucket."""
    import boto3

    return boto3.client(
        "s3", endpoint_url=settings["S3_ENDPOINT"], region_name=settings["AWS_DEFAULT_REGION"],
        aws_access_key_id=settings["AWS_ACCESS_KEY_ID"], aws_secret_access_key=settings["AWS_SECRET_ACCESS_KEY"],
    )  # fmt: skip


def _wait_for_port(port: int, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise AssertionError(f"nothing listens on port {port} after {seconds:.0f} s")


def _unprivileged(folder: Path) -> str | None:
    """The account that runs PostgreSQL if this one is root, after giving it the folder; else None."""
    if os.getuid():
        return None
    shutil.chown(folder, "postgres", "postgres")
    return "postgres"


def _run(words: list[str], account: str | None) -> None:
    done = subprocess.run(words, user=account, cwd="/", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
