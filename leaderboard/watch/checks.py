"""Checks of an installation: `/readyz` and `/metrics` run READY, `manage.py doctor` runs all.

Each check runs in its own thread with a deadline. A check that hangs counts as failed, and is not started again
until it returns. Problems are public and name no host or path; only `doctor` shows the details.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import redis
from celery import current_app
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import checks as django_checks
from django.core.cache import caches
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, storages
from django.core.mail import get_connection
from django.db import connection, connections
from django.utils import timezone

from leaderboard.benchmarks.models import Version
from leaderboard.jobs import code, keeper, queues
from leaderboard.jobs.leases import HOST
from leaderboard.web import engine
from leaderboard.web.context_processors import mail_goes_out

#: A probe's deadline for all checks together, and the lifetime of the outcome for other callers.
DEADLINE_S, KEEP_S = 3.0, 2.0
#: Deadline of `doctor`, longer because an operator at a terminal can wait.
DOCTOR_DEADLINE_S = 15.0
#: Characters. The sockets of checking processes lie below TMPDIR, and socket paths are limited to 107.
LONGEST_TMPDIR = 60


class ProblemError(Exception):
    """A failed check: the public problem, and a private detail."""

    def __init__(self, problem: str, detail: str = "") -> None:
        super().__init__(problem)
        self.problem, self.detail = problem, detail


@dataclass(frozen=True, slots=True)
class Check:
    """A check: `run` raises ProblemError if it fails; `away` is the problem if `run` hangs or raises another error."""

    name: str
    run: Callable[[], None]
    away: str
    remedy: str
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    check: Check
    problem: str
    detail: str = ""


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _migrations() -> None:
    if problem := code.mismatch():
        raise ProblemError(problem)


def _static() -> None:
    """Raise ProblemError if the manifest of static files, which a process reads at its start, lacks a source file."""
    manifest = getattr(staticfiles_storage, "hashed_files", None)
    if manifest is None:  # served from the source: DEBUG
        return
    source = Path(settings.STATICFILES_DIRS[0])
    files = (path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file())
    if missing := next((name for name in files if name not in manifest), ""):
        raise ProblemError("The collected static files do not match this source.", f"{missing} is missing.")


def _storage() -> None:
    artifacts = storages["artifacts"]
    artifacts.delete(artifacts.save(f"probes/{HOST}-{os.getpid()}", ContentFile(b"probe")))


def _disk() -> None:
    places = [str(settings.DATA_DIR), tempfile.gettempdir()]
    if isinstance(artifacts := storages["artifacts"], FileSystemStorage):
        places.append(str(artifacts.location))
    for place in places:
        if Path(place).exists() and (free := shutil.disk_usage(place).free) < settings.DISK_ROOM_BYTES:
            raise ProblemError("Disk space is low.", f"{place} has {free >> 20} MB left.")


def _temporary() -> None:
    if len(os.fsencode(tempfile.gettempdir())) > LONGEST_TMPDIR:
        raise ProblemError("The path of TMPDIR is too long: uploads fail.", tempfile.gettempdir())


def _broker() -> None:
    with current_app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=int(DEADLINE_S))
        broker.default_channel  # noqa: B018 -- Redis is asked when it is made


def _cache() -> None:
    # Redis directly: our cache answers from memory while Redis is away.
    if settings.CACHE_URL:
        redis.Redis.from_url(settings.CACHE_URL, socket_timeout=1, socket_connect_timeout=1).ping()
        return
    caches["results"].set("probe", HOST, 60)
    if caches["results"].get("probe") is None:
        raise ProblemError("The cache does not return what was written to it.")


def _periodic() -> None:
    if keeper.is_late():
        done = keeper.done_at()
        when = f"for {(timezone.now() - done).total_seconds() / 60:.0f} minutes" if done else "yet"
        raise ProblemError(f"No worker has done the periodic work {when}.")


def _queues() -> None:
    if stuck := [queue.name for queue in queues.lengths() if queue.is_stuck]:
        raise ProblemError(f"Jobs wait in queues without active worker: {', '.join(stuck)}.")


def _old_workers() -> None:
    if worker := code.idle_workers().first():
        raise ProblemError("A worker takes no jobs: its code does not match the database.", str(worker))


def _mail() -> None:
    if mail_goes_out():
        with get_connection(settings.MAIL_BACKEND):
            pass


def _versions() -> None:
    if damaged := Version.objects.readable().exclude(damage="").first():
        raise ProblemError("A frozen version does not match its files.", f"{damaged}: {damaged.damage}")


def _engine() -> None:
    if not engine.is_built():
        raise ProblemError("The engine's wheel is not built: /download/ has none.")


READY: Sequence[Check] = (
    Check("database", _database, "The database does not answer.", "Start it, or correct DATABASE_URL."),
    Check("migrations", _migrations, "The migrations cannot be read.", "See docs/operations.md, Upgrade."),
    Check(
        "static",
        _static,
        "The static files cannot be read.",
        "Run `manage.py collectstatic --noinput` and restart the web server.",
    ),
    Check(
        "storage",
        _storage,
        "Files cannot be stored.",
        "Make the artifacts folder writable, or correct S3_BUCKET, S3_ENDPOINT and the credentials of the bucket.",
    ),
    Check("disk", _disk, "The disks cannot be read.", "Free disk space, or lower DISK_ROOM_BYTES."),
    Check(
        "temporary",
        _temporary,
        "The folder of temporary files cannot be read.",
        f"Set TMPDIR to a folder whose path has at most {LONGEST_TMPDIR} characters.",
    ),
    Check("broker", _broker, "The broker does not answer.", "Start it, or correct BROKER_URL."),
    Check("cache", _cache, "The cache does not answer.", "Start it, or correct CACHE_URL."),
    Check(
        "periodic",
        _periodic,
        "The state of the periodic work cannot be read.",
        "Start a worker: `celery -A benchsite worker -Q grading`.",
    ),
)
MORE: Sequence[Check] = (
    Check("queues", _queues, "The queues cannot be read.", "Start workers of these queues.", is_warning=True),
    Check(
        "workers",
        _old_workers,
        "The reports of workers cannot be read.",
        "Restart the worker with the new code.",
        is_warning=True,
    ),
    Check(
        "mail",
        _mail,
        "The mail server does not answer; mail waits until it does.",
        "Start it, or correct EMAIL_URL.",
        is_warning=True,
    ),
    Check(
        "versions",
        _versions,
        "The versions cannot be read.",
        "Run `manage.py verify_versions --repair`, or restore a backup.",
    ),
    Check("engine", _engine, "The wheel cannot be read.", "Run `manage.py build_engine`.", is_warning=True),
)


def deployment() -> list[Finding]:
    """Problems that Django's `check --deploy` finds: errors and warnings."""
    found = []
    for message in django_checks.run_checks(include_deployment_checks=True):
        if message.level >= django_checks.WARNING and not message.is_silenced():
            is_warning = message.level < django_checks.ERROR
            check = Check(message.id or "deploy", lambda: None, "", message.hint or "", is_warning)
            found.append(Finding(check, str(message.msg)))
    return found


