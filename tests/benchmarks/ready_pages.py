"""Anonymous boards of 1,000 systems under 8 readers: stored bytes beside pages rendered for each request.

python -m tests.benchmarks.ready_pages [systems]

The readers run on the server's cores, which lowers its rate. Then the first reader after a write, before and after a
worker rendered ahead; and how often that worker computes and renders while all submissions of a version are graded
again. DATABASE_URL and BROKER_URL select the services of the site.
"""

from __future__ import annotations

import os
import re
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from tests.live import LiveSite, kill

SYSTEMS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
READERS, SECONDS = 8, 5.0
FILL = """
from leaderboard.benchmarks import seeding
from leaderboard.boards.placements import computing
from leaderboard.runs import services as runs
import sys
sys.argv = [""]
from tests.benchmarks.board import fill
seeding.presets("goldevidence")
version = seeding.frozen("goldevidence", "order-bias", tell=lambda text: None)
run = runs.start(version=version, executor="latest_step", started_by=seeding.site_user(), wake_worker=False)
runs.execute(str(run.pk), grade_now=True)
fill(version, {systems}, {systems})
computing.store(version)
print(version.get_board_url())
"""

#: Until the worker's pages are those of now and nothing is on its way.
WAIT = """
import time
from leaderboard.boards import pages_ahead
from leaderboard.models import DuePlacements, Submission
from leaderboard.ready_pages import ahead
deadline = time.time() + 300
while time.time() < deadline:
    busy = DuePlacements.objects.exists() or Submission.objects.pending().exists() or not ahead.origin()
    if not busy and not pages_ahead.plan_overdue():
        break
    time.sleep(0.5)
else:
    raise AssertionError("the worker did not come to rest")
"""
#: A version of 40 short episodes, with copies of one graded file.
SMALL = """
import sys
sys.argv = [""]
from django.contrib.auth import get_user_model
from leaderboard.benchmarks import freezing, seeding
from leaderboard.models import Benchmark, Preset, Score, Submission, System
from leaderboard.runs import services as runs
from tests.leaderboard.conftest import RANKED
preset = Preset.objects.create(
    benchmark=Benchmark.objects.get(suite="goldevidence"), name="small", title="Small",
    settings=dict(generator=RANKED),
)
version = freezing.start(preset=preset, open_demo=True, wake_worker=False)
assert freezing.freeze(version.pk)
version.refresh_from_db()
run = runs.start(version=version, executor="latest_step", started_by=seeding.site_user(), wake_worker=False)
runs.execute(str(run.pk), grade_now=True)
real = Submission.objects.select_related("score").get(version=version, shown=True)
owner = get_user_model().objects.create_user("small")
systems = System.objects.bulk_create(
    System(owner=owner, name=f"small {{n}}", slug=f"small-{{n}}") for n in range({submissions})
)
sent = Submission.objects.bulk_create(
    Submission(
        version=version, system=system, submitter=owner, status="graded", shown=True,
        file_sha256=real.file_sha256, row_count=real.row_count, conditions=real.conditions,
    )
    for system in systems
)
for each in sent:
    score = Score.objects.get(pk=real.score_id)
    score.pk, score.submission = None, each
    score.save()
    Submission.objects.filter(pk=each.pk).update(score=score)
"""


class Reader(threading.Thread):
    """One browser that asks for a page again and again over one connection."""

    def __init__(self, url: str, path: str, headers: str, until: float) -> None:
        super().__init__()
        self._address, self._until = (urlsplit(url).hostname, urlsplit(url).port), until
        self._request = (
            f"GET {path} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\nAccept-Encoding: gzip\r\n{headers}\r\n"
        )
        self.seconds: list[float] = []
        self.status = b""

    def connect(self) -> socket.socket:
        return socket.create_connection(self._address)

    def run(self) -> None:
        with self.connect() as connection:
            stream = connection.makefile("rb")
            while time.monotonic() < self._until:
                started = time.monotonic()
                connection.sendall(self._request.encode())
                self.status, length, closes = stream.readline().split()[1], 0, False
                while (line := stream.readline()) not in (b"\r\n", b""):
                    name, _, value = line.lower().partition(b":")
                    length = int(value) if name == b"content-length" else length
                    closes |= name == b"connection" and value.strip() == b"close"
                stream.read(length)
                self.seconds.append(time.monotonic() - started)
                if closes:
                    return self.run() if time.monotonic() < self._until else None
        return None


