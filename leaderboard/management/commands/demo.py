"""One command: a populated site with its own workers. Ctrl-C stops everything."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from leaderboard import conformance, runs, seeding
from leaderboard.models import Run, Version

#: What the demo shows, the first on its front page: every deterministic system of the suite runs over each.
VERSIONS = [("goldevidence", "standard"), ("goldevidence", "order-bias"), ("statebench", "quick")]


class Command(BaseCommand):
    help = "Migrate, freeze small versions, grade the deterministic systems, and serve web and workers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument("--no-serve", action="store_true", help="only prepare the data")

    def handle(self, *args: Any, port: int, no_serve: bool, **options: Any) -> None:
        started = time.monotonic()
        self.prepare()
        self.stdout.write(self.style.SUCCESS(f"Ready after {time.monotonic() - started:.0f} s."))
        if not no_serve:
            self.serve(port)

    def prepare(self) -> None:
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        seeding.presets()
        seeding.demo_admin()
        for suite, preset in VERSIONS:
            version = seeding.frozen(suite, preset, tell=self.stdout.write)
            Version.objects.filter(pk=version.pk).update(featured=(suite, preset) == VERSIONS[0])
            self.run_systems(version)
        if conformance.newest_own() is None:
            self.stdout.write("running the conformance vectors …")
            conformance.run()

    def run_systems(self, version: Any) -> None:
        """Run what has not run yet, here and now: the demo opens on a populated board."""
        done = set(version.runs.exclude(status=Run.Status.FAILED).values_list("executor", flat=True))
        for name in runs.demo_executors(version):
            if name not in done:
                self.stdout.write(f"  running {name} on {version}")
                run = runs.start(version=version, executor=name, started_by=seeding.site_user(), ring=False)
                runs.execute(str(run.pk), grade_now=True)

    def serve(self, port: int) -> None:
        environment = {**os.environ, "C_FORCE_ROOT": "1"}  # a demo may run as root in a container; no warning
        processes = [
            subprocess.Popen(command, env=environment, start_new_session=True) for command in _commands(port)
        ]
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _interrupt)
        name, password = seeding.demo_admin()
        self.stdout.write(
            self.style.SUCCESS(f"\n  http://127.0.0.1:{port}/          the board\n")
            + f"  http://127.0.0.1:{port}/admin/    sign in as {name} / {password}\n\n  Ctrl-C stops everything.\n"
        )
        try:
            while all(process.poll() is None for process in processes):
                time.sleep(0.5)
            self.stderr.write("A process ended by itself; stopping the others.")
        except KeyboardInterrupt:
            self.stdout.write("\nStopping …")
        finally:
            _stop(processes)


def _commands(port: int) -> list[list[str]]:
    """The web server, a worker for grading (with the reaper's beat) and one for models."""
    python = [sys.executable, "-m"]
    worker = [
        *python,
        "celery",
        "-A",
        "benchsite",
        "--quiet",
        "worker",
        "--concurrency",
        "1",
        "--loglevel",
        "WARNING",
    ]
    threads = ["--workers", "2", "--threads", "4", "--log-level", "warning", "--bind", f"127.0.0.1:{port}"]
    return [
        [*python, "gunicorn", "benchsite.wsgi", *threads],
        [*worker, "-Q", "grading", "-B", "-n", "grading@%h"],
        [*worker, "-Q", "models", "-n", "models@%h"],
    ]


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _stop(processes: list[subprocess.Popen[bytes]]) -> None:
    """Ask each to end in good order, and make its whole group end where it does not."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + 8
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):  # it ended by itself
                os.killpg(process.pid, signal.SIGKILL)
