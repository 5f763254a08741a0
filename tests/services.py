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


@contextmanager
def postgres() -> Iterator[str]:
    """The address of an empty database: TEST_POSTGRES_URL, or of a server that ends with the block."""
    if given := os.environ.get("TEST_POSTGRES_URL"):
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="postgres-") as folder:
        account = _unprivileged(Path(folder))
        port, data = free_port(), f"{folder}/data"
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        _run(["initdb", "-D", data, "-U", "test", "-A", "trust", "-E", "UTF8", "--locale=C"], account)
        _run(["pg_ctl", "-D", data, "-l", f"{folder}/log", "-w", "-o", options, "start"], account)
        try:
            yield f"postgres://test@127.0.0.1:{port}/postgres"
        finally:
            _run(["pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], account)


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
