"""Start a populated demo site with its own workers. Ctrl-C stops it; the next start resumes."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import computing
from leaderboard.conformance import services as conformance
from leaderboard.management import beside
from leaderboard.management.base import SiteCommand
from leaderboard.runs import rerunning
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from leaderboard.runs.shipped import loading
from leaderboard.web import engine


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block on SIGINT and SIGTERM, even if a signal arrives in a destructor."""
    stops = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    before = [(number, signal.signal(number, _interrupt)) for number in stops]
    hook, sys.unraisablehook = sys.unraisablehook, _raise_again
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = hook
        for number, handler in before:
            signal.signal(number, handler)


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _raise_again(ignored: Any) -> None:
    # Python prints and drops an exception in a destructor, so the interrupt is raised again after it.
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
    else:
        sys.__unraisablehook__(ignored)


class Command(SiteCommand):
    help = (
        "Migrate, freeze small versions, grade the deterministic systems, and start web server and workers."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument("--no-serve", action="store_true", help="only prepare the data")

    @interruptible()
    def handle(self, *args: Any, port: int, no_serve: bool, **options: Any) -> None:
        if not no_serve:
            _check_port(port)
        started = time.monotonic()
        try:
            self.prepare()
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped. Finished work is saved; the next start continues from here.", returncode=130
            ) from None
        self.tell(self.style.SUCCESS(f"Ready after {time.monotonic() - started:.0f} s."))
        if not no_serve:
            self.serve(port)

    def prepare(self) -> None:
        self.tell(f"preparing the database and static files in {settings.DATA_DIR} …")
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        seeding.presets()
        seeding.demo_admin()
        with beside.processes() as pool:
            self.tell("building the engine's wheel at the same time …")
            built = pool.submit(build_engine)
            populated = [pool.submit(_populate, version.pk) for version in self.freeze()]
            if not conformance.own_is_current():
                self.tell("running the conformance vectors …")
                conformance.run()
            for each in populated:
                each.result()
            if why := built.result():
                self.tell(f"the engine is not offered for download, because its wheel was not built: {why}")

    def freeze(self) -> Iterator[Version]:
        """Freeze the demo's versions in order and yield each one. Pages list boards in the order of freezing."""
        versions = seeding.demo_versions()  # each with all deterministic systems of its suite
        for number, (suite, preset) in enumerate(versions, 1):
            self.tell(f"version {number} of {len(versions)}")
            version = seeding.frozen(suite, preset, tell=self.tell)
            Version.objects.filter(pk=version.pk).update(featured=number == 1)
            yield version
            seeding.twin_of(version, tell=self.tell)
        for suite, preset in seeding.demo_sealed():
            self.tell("freezing a sealed version with new secret seeds")
            yield seeding.sealed(suite, preset, tell=self.tell)

    def populate(self, version: Version) -> None:
        """Load shipped runs, run the deterministic systems over an open version, and compute ranks."""
        if version.is_open:
            if version.disclosure.is_open:
                loading.load(version, tell=self.tell)
            self.run_systems(version)
            self.run_again(version)
        computing.store(version)

    def run_systems(self, version: Version) -> None:
        """Run the deterministic systems that have no result yet, in this process, so that the demo starts populated."""
        names = runs.demo_executors(version)
        for number, name in enumerate(names, 1):
            earlier = version.runs.filter(executor=name).exclude(status=Run.Status.FAILED).first()
            if earlier is None or earlier.is_active:
                self.tell(f"  [{number}/{len(names)}] {name} over {version}")
                self.run_one(earlier or _started(version, name))

    def run_again(self, version: Version) -> None:
        for run in rerunning.outdated([version]):
            if not rerunning.why_not_here(run):
                self.tell(f"  repeating with contexts of the current revision: {run}")
                rerunning.run_again(run)

    def run_one(self, run: Run) -> None:
        """Execute a run. If this call does not finish it, write why."""
        if not runs.execute(str(run.pk), grade_now=True):
            run.refresh_from_db()
            self.tell(f"      {run.error or 'left to a worker, which takes it within two minutes'}")

    def serve(self, port: int) -> None:
        processes = [
            subprocess.Popen(command, env=_environment(port), start_new_session=True)
            for command in _commands(port)
        ]
        name, password = seeding.demo_admin()
        self.tell(
            self.style.SUCCESS(f"\n  http://127.0.0.1:{port}/          the board\n")
            + f"  http://127.0.0.1:{port}/admin/    sign in as {name} / {password}\n\n  Ctrl-C stops everything.\n"
        )
        try:
            while all(process.poll() is None for process in processes):
                time.sleep(0.5)
            self.stderr.write("A process ended unexpectedly; stopping the others.")
        except KeyboardInterrupt:
            self.stdout.write("\nStopping …")
        finally:
            _stop(processes)


def build_engine() -> str:
    """Build the engine's wheel in a process of the pool. Returns an error message, empty on success."""
    try:
        engine.build()
    except engine.BuildError as error:
        return str(error)
    return ""


def _populate(pk: int) -> None:
    Command().populate(Version.objects.get(pk=pk))


def _started(version: Version, name: str) -> Run:
    return runs.start(version=version, executor=name, started_by=seeding.site_user(), wake_worker=False)


def _check_port(port: int) -> None:
    # Fail before minutes of work, not after.
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(
                f"Port {port} cannot be used ({error.strerror}). If another demo is running, stop it, or choose "
                f"another port: PORT={port + 1} make demo"
            ) from error
        except OverflowError as error:
            raise CommandError(f"Port {port} does not exist: choose a number from 1 to 65535.") from error


#: A demo may run as root, as in a container. No Celery setting silences this warning, which real sites
#: (docs/operations.md) show.
QUIET_ROOT = "ignore:You're running the worker with superuser privileges"


#: Concurrent runs on model servers: they only wait for requests.
SERVER_RUNS = 4


def _commands(port: int) -> list[list[str]]:
    python = [sys.executable, "-m"]
    celery = [sys.executable, "-W", QUIET_ROOT, "-m", "celery", "-A", "benchsite", "--quiet"]
    worker = [*celery, "worker", "--loglevel", "WARNING"]
    alone = ["--concurrency", "1"]
    asking = [*worker, "--concurrency", str(SERVER_RUNS), "-Q", "servers", "-n", "servers@%h"]
    # Without servers, this worker also resumes runs that were started by hand on a server.
    models = "models" if settings.MODEL_SERVERS else "models,servers"
    threads = ["--workers", "2", "--threads", "4", "--worker-class", "benchsite.server.BufferingWorker"]
    threads += ["--log-level", "warning", "--bind", f"127.0.0.1:{port}"]
    return [
        [*python, "gunicorn", "benchsite.wsgi", *threads],
        [*worker, *alone, "-Q", "grading", "-n", "grading@%h"],
        [*worker, *alone, "-Q", models, "-n", "models@%h"],
        *([asking] if settings.MODEL_SERVERS else []),
    ]


def _environment(port: int) -> dict[str, str]:
    """Environment of the demo's processes: the checkout in PYTHONPATH (the site is not installed), and SITE_URL."""
    places = [str(settings.BASE_DIR), os.environ.get("PYTHONPATH", "")]
    address = settings.SITE_URL or f"http://127.0.0.1:{port}"
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places)), "SITE_URL": address}


def _stop(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + 8
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):  # it ended by itself
                os.killpg(process.pid, signal.SIGKILL)
