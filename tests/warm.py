"""A process that has loaded the site, and forks to become commands of it: `python -m tests.warm`.

Loading takes two seconds, more than most commands of a test take. Each line that comes in is a
list: `run` or `start`, the words of the command, the files for its output and its errors. `run` is answered with the
exit code, `start` with the process id. Each has a process group of its own. WARM names modules of tests to load as
well.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.services import ROOT

#: What a command loads. It is loaded before the fork, and so once for all processes of web servers and workers.
LOADED = {
    "gunicorn": ["benchsite.urls", "gunicorn.app.wsgiapp"],
    "celery": ["celery.bin.worker", "leaderboard.tasks"],
}


class Process:
    """A running command, with the methods of `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._ended = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        return 0 if select.select([self._ended], [], [], 0)[0] else None

    def wait(self, timeout: float) -> None:
        """Wait for its end. Raises subprocess.TimeoutExpired."""
        if not select.select([self._ended], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(str(self.pid), timeout)


class Warm:
    """The loaded process, seen from outside.

    Args:
        env: The environment of all commands.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = dict(env)
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__], cwd=ROOT, env=self.env, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def run(self, words: list[str], out: Path, errors: Path) -> int:
        """Run a command; its exit code. The first word is a script of this repository or a module."""
        return self._answer("run", words, out, errors)

    def start(self, words: list[str], out: Path) -> Process:
        """Start a command that keeps running; its output goes to a file, which exists at once."""
        out.write_bytes(b"")
        return Process(self._answer("start", words, out, out))

    def close(self) -> None:
        """End the process; commands that it started keep running."""
        self._process.kill()
        self._process.communicate()

    def _answer(self, how: str, words: list[str], out: Path, errors: Path) -> int:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([how, words, str(out), str(errors)]) + "\n")
        return int(self._process.stdout.readline())


def _next_command() -> list[str]:
    """Returns in each fork, with the words of its command; ends when the input ends."""
    for line in sys.stdin:
        how, words, out, errors = json.loads(line)
        for name in LOADED.get(words[0], ()):
            importlib.import_module(name)
        if not (pid := os.fork()):
            _attach(out, errors)
            return list(words)
        print(pid if how == "start" else os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    sys.exit()


def _attach(out: str, errors: str) -> None:
    """Give the fork a process group of its own, no input, and files for its output."""
    os.setsid()
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for number, (path, how) in enumerate([(os.devnull, os.O_RDONLY), (out, flags), (errors, flags)]):
        opened = os.open(path, how)
        os.dup2(opened, number)
        os.close(opened)


if __name__ == "__main__":
    import django

    os.fsync = lambda descriptor: (
        None
    )  # what a killed process wrote is there; only a machine that stops loses it
    django.setup()
    for module in os.environ.get("WARM", "").split():
        importlib.import_module(module)
    sys.argv = _next_command()
    if sys.argv[0].endswith(".py"):
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
