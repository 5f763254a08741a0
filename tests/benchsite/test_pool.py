"""The pool of a real worker over the folder broker: which of its children is killed makes no difference."""

from __future__ import annotations

import os
import signal

import pytest

from tests.live import LiveSite, wait_for

REAP = "from leaderboard.jobs import dispatch; dispatch.enqueue('reap')"


@pytest.mark.worker
@pytest.mark.xdist_group("live")
def test_work_goes_on_after_idle_children_were_killed(tmp_path):
    with LiveSite(tmp_path) as site:
        worker = site.start_worker(concurrency=2)
        log = tmp_path / "worker0.log"

        def done() -> int:
            return sum("tasks.reap[" in line and "succeeded" in line for line in log.read_text().splitlines())

        wait_for(lambda: done() == 1, seconds=60, what="the worker to be idle")
        for child in _children(worker.pid):
            os.kill(child, signal.SIGKILL)
            before = done()
            site.shell(REAP)
            wait_for(lambda before=before: done() > before, seconds=30, what="work after a child was killed")


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(each) for each in file.read().split()]