class _Running(threading.Thread):
    """Runs a check in a thread, because clients of databases, buckets and brokers may hang without limit."""

    def __init__(self, check: Check) -> None:
        super().__init__(name=f"check {check.name}", daemon=True)
        self.check = check
        self.finding: Finding | None = Finding(check, check.away, "It hangs.")
        self.start()

    def run(self) -> None:
        try:
            self.check.run()
            self.finding = None
        except ProblemError as error:
            self.finding = Finding(self.check, error.problem, error.detail)
        except Exception as error:
            self.finding = Finding(self.check, self.check.away, f"{type(error).__name__}: {error}")
        finally:
            connections.close_all()


_running: dict[str, _Running] = {}
_lock = threading.Lock()
_latest: tuple[float, dict[str, Finding]] = (float("-inf"), {})


def latest() -> dict[str, Finding]:
    """Findings of the READY checks by name, at most KEEP_S old; concurrent callers share one execution."""
    global _latest
    with _lock:
        if time.monotonic() - _latest[0] > KEEP_S:
            found = {finding.check.name: finding for finding in run(READY, DEADLINE_S)}
            _latest = (time.monotonic(), found)
        return _latest[1]


def run(checks: Sequence[Check], deadline: float) -> list[Finding]:
    """Run checks concurrently and return their findings; `deadline` is in seconds for all together."""
    for check in checks:
        if check.name not in _running or not _running[check.name].is_alive():
            _running[check.name] = _Running(check)
    ends = time.monotonic() + deadline
    for check in checks:
        _running[check.name].join(max(0.0, ends - time.monotonic()))
    findings = (_running[check.name].finding for check in checks)
    return [finding for finding in findings if finding]
