"""Loaded by the workers of some tests (`LiveSite(…, WARM=…)`): each unit of work takes a tenth of a second.

So a worker on a small version can be caught at work, and waits for temporary faults take two seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from leaderboard.benchmarks import freezing
from leaderboard.jobs import backoff, leases

UNIT_S = 0.1


def _slow(call: Callable[..., Any]) -> Callable[..., Any]:
    def slow_call(*args: Any, **named: Any) -> Any:
        if "celery" in sys.argv[0]:
            time.sleep(UNIT_S)
        return call(*args, **named)

    return slow_call


leases.Lease.check = _slow(leases.Lease.check)  # type: ignore[method-assign]
freezing._Pulse.__call__ = _slow(freezing._Pulse.__call__)  # type: ignore[method-assign]
backoff.BACKOFF[0] = timedelta(seconds=2)
