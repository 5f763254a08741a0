"""What a caller of a sweep is told and asked while it runs, and what it gets at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluation.adapters.base import ShouldStop
from evaluation.goldevidence.experiments.sweep.grid import Cell
from evaluation.goldevidence.experiments.sweep_folder import Run

if TYPE_CHECKING:
    from evaluation.adapters.runner import RowResult
    from evaluation.core.suite import Progress


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a caller is told, and asked, while a sweep runs."""

    on_cell: Progress | None = None  # how many cells are done, and how many there are
    on_row: Callable[[Cell, RowResult], None] | None = None  # of adapters
    should_stop: ShouldStop | None = None


NO_HOOKS = Hooks()


@dataclass(slots=True)
class Sweep:
    """A sweep as a whole. `runs` are those that are done, in the order of the cells; `reused` were there before.

    `stopped`: it was told to. `paused`: a system cannot go on, for `pause_reason`. Either goes on when started again.
    """

    total: int
    runs: list[Run] = field(default_factory=list)
    reused: int = 0
    stopped: bool = False
    paused: bool = False
    pause_reason: str = ""

    def stops(self, should_stop: ShouldStop | None) -> bool:
        """Whether it was told to stop, now or before.

        Args:
            should_stop: Asked now.
        """
        self.stopped = self.stopped or (should_stop is not None and should_stop())
        return self.stopped

    @property
    def is_done(self) -> bool:
        """Whether every cell is."""
        return len(self.runs) == self.total
