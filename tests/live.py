"""A real site for tests: its own data folder, a real web server, real Celery workers, as separate processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx2

from tests import prepared, services
from tests.services import ROOT, free_port
from tests.warm import Process, Warm

DATABASE = "site.sqlite3"  # in the folder of a site without PostgreSQL
#: What migrations and what runs after them may read.
SITE = ("leaderboard/**/*.py", "benchsite/**/*.py", "evaluation/**/*.py")


class LiveSite:
    """`with LiveSite(tmp_path) as site: site.url …`. Every process ends with the block."""

    def __init__(
        self, folder: Path, *, database_url: str = "", broker_url: str = "", **environment: str
    ) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        given = {"DATABASE_URL": database_url, "BROKER_URL": broker_url}
        self.env = {
            **os.environ,
            "DATA_DIR": str(folder),
            "DJANGO_SETTINGS_MODULE": "benchsite.settings",
            "PYTHONPATH": str(ROOT),
            "LEASE_SECONDS": "5",
            "REAP_SECONDS": "2",
            "READY_PAGES_STALE_SECONDS": "0",  # tests write, and look at what strangers see
            **{name: value for name, value in given.items() if value},
            **environment,
        }
        self.processes: list[Process] = []
        self._warm: Warm | None = None

    def __enter__(self) -> LiveSite:
        url = self.env.get("DATABASE_URL")
        if url not in services.MIGRATED:
            self._prepare(DATABASE, "migrate", sources=SITE, anew=bool(url))
        self._prepare("static", "collectstatic", "--noinput", sources=["static/**/*"])
        return self

    def _prepare(self, made: str, *command: str, sources: Sequence[str], anew: bool = False) -> None:
        """Make a file that takes seconds and is the same for every new site once, then copy it.

        Args:
            made: The file or folder that the command makes in the site's folder.
            command: The management command.
            sources: Patterns of the files that it is made of.
            anew: Whether this site makes its own, which is neither copied nor kept.
        """
        here, kept = self.folder / made, prepared.place(made, *sources)
        # An older site has its own, and one with plugins other rows.
        own = anew or here.exists() or self.env["PYTHONPATH"] != str(ROOT)
        if not own and kept.exists():
            prepared.copy(kept, here)
            return
        self.manage(*command, "--verbosity", "0")
        if not own:
            prepared.keep(here, kept)

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            kill(process)
        if self._warm:
            self._warm.close()

    def _loaded(self) -> Warm:
        """The process that has loaded this site, with its present environment."""
        if self._warm and self._warm.env != self.env:
            self._warm.close()
            self._warm = None
        self._warm = self._warm or Warm(self.env)
        return self._warm

    def manage(self, *words: str) -> str:
        """Run a management command; its output. Raises AssertionError with the output if it fails."""
        with tempfile.TemporaryDirectory() as folder:
            out, errors = Path(folder, "out"), Path(folder, "errors")
            code = self._loaded().run(["manage.py", *words], out, errors)
            assert code == 0, out.read_text() + errors.read_text()
            return out.read_text()

    def shell(self, code: str) -> str:
        """Run Python inside the site's Django."""
        return self.manage("shell", "-v", "0", "-c", code).strip()

    def command(
        self, folder: Path, *words: str, given: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run `goldevidencebench …` against this site, in a folder and with a home of its own."""
        home = {"XDG_CONFIG_HOME": str(folder / "config"), "GOLDEVIDENCEBENCH_URL": self.url}
        return subprocess.run(
            [sys.executable, "-m", "evaluation", *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), **home, **variables},
            input=given,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def start_web(self, *options: str) -> None:
        words = [
            "gunicorn",
            "benchsite.wsgi",
            "--worker-class",
            "benchsite.server.BufferingWorker",
            "--workers",
            "2",
            "--threads",
            "8",
            "--bind",
            f"127.0.0.1:{self.port}",
            *options,
        ]
        self._spawn(words, "web.log")
        wait_for(lambda: _answers(self.url), seconds=30, what="the web server")

    def start_worker(
        self, queues: str = "grading,models", *, concurrency: int = 1, **environment: str
    ) -> Process:
        """Start a Celery worker, with the variables in `environment` added."""
        words = [
            "celery",
            "-A",
            "benchsite",
            "worker",
            "-Q",
            queues,
            "--concurrency",
            str(concurrency),
            "--loglevel",
            "INFO",
        ]
        words += ["-n", f"test{len(self.processes)}@%h"]
        return self._spawn(words, f"worker{len(self.processes)}.log", **environment)

    def _spawn(self, words: list[str], log: str, **environment: str) -> Process:
        if environment:
            own = Warm(self.env | environment)
            process = own.start(words, self.folder / log)
            own.close()
        else:
            process = self._loaded().start(words, self.folder / log)
        self.processes.append(process)
        return process


class LiveDemo(LiveSite):
    """A demo started by the command of `make demo` on a free port, with its versions, runs and workers."""

    def __enter__(self) -> LiveDemo:
        self._said = self.folder / "demo.log"
        with open(self._said, "wb") as out:
            self._demo = subprocess.Popen(
                [sys.executable, "manage.py", "demo", "--port", str(self.port)],
                cwd=ROOT, env=self.env, stdout=out, stderr=out,
            )  # fmt: skip
        wait_for(self._is_ready, seconds=900, what="the demo")
        return self

    def _is_ready(self) -> bool:
        assert self._demo.poll() is None, self._said.read_text()
        return "Ctrl-C stops everything" in self._said.read_text() and _answers(self.url)

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._demo.terminate()  # it ends its web server and workers itself
        self._demo.wait(30)


class RunningDemo(LiveSite):
    """A demo that was already running, and keeps running."""

    def __init__(self, folder: Path, url: str) -> None:
        super().__init__(folder)
        self.url = url

    def __enter__(self) -> RunningDemo:
        return self


def kill(process: Process | subprocess.Popen[bytes], number: int = signal.SIGKILL) -> None:
    """Kill a process and all it started."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return
    process.wait(10)


def _answers(url: str) -> bool:
    try:
        return httpx2.get(url, timeout=5).status_code < 500
    except httpx2.TransportError:
        return False


def wait_for(check: Callable[[], Any], *, seconds: float, what: str, every: float = 0.1) -> Any:
    """Poll until `check` returns a true value; that value. Fails with a plain sentence."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if checked := check():
            return checked
        time.sleep(every)
    raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")


def sign_in(page: Any, site: LiveSite, name: str, password: str, *, to: str = "/") -> None:
    """Sign in by the page that site and admin share, and go on to another."""
    page.goto(f"{site.url}/accounts/login/?next={to}")
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill(password)
    page.locator("main button[type=submit]").click()
    page.wait_for_url(f"{site.url}{to}")
