"""Grading and placements with 1, 2 and 4 processes of workers, over PostgreSQL and Redis.

python -m tests.benchmarks.workers [submissions]

Each system sends one file of answers; all are queued, then the workers start. Prints submissions and rows per second
from the first claim to the last grade, the CPU time per submission of the workers and of PostgreSQL (which a busy
machine changes little), and the seconds until the board has placements of all grades.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import psycopg

from tests.live import LiveSite, kill, wait_for
from tests.services import PostgresServer, free_port, redis

SUBMISSIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
PROCESSES = (1, 2, 4)
TICKS = os.sysconf("SC_CLK_TCK")
#: 1,200 rows of 50 episodes, answered once, and the answers sent by as many systems.
SETUP = """
import sys
sys.argv = [""]
from django.contrib.auth import get_user_model
from leaderboard.benchmarks import freezing, seeding
from leaderboard.models import Benchmark, Preset, Submission, System
from leaderboard.runs import services as runs
preset = Preset.objects.create(
    benchmark=Benchmark.objects.get(suite="goldevidence"), name="scaled", title="Scaled",
    settings=dict(generator=dict(episodes=50, steps=200, queries=24)),
)
version = freezing.start(preset=preset, open_demo=True, wake_worker=False)
assert freezing.freeze(version.pk)
version.refresh_from_db()
run = runs.start(version=version, executor="latest_step", started_by=seeding.site_user(), wake_worker=False)
runs.execute(str(run.pk), grade_now=True)
real = Submission.objects.get(version=version)
owner = get_user_model().objects.create_user("many")
systems = System.objects.bulk_create(
    System(owner=owner, name=f"system {{n}}", slug=f"system-{{n}}") for n in range({submissions} - 1)
)
Submission.objects.bulk_create(
    Submission(
        version=version, system=system, submitter=owner, status="graded", verified=True, shown=True,
        file_sha256=real.file_sha256, row_count=real.row_count, conditions=real.conditions,
    )
    for system in systems
)
print(real.row_count)
"""
QUEUE = """
from leaderboard.models import Submission
from leaderboard.submissions.regrading import submissions
for each in Submission.objects.filter(version__slug="scaled"):
    submissions.regrade(each)
"""
PENDING = "select count(*) from leaderboard_submission where status in ('queued', 'grading')"
QUEUED = "select count(*) from leaderboard_submission where status = 'queued'"
DUE = "select count(*) from leaderboard_dueplacements"


def computed(pids: list[int]) -> float:
    """CPU seconds of processes, of their living children, and of those that ended."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ticks += round(TICKS * computed([int(child) for child in children]))
    return ticks / TICKS


def measure(site: LiveSite, postmaster: int, processes: int, rows: int) -> None:
    """Queue everything, start the workers, and print a line of the table."""
    site.shell(QUEUE)
    url = site.env["DATABASE_URL"]
    with psycopg.connect(url, autocommit=True) as database:

        def count(query: str) -> int:
            (found,) = database.execute(query).fetchone() or (0,)
            return int(found)

        assert count(QUEUED) == SUBMISSIONS, "not all are queued"
        worker = site.start_worker("grading", concurrency=processes)
        wait_for(lambda: count(QUEUED) < SUBMISSIONS, seconds=120, what="the workers to begin", every=0.02)
        began, before = time.monotonic(), (computed([worker.pid]), computed([postmaster]))
        wait_for(lambda: not count(PENDING), seconds=900, what="the grades")
        seconds = time.monotonic() - began
        spent = (computed([worker.pid]) - before[0], computed([postmaster]) - before[1])
        wait_for(lambda: not count(DUE), seconds=300, what="the placements")
        behind = time.monotonic() - began - seconds
        kill(worker)
    rate, each = SUBMISSIONS / seconds, [f"{1000 * part / SUBMISSIONS:.0f} ms" for part in spent]
    print(
        f"| {processes} | {rate:.1f} | {rate * rows:,.0f} | {each[0]} | {each[1]} | {behind:.1f} s "
        f"| {os.getloadavg()[0]:.1f} |",
        flush=True,
    )


def main() -> None:
    os.environ.setdefault("SECRET_KEY", "of the benchmark")
    with tempfile.TemporaryDirectory() as name, PostgresServer() as server:
        port, folder = free_port(), Path(name)
        urls = {"database_url": server.url, "broker_url": f"redis://127.0.0.1:{port}/0"}
        site = LiveSite(folder, **urls, CACHE_URL=f"redis://127.0.0.1:{port}/1")
        with redis(folder, port=port), site:
            rows = int(site.shell(SETUP.format(submissions=SUBMISSIONS)).split()[-1])
            print(f"{SUBMISSIONS} submissions of {rows:,} rows on {os.cpu_count()} cores\n")
            print(
                "| processes | submissions/s | rows/s | workers, each | PostgreSQL, each | board after | load |"
            )
            print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
            for processes in PROCESSES:
                measure(site, server.pid, processes, rows)


if __name__ == "__main__":
    main()
