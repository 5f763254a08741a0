"""A bench: the standard measurements of a suite for one system, as one job.

A suite names its benches in `Suite.bench` (`module:attribute`); most suites have none.
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
    """A size of the bench that a user can choose."""

    name: str
    help: str


class OfferedPart(NamedTuple):
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
    """A request for a bench: the system, and the size, parts and thresholds of the bench."""

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
    """Estimated duration of a bench, and the number and duration of the rows that were run for the estimate."""

    seconds: float
    rows: int
    calibration_rows: int
    calibration_s: float


class BenchProgress(NamedTuple):
    """Progress of a bench. `cells`: part -> (cells done, all cells). The other fields are about the present cell."""

    cells: Mapping[str, tuple[int, int]]
    cell: str = ""
    row: int = 0
    rows: int = 0
    answered: int = 0  # rows since the last start


@dataclass(frozen=True, slots=True)
class BenchHooks:
    """Callbacks of a running bench. Their exceptions are not handled."""

    on_progress: Callable[[BenchProgress], None]
    should_stop: Callable[[], bool]


class BenchResult(NamedTuple):
    """Result of a bench. `bars`: the thresholds as JSON, with `value`, `low`, `high`, `reached` and `verdict`."""

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
        """The parts that apply to systems of an adapter, or to deterministic systems if `adapter` is empty."""

    @property
    def bars(self) -> Sequence[OfferedBar]:
        """The thresholds that a result is compared with."""

    def plan(self, order: BenchOrder) -> list[PlannedPart]:
        """Count the cells and rows of each part, within milliseconds. Raises BenchmarkError for an impossible order."""

    def pace(self, order: BenchOrder, should_stop: Callable[[], bool]) -> BenchPace:
        """Estimate the duration from a few rows of each part. `should_stop` is called between rows.

        Raises BenchmarkError if the order is impossible, or the system does not work.
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
        """Run the cells that are not done yet, and report. After a stop or a pause, another call continues the run.

        Raises BenchmarkError if the order is impossible, or the system does not work.

        Args:
            folder: Folder for all output; a stopped run is continued from it.
            go_on: Count rows without an answer as wrong instead of pausing.
            transcripts: How much of a model's replies to keep: `full`, `lengths` or `off`.
        """

    def command(self, order: BenchOrder) -> str:
        """Shell command that runs this order."""

    def files(self, folder: Path) -> Sequence[Path]:
        """Files in the folder of a run that should be kept. All other files can be rebuilt from the settings."""


def benches_of(suite: Suite) -> Benches | None:
    """The benches of a suite. Returns None if the suite has no benches."""
    if not suite.bench:
        return None
    module, _, attribute = suite.bench.partition(":")
    benches: Benches = getattr(import_module(module), attribute)
    return benches
