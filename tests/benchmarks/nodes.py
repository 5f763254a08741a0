"""Pages of one web node and of two behind the kit's nginx, each node limited to the same share of a core.

python -m tests.benchmarks.nodes [systems]

Runs as root on Linux: control groups limit the nodes, so that readers, nginx, PostgreSQL and Redis have the rest of the
machine. Prints requests per second, waiting times, and the CPU time per request of each part: what a second node adds,
and how many nodes the shared parts could serve.
"""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx2

from tests.benchmarks.ready_pages import FILL, Reader
from tests.benchmarks.workers import computed
from tests.deploy.stack import Node, nginx, wait_for_web
from tests.live import wait_for
from tests.services import PostgresServer, bucket, free_port, redis

SYSTEMS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
#: Cores that a node may use.
SHARE = 0.25
READERS, SECONDS = 8, 20.0
CGROUPS, PERIOD_US = Path("/sys/fs/cgroup"), 20_000
#: No cache answers a request with a session: the page is rendered as for a signed-in reader.
SESSION = "Cookie: sessionid=nobody\r\n"
HEAD = (
    "| pages | nodes | requests/s | median | 99% within | node, ms | nginx, ms | PostgreSQL, ms | Redis, ms |"
)


class TlsReader(Reader):
    """A browser that trusts the stack's certificate."""

    context: ssl.SSLContext

    def connect(self) -> socket.socket:
        return self.context.wrap_socket(super().connect(), server_hostname="localhost")


@contextlib.contextmanager
def started(node: Node) -> Iterator[None]:
    """Run the node's web unit, limited to SHARE cores by a control group of version 1 or 2."""
    is_first = (CGROUPS / "cpu").is_dir()
    group = (CGROUPS / "cpu" if is_first else CGROUPS) / f"benchmark-{node.folder.name}"
    group.mkdir()
    quota = int(SHARE * PERIOD_US)
    if is_first:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(quota))
    else:
        (group / "cpu.max").write_text(f"{quota} {PERIOD_US}")
    members = group / "cgroup.procs"
    try:
        node.start("benchsite-web.service")
        wait_for_web(node.address)
        (top,) = pids(node)
        for pid in (top, *Path(f"/proc/{top}/task/{top}/children").read_text().split()):
            members.write_text(str(pid))
        yield
    finally:
        node.kill()
        wait_for(lambda: not members.read_text(), seconds=30, what="the node to end")
        group.rmdir()


def pids(node: Node) -> list[int]:
    return [process.pid for process in node.processes.values()]


class Stack:
    """PostgreSQL, Redis and a bucket, and two nodes that are set up but not started."""

    def __init__(self, folder: Path, entered: contextlib.ExitStack) -> None:
        self.folder = folder
        self.database = entered.enter_context(PostgresServer())
        broker, self.port = free_port(), free_port()
        self.redis = entered.enter_context(redis(folder, port=broker))
        _, s3 = entered.enter_context(bucket())
        settings = s3 | {
            "SECRET_KEY": "of the benchmark",
            "DATABASE_URL": self.database.url,
            "BROKER_URL": f"redis://127.0.0.1:{broker}/0",
            "CACHE_URL": f"redis://127.0.0.1:{broker}/1",
            "ALLOWED_HOSTS": "localhost,127.0.0.1",
            "SITE_URL": f"https://localhost:{self.port}",  # pages of other addresses are not stored
        }
        self.nodes = [Node(folder / name, settings, web_port=free_port()) for name in ("first", "second")]
        for node in self.nodes:
            node.run("benchsite-setup.service")
        filled = self.nodes[0].manage("shell", "-v", "0", "-c", FILL.format(systems=SYSTEMS))
        self.board = filled.splitlines()[-1]

    def measure(self, count: int) -> None:
        """Start so many nodes and print their lines of the table."""
        nodes, place = self.nodes[:count], self.folder / f"nginx{count}"
        with contextlib.ExitStack() as running:
            url = running.enter_context(nginx(place, [node.web_port for node in nodes], port=self.port))
            for node in nodes:
                running.enter_context(started(node))
            TlsReader.context = ssl.create_default_context(cafile=place / "tls/fullchain.pem")
            parts = [[int((place / "nginx.pid").read_text())], [self.database.pid], [self.redis.pid]]
            parts.insert(0, [pid for node in nodes for pid in pids(node)])
            for what, path, headers in (
                ("a board, stored", self.board, ""),
                ("a board, rendered", self.board, SESSION),
                ("the front page, rendered", "/", SESSION),
            ):
                for _ in range(2 * count):  # every node has answered it
                    httpx2.get(url + path, verify=TlsReader.context, timeout=150)
                print(f"| {what} | {count} | {read(url, path, headers, parts)} |", flush=True)


def read(url: str, path: str, headers: str, parts: Sequence[list[int]]) -> str:
    """Read a page by all readers: requests per second, waiting times, and CPU time per request of each part."""
    before = [computed(part) for part in parts]
    until = time.monotonic() + SECONDS
    readers = [TlsReader(url, path, headers, until) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert {reader.status for reader in readers} == {b"200"}, {reader.status for reader in readers}
    waits = sorted(second for reader in readers for second in reader.seconds)
    times = [statistics.median(waits), waits[int(0.99 * (len(waits) - 1))]]
    spent = [computed(part) - seconds for part, seconds in zip(parts, before, strict=True)]
    cells = [f"{len(waits) / SECONDS:,.1f}", *(f"{1000 * second:,.0f} ms" for second in times)]
    return " | ".join([*cells, *(f"{1000 * seconds / len(waits):.2f}" for seconds in spent)])


def main() -> None:
    if os.getuid():
        print("skipped: needs root, whose control groups limit the nodes")
        return
    with contextlib.ExitStack() as entered:
        folder = Path(entered.enter_context(tempfile.TemporaryDirectory(prefix="nodes-")))
        stack = Stack(folder, entered)
        print(f"{SYSTEMS:,} systems, {SHARE} of a core for each node, {os.cpu_count()} cores\n\n{HEAD}")
        print("| --- |" + " ---: |" * 8, flush=True)
        for count in (1, 2):
            stack.measure(count)
        print(f"\nload {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
