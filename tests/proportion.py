"""Time limits for work that must not grow out of proportion to its input.

Speed is measured by `make bench`, as tests may run on a busy machine. A limit here is at least ten times what the work
takes, and a small part of what it would take if it read on where it may stop, or grew as the square of its input.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def soon(most: float) -> Iterator[None]:
    """Fail if the work within takes too long.

    Args:
        most: CPU seconds of this process that it may take.
    """
    started = time.process_time()
    yield
    spent = time.process_time() - started
    assert spent < most, f"took {spent:.1f} s of a processor, and may take {most:g}"
