"""A bench: the standard measurements of a suite over one system, as one job. A suite that has some offers it here.

A suite names the object in `Suite.bench` (`module:attribute`): most have none.
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
    """How much may be asked: what it is called, and what it comes to, in words."""

    name: str
    help: str


class OfferedPart(NamedTuple):
    """A part of a bench."""

    name: str
    title: str
    help: str


class OfferedBar(NamedTuple):
    """What a system has to reach: a rate of one part, at least or at most."""

    name: str
    part: str
    help: str
    threshold: float
    at_least: bool


@dataclass(frozen=True, slots=True)
class BenchOrder:
    """Who is asked, and how much."""

    name: str  # stands in tables and folders; of a deterministic system its own
    size: str
    adapter: str = ""  # empty: a deterministic system
    settings: Mapping[str, str] = field(default_factory=dict)
    #: Texts of the settings that belong to this machine (a folder, an address) -> what files say in their place.
    aliases: Mapping[str, str] = field(default_factory=dict)
    seeds: int = 0  # 0: those of the size
    parts: Sequence[str] = ()  # empty: all that the system can be asked
    bars: Mapping[str, float] = field(default_factory=dict)  # other thresholds, by name


class PlannedPart(NamedTuple):
    """How much a part comes to."""

    name: str
    title: str
    cells: int
    rows: int


class BenchPace(NamedTuple):
    """How long a bench takes, and what that was calculated from."""

    seconds: float
    rows: int
    calibration_rows: int
    calibration_s: float


class BenchProgress(NamedTuple):
    """How far a bench is. `cells`: part -> (done, all). The rest is of the cell at hand, empty where none answers."""

    cells: Mapping[str, tuple[int, int]]
    cell: str = ""
    row: int = 0
    rows: int = 0
    answered: int = 0  # rows since it was last started


@dataclass(frozen=True, slots=True)
class BenchHooks:
    """What a caller is told and asked while a bench runs; either may raise nothing that is to be kept."""

    on_progress: Callable[[BenchProgress], None]
    should_stop: Callable[[], bool]


class BenchResult(NamedTuple):
    """What came of it. `bars`: each as JSON, with `value`, `low`, `high`, `reached` and `verdict`."""

    report: Document
    bars: Sequence[Mapping[str, object]]
    finished: bool
    paused: bool
    pause_reason: str


class Benches(Protocol):
    """The benches of a suite."""

    @property
    def sizes(self) -> Sequence[OfferedSize]:
        """How much may be asked, the least first."""

    @property
    def default_size(self) -> str:
        """The name of the one that is meant where none is named."""

    def parts(self, adapter: str) -> Sequence[OfferedPart]:
        """What a system may be asked.

        Args:
            adapter: What runs it; empty for a deterministic one.
        """

    @property
    def bars(self) -> Sequence[OfferedBar]:
        """What a system is judged by."""

    def plan(self, order: BenchOrder) -> list[PlannedPart]:
        """What is asked, part by part, which takes some milliseconds.

        Args:
            order: What is to be run.

        Raises:
            BenchmarkError: It cannot be run so.
        """

    def pace(self, order: BenchOrder, should_stop: Callable[[], bool]) -> BenchPace:
        """How long it takes, from a few rows of each part.

        Args:
            order: What is to be run.
            should_stop: Asked between rows.

        Raises:
            BenchmarkError: It cannot be run so, or the system does not work.
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
        """Run what is not done yet, and report. A stop or a pause is no error; another call goes on.

        Args:
            order: What is to be run.
            folder: Where everything is written, and where a stopped one lies.
            hooks: What the caller is told and asked.
            go_on: Whether rows without an answer count as wrong and pause nothing.
            transcripts: What is kept of a model's replies: `full`, `lengths` or `off`.

        Raises:
            BenchmarkError: It cannot be run so, or the system does not work.
        """

    def command(self, order: BenchOrder) -> str:
        """What does the same from a shell.

        Args:
            order: What is to be run.
        """

    def files(self, folder: Path) -> Sequence[Path]:
        """The files of a folder that are worth keeping: those left out follow from the settings.

        Args:
            folder: Of `run`.
        """


def benches_of(suite: Suite) -> Benches | None:
    """The benches of a suite.

    Args:
        suite: Any suite.

    Returns:
        None where it has none.
    """
    if not suite.bench:
        return None
    module, _, attribute = suite.bench.partition(":")
    benches: Benches = getattr(import_module(module), attribute)
    return benches