def measure(site: LiveSite, what: str, path: str, headers: str = "") -> float:
    """Print and return the requests per second of all readers; print their waiting times."""
    until = time.monotonic() + SECONDS
    readers = [Reader(site.url, path, headers, until) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    waits = sorted(second for reader in readers for second in reader.seconds)
    assert {reader.status for reader in readers} <= {b"200", b"304"}, {reader.status for reader in readers}
    rate = len(waits) / SECONDS
    print(
        f"{what:42} {rate:8.0f} requests/s, median {1000 * statistics.median(waits):6.1f} ms, "
        f"99% within {1000 * waits[int(0.99 * (len(waits) - 1))]:6.1f} ms",
        flush=True,
    )
    return rate


def first_reader(site: LiveSite, path: str, rename: str) -> float:
    """Milliseconds that the first reader after a write waits for a page, once the workers are done."""
    import httpx2

    site.shell(
        f"from leaderboard.models import System; System.objects.filter(slug='system-0').update(name='{rename}')"
    )
    if site.processes[1:]:  # a worker
        site.shell(WAIT)
    with httpx2.Client(base_url=site.url, timeout=60) as client:
        client.get("/docs/")  # the connection is there
        started = time.perf_counter()
        page = client.get(path)
        took = 1000 * (time.perf_counter() - started)
    assert page.status_code == 200
    return took


def measure_first_readers(site: LiveSite, path: str) -> None:
    """Measure first readers without a worker, then with one."""
    without = [first_reader(site, path, f"by nobody {number}") for number in range(5)]
    worker = site.start_worker()
    ahead = [first_reader(site, path, f"by a worker {number}") for number in range(5)]
    print(
        f"first reader after a write: {statistics.median(without):.0f} ms rendered for them, "
        f"{statistics.median(ahead):.0f} ms rendered ahead"
    )
    kill(worker)


def measure_regrades(site: LiveSite, submissions: int) -> None:
    """Grade all submissions of a small version again by a real worker: print how often it computes and renders."""
    site.shell(SMALL.format(submissions=submissions))
    log = site.folder / f"worker{len(site.processes)}.log"
    site.start_worker()
    started = time.perf_counter()
    site.manage("regrade", "--version", "goldevidencebench/small", "--again")
    took = time.perf_counter() - started
    site.shell(WAIT)
    for task, what in (("place_version", "computations of placements"), ("render_pages", "rounds of pages")):
        counts = re.findall(rf"tasks\.{task}\[.*succeeded in .*: (\d+)$", log.read_text(), re.MULTILINE)
        did = [int(count) for count in counts if int(count)]
        print(
            f"{submissions:,} regrades in {took:.0f} s: {len(did)} {what} ({sum(did)} in all), {len(counts)} tasks"
        )


def main() -> None:
    import httpx2

    database, broker = os.environ.get("DATABASE_URL", ""), os.environ.get("BROKER_URL", "")
    site_of = {"database_url": database, "broker_url": broker}
    with tempfile.TemporaryDirectory() as folder, LiveSite(Path(folder), **site_of) as site:
        path = site.shell(FILL.format(systems=SYSTEMS)).splitlines()[-1]
        site.start_web()
        page = httpx2.get(site.url + path)
        print(
            f"{SYSTEMS:,} systems: {len(page.content):,} bytes, {page.text.count('<'):,} tags and ends of tags"
        )
        measure(site, "ready bytes", path)
        measure(site, "the reader has it (304)", path, f"If-None-Match: {page.headers['etag']}\r\n")
        # No cache answers a request with a session: the page is rendered as for a signed-in reader.
        measure(site, "rendered for each request", path, "Cookie: sessionid=nobody\r\n")
        measure_first_readers(site, path)
        measure_regrades(site, SYSTEMS)


if __name__ == "__main__":
    main()
