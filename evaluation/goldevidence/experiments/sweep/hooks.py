"""Callbacks of a running sweep, and its result."""

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
    on_cell: Progress | None = None  # finished cells, all cells
    on_row: Callable[[Cell, RowResult], None] | None = None  # rows of adapters
    should_stop: ShouldStop | None = None


NO_HOOKS = Hooks()


@dataclass(slots=True)
class Sweep:
    """Result of a sweep. `reused` counts the runs of an earlier call. A stopped or paused sweep can be continued."""

    total: int
    runs: list[Run] = field(default_factory=list)
    reused: int = 0
    stopped: bool = False
    paused: bool = False
    pause_reason: str = ""

    def stops(self, should_stop: ShouldStop | None) -> bool:
        """True if a stop is requested now or was requested before."""
        self.stopped = self.stopped or (should_stop is not None and should_stop())
        return self.stopped

    @property
    def is_done(self) -> bool:
        return len(self.runs) == self.total
