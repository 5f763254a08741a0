"""A site under faults: the work it is given meanwhile, and the outcome."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psycopg

from tests.live import DATABASE, LiveSite, kill, wait_for

#: A version that takes a worker some tenths of a second to grade, and an account that may send as much as it likes.
SETUP = """
from django.contrib.auth import get_user_model
from evaluation.core import jsonl
from leaderboard.benchmarks import freezing, storage
from leaderboard.jobs import dispatch
from leaderboard.models import ApiToken, Benchmark, Preset
from django.conf import settings
settings.LEASE_SECONDS = 600  # of this freeze alone, which a busy machine may slow down
dispatch.enqueue = lambda *args: None
values = {"generator": {"episodes": 15, "steps": 80, "queries": 12}, "conditions": [{"k": 4, "order": "shuffle"}]}
benchmark = Benchmark.objects.get(suite="goldevidence")
preset = Preset.objects.create(benchmark=benchmark, name="disturbed", settings=values)
version = freezing.start(preset=preset, open_demo=True, wake_worker=False)
assert freezing.freeze(version.pk)
version.refresh_from_db()
reader = version.suite.systems()["ledger"].build()
jsonl.write(PATH, (reader.predict(row) for row in storage.rows(version.rows_sha256)))
ada = get_user_model().objects.create_superuser("ada", "ada@example.org", "a-long-pass-phrase-1")
print(ApiToken.objects.issue(user=ada, name="t", scopes=["read", "submit"])[1])
"""
DRAFT = """
from leaderboard.benchmarks import freezing
from leaderboard.models import Preset
freezing.start(preset=Preset.objects.get(name="disturbed"), slug=SLUG, wake_worker=False)
"""
#: Submission, status, scores, graded events.
SUBMISSIONS = """
select s.id, s.status,
    (select count(*) from leaderboard_score where submission_id = s.id),
    (select count(*) from leaderboard_event where submission_id = s.id and kind = 'graded')
from leaderboard_submission s
"""
VERSIONS = "select slug, status from leaderboard_version"
RUNS = "select id, status from leaderboard_run"
#: Work that a worker may take now: what was struck twice waits before it is taken again.
DUE = """
select count(*) from leaderboard_{table} where status in ('draft', 'queued')
    and (next_attempt_at is null or next_attempt_at <= current_timestamp)
"""
WAITING, AT_WORK = {"draft", "queued"}, {"freezing", "grading", "running"}
UNDONE = WAITING | AT_WORK
PATIENCE_S = 420  # a piece of work that was struck four times waits five minutes


@dataclass
class Outcome:
    """The outcome of a scenario: pieces of work, faults among them, and what readers saw meanwhile."""

    work: int = 0
    lost: int = 0
    doubled: int = 0
    torn: int = 0
    reads: int = 0
    unanswered: int = 0
    slowest_s: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether nothing was lost, done twice, or left half written."""
        return not (self.lost or self.doubled or self.torn)


