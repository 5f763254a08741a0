"""Progress bars, shown only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def tracked(items: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """Yield `items` unchanged, with a progress bar labelled `what`. `total`: number of items, None if unknown."""
    if not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, what, total, console=Console(stderr=True))


def counted(rows: Iterable[T]) -> Iterable[T]:
    return _counted(rows) if sys.stderr.isatty() else rows


def _counted(rows: Iterable[T]) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f} rows"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(rows, total=None)
