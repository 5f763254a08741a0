"""Work that must not grow out of proportion to its input.

How fast something is stands in `make bench`: a busy machine is no fault of ours. A bound here is ten times and more of
what the work takes, and a small part of what it would take if it read on where it may stop, or grew as the square of
its input.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def soon(most: float) -> Iterator[None]:
    """Fail where the work within runs away.

    Args:
        most: Seconds of this process that it may take.
    """
    started = time.process_time()
    yield
    spent = time.process_time() - started
    assert spent < most, f"took {spent:.1f} s of a processor, and may take {most:g}"
