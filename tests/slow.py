"""Which tests are slow, by measurement: `make test TESTS=--durations=0 | tee log`, then `python -m tests.slow log`.

`tests/slow.txt` names files and functions that `make quick` leaves out. A test that takes more than `SLOW_S` is slow
with all its parameters. So is a file whose shared fixtures take longer than that: they are made for whichever test runs
first.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

LIST = Path(__file__).with_name("slow.txt")
SLOW_S = 0.3
_LINE = re.compile(r"([\d.]+)s (setup|call|teardown) +(\S+?)(?:\[.*)?$")


@cache
def named() -> frozenset[str]:
    """The slow files and functions, as pytest names them without parameters."""
    return frozenset(LIST.read_text().split())


def slow_in(lines: Iterable[str]) -> list[str]:
    """The slow files and functions in a log of durations.

    Args:
        lines: Lines of pytest's output with `--durations=0`.
    """
    slow = set[str]()
    for match in filter(None, map(_LINE.match, lines)):
        seconds, phase, name = float(match[1]), match[2], match[3].partition("@")[0]  # without its group
        if seconds > SLOW_S:
            slow.add(name if phase == "call" else name.partition("::")[0])
    return sorted(name for name in slow if "::" not in name or name.partition("::")[0] not in slow)


if __name__ == "__main__":
    LIST.write_text("".join(f"{name}\n" for name in slow_in(Path(sys.argv[1]).read_text().splitlines())))