class DisturbedSite(LiveSite):
    """A live site with a version and an account; counts the uploads it accepted."""

    def __init__(self, folder: Path, *, rng: random.Random, **options: Any) -> None:
        quotas = ("API_UPLOADS_PER_MINUTE", "SUBMISSIONS_PER_DAY", "SUBMISSIONS_PER_VERSION_PER_DAY")
        limits = dict.fromkeys(quotas, "100000") | {"LEASE_SECONDS": "4", "REAP_SECONDS": "1"}
        super().__init__(folder, **limits | options)
        self.rng = rng
        self.accepted: list[str] = []
        self.drafts: list[str] = []
        self.outcome = Outcome()

    def __enter__(self) -> DisturbedSite:
        super().__enter__()
        path = self.folder / "preds.jsonl"
        self.token = self.shell(SETUP.replace("PATH", repr(str(path)))).splitlines()[-1]
        self.predictions = path.read_bytes()
        return self

    def upload(self, *, seconds: float = 60) -> str:
        """Send the predictions, under one key, until they are accepted, as the command line does."""
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": str(uuid.uuid4())}
        address = f"{self.url}/api/v1/submissions?version=goldevidencebench/disturbed&system=Reader"

        def sent() -> str:
            with contextlib.suppress(httpx2.TransportError):
                answer = httpx2.post(address, content=self.predictions, headers=headers, timeout=30)
                assert answer.status_code in (201, 202, 503), answer.text
                if answer.status_code != 503:
                    return str(answer.json()["id"])
            return ""

        self.accepted.append(wait_for(sent, seconds=seconds, what="an upload to be accepted"))
        return self.accepted[-1]

    def draft(self) -> None:
        """Add a version to be frozen."""
        self.drafts.append(f"draft-{len(self.drafts)}")
        self.shell(DRAFT.replace("SLUG", repr(self.drafts[-1])))

    def query(self, text: str) -> list[tuple[Any, ...]]:
        """Rows of the database, read without Django, which takes seconds to start: a worker is to be caught at work."""
        if url := self.env.get("DATABASE_URL"):
            with psycopg.connect(url) as server:
                return server.execute(text).fetchall()
        with contextlib.closing(sqlite3.connect(self.folder / DATABASE, timeout=20)) as file:
            return file.execute(text).fetchall()

    def statuses(self) -> set[str]:
        """The statuses of all submissions, versions and runs."""
        return {row[1] for text in (SUBMISSIONS, VERSIONS, RUNS) for row in self.query(text)}

    def has_due(self) -> bool:
        return any(self.query(DUE.format(table=table))[0][0] for table in ("submission", "version", "run"))

    def settle(self) -> Outcome:
        """Wait until all accepted work is done, and count missing, double or torn results."""
        self._wait_for_all()
        made = {str(uuid.UUID(str(pk))): counts for pk, *counts in self.query(SUBMISSIONS)}
        ours = [made.get(pk, ["missing", 0, 0]) for pk in self.accepted]
        frozen = dict(self.query(VERSIONS))
        unfrozen = sum(frozen.get(slug) != "frozen" for slug in self.drafts)
        runs = [status for _, status in self.query(RUNS)]
        finished = runs.count("finished")
        self.outcome.work = len(ours) + len(self.drafts) + len(runs)
        self.outcome.lost = sum(status != "graded" for status, *_ in ours) + unfrozen + len(runs) - finished
        self.outcome.doubled = sum(scores > 1 or graded > 1 for _, scores, graded in made.values())
        self.outcome.doubled += max(0, len(made) - len(ours) - finished)
        try:
            self.manage("verify_versions")
        except AssertionError as error:
            self.outcome.torn += str(error).count("BAD")
            self.outcome.notes.append(str(error))
        return self.outcome

    def _wait_for_all(self) -> None:
        """Until all work is done, or none of it was for `PATIENCE_S`."""
        left, since = -1, time.monotonic()
        while (undone := self.undone()) and time.monotonic() - since < PATIENCE_S:
            if undone != left:
                left, since = undone, time.monotonic()
            time.sleep(0.5)

    def undone(self) -> int:
        """Number of pieces of work that wait or are worked on."""
        return sum(row[1] in UNDONE for text in (SUBMISSIONS, VERSIONS, RUNS) for row in self.query(text))

    @contextlib.contextmanager
    def readers(self, count: int = 2) -> Iterator[None]:
        """Readers without an account, who open pages one after another; the longest wait is recorded."""
        over = threading.Event()
        threads = [threading.Thread(target=self._read, args=(over,)) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def _read(self, over: threading.Event) -> None:
        pages = ("/", "/versions/", "/systems/", "/boards/goldevidencebench/disturbed/")
        with httpx2.Client(timeout=60) as client:
            while not over.is_set():
                started = time.monotonic()
                try:
                    answered = client.get(self.url + self.rng.choice(pages)).status_code == 200
                except httpx2.TransportError:
                    answered = False
                self.outcome.slowest_s = max(self.outcome.slowest_s, time.monotonic() - started)
                self.outcome.reads += 1
                self.outcome.unanswered += not answered
                time.sleep(0.05)


def strike(worker: subprocess.Popen[bytes], rng: random.Random) -> bool:
    """`kill -9` a worker's child, or the worker with all its children; whether the worker still runs."""
    children = _children(worker.pid)
    if children and rng.random() < 0.5:
        with contextlib.suppress(ProcessLookupError):
            os.kill(rng.choice(children), signal.SIGKILL)
        return True
    kill(worker)
    return False


def _children(pid: int) -> list[int]:
    """The child processes of a process."""
    with contextlib.suppress(OSError):
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []
