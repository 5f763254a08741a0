"""A bench: the standard measurements of a suite over one system, as one job.

A suite names its benches in `Suite.bench` (`module:attribute`); most have none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from evaluation.core.suite.suite import Suite

if TYPE_CHECKING:
    from evaluation.core.pages.document import Document


class OfferedSize(NamedTuple):
    """A size to choose, with its extent in words."""

    name: str
    help: str


class OfferedPart(NamedTuple):
    """A part of a bench."""

    name: str
    title: str
    help: str


class OfferedBar(NamedTuple):
    name: str
    part: str
    help: str
    threshold: float
    at_least: bool


@dataclass(frozen=True, slots=True)
class BenchOrder:
    """The system to measure and the extent."""

    name: str  # for tables and folders; a deterministic system's own name
    size: str
    adapter: str = ""  # empty: a deterministic system
    settings: Mapping[str, str] = field(default_factory=dict)
    #: Texts of the settings that belong to this machine (a folder, a URL) -> their replacement in files.
    aliases: Mapping[str, str] = field(default_factory=dict)
    seeds: int = 0  # 0: as many as the size has
    parts: Sequence[str] = ()  # empty: all that suit the system
    bars: Mapping[str, float] = field(default_factory=dict)  # thresholds to override, by name


class PlannedPart(NamedTuple):
    name: str
    title: str
    cells: int
    rows: int


class BenchPace(NamedTuple):
    """Estimated duration and its basis."""

    seconds: float
    rows: int
    calibration_rows: int
    calibration_s: float


class BenchProgress(NamedTuple):
    """Progress of a bench. `cells`: part -> (done, all). The other fields describe the current cell, if any."""

    cells: Mapping[str, tuple[int, int]]
    cell: str = ""
    row: int = 0
    rows: int = 0
    answered: int = 0  # rows since the last start


@dataclass(frozen=True, slots=True)
class BenchHooks:
    """Callbacks of a running bench; their exceptions are not handled."""

    on_progress: Callable[[BenchProgress], None]
    should_stop: Callable[[], bool]


class BenchResult(NamedTuple):
    """The result. `bars`: each as JSON, with `value`, `low`, `high`, `reached` and `verdict`."""

    report: Document
    bars: Sequence[Mapping[str, object]]
    finished: bool
    paused: bool
    pause_reason: str


class Benches(Protocol):
    """The benches of a suite."""

    @property
    def sizes(self) -> Sequence[OfferedSize]:
        """The sizes, smallest first."""

    @property
    def default_size(self) -> str:
        """Name of the default size."""

    def parts(self, adapter: str) -> Sequence[OfferedPart]:
        """The parts that suit a system.

        Args:
            adapter: Name of its adapter; empty for a deterministic system.
        """

    @property
    def bars(self) -> Sequence[OfferedBar]:
        """The thresholds."""

    def plan(self, order: BenchOrder) -> list[PlannedPart]:
        """The extent of each part, computed in milliseconds.

        Args:
            order: The system and the extent.

        Raises:
            BenchmarkError: The order is impossible.
        """

    def pace(self, order: BenchOrder, should_stop: Callable[[], bool]) -> BenchPace:
        """Estimate the duration from a few rows of each part.

        Args:
            order: The system and the extent.
            should_stop: Asked between rows.

        Raises:
            BenchmarkError: The order is impossible, or the system does not work.
        """

    def run(
        self,
        order: BenchOrder,
        folder: Path,
        hooks: BenchHooks,
        *,
        go_on: bool = False,
        transcripts: str = "full",
    ) -> BenchResult:
        """Run the cells that are not done yet, and report. A stop or a pause is not an error; another call continues.

        Args:
            order: The system and the extent.
            folder: For all output, and to continue a stopped run from.
            hooks: Callbacks.
            go_on: Count rows without an answer as wrong instead of pausing.
            transcripts: How much of a model's replies to keep: `full`, `lengths` or `off`.

        Raises:
            BenchmarkError: The order is impossible, or the system does not work.
        """

    def command(self, order: BenchOrder) -> str:
        """The same run as a shell command."""

    def files(self, folder: Path) -> Sequence[Path]:
        """The files of a run's folder worth keeping; the others can be made again from the settings."""


def benches_of(suite: Suite) -> Benches | None:
    """The benches of a suite, or None."""
    if not suite.bench:
        return None
    module, _, attribute = suite.bench.partition(":")
    benches: Benches = getattr(import_module(module), attribute)
    return benches
