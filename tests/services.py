"""Servers that some tests need, started for them: PostgreSQL and Redis in folders of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.live import free_port


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

    def stop(self, mode: str = "fast") -> None:
        _run(["pg_ctl", "-D", self._data, "-m", mode, "-w", "stop"], self._account)


@contextmanager
def postgres() -> Iterator[str]:
    """The address of an empty database: TEST_POSTGRES_URL, or of a server that ends with the block."""
    if given := os.environ.get("TEST_POSTGRES_URL"):
        yield given
        return
    with PostgresServer() as server:
        yield server.url


@contextmanager
def redis(folder: Path, *, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """An empty Redis on 127.0.0.1; its process, which a test may kill."""
    words = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def _unprivileged(folder: Path) -> str | None:
    """PostgreSQL does not run as root: then the account `postgres` gets the folder."""
    if os.getuid():
        return None
    shutil.chown(folder, "postgres", "postgres")
    return "postgres"


def _run(words: list[str], account: str | None) -> None:
    done = subprocess.run(words, user=account, cwd="/", capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
