"""Faults of a child process, in place of its work. Imports no Django: the process has none."""

from __future__ import annotations

import os
import signal
import time
from typing import Any


def die(*_: Any) -> None:
    """End at once, silently."""
    os.kill(os.getpid(), signal.SIGKILL)


def hang(*_: Any) -> None:
    """Do nothing for a long time."""
    time.sleep(60)
