"""No process is forked while a thread of its parent uses the database."""

from __future__ import annotations

import os
import threading
import time
from unittest.mock import Mock

import pytest

from leaderboard.jobs import forks


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from Python 3.12 on: forking beside a thread
def test_a_fork_waits_until_the_database_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    closed, begun = Mock(close=lambda: told.append("closed")), threading.Event()
    monkeypatch.setattr(forks, "connection", closed)

    def use() -> None:
        with forks.between_forks():
            begun.set()
            time.sleep(0.2)

    thread = threading.Thread(target=use)
    thread.start()
    begun.wait()
    child = os.fork()
    if not child:
        os._exit(0 if told == ["closed"] and not forks._use.locked() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    thread.join()
