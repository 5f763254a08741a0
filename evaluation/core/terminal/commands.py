"""What a suite says of its own in `generate`, `run` and `grade`: a module each, whose functions are these.

The commands stand once, in `evaluation.cli`. Such a module has a `HELP`, a line, and `configure(parser)`, its options.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from evaluation.core.records import Number

if TYPE_CHECKING:
    from evaluation.core.files.flat import Encoded
    from evaluation.core.report import Report


class Generated(NamedTuple):
    """Rows that `generate` writes."""

    groups: Iterable[Encoded]
    noun: Sequence[str]  # what they are called, one of them and several
    of: str = ""  # what is said behind their number
    total: int | None = None  # how many groups there are


class Answering(NamedTuple):
    """Answers that `run` writes to a file."""

    out: Path | str
    predictions: Iterable[Mapping[str, object]]
    written: Callable[[int], Any]  # called with the number of lines once they are written


class Generator(Protocol):
    """Of `generate`."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Its options, `--out` among them."""

    def generated(self, args: argparse.Namespace) -> Generated:
        """The rows."""


class Runner(Protocol):
    """Of `run`."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Its options, `--data` and `--out` among them."""

    def answering(self, args: argparse.Namespace) -> Iterable[Answering]:
        """One a file, the next one asked for when the one before is written."""


class Grader(Protocol):
    """Of `grade`."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Its options, `--data`, `--pred` and `--results-json` among them."""

    def grade(
        self,
        data: str,
        documents: str,
        predictions: str,
        args: argparse.Namespace,
        only: Collection[str] | None = None,
    ) -> tuple[Report, list[Mapping[str, object]]]:
        """Grade a predictions file.

        Args:
            data: The rows with gold.
            documents: The texts that they name; empty for the file beside them, and where they name none.
            predictions: The predictions.
            args: Those of the command.
            only: The rows that were asked, by id; None for all.

        Returns:
            The report, and of systems that build first what their artifacts hold.

        Raises:
            RowError: At the first line that cannot be used.
        """

    def results(self, args: argparse.Namespace) -> Mapping[str, object] | None:
        """What `--results-json` holds; None for the report itself."""

    def print_report(self, report: Report, args: argparse.Namespace) -> None:
        """Print its figures.

        Args:
            report: What `grade` returned.
            args: Those of the command.
        """


class GraderAtOnce(Grader, Protocol):
    """Of `grade`, for `model` too, which grades what it has written."""

    DEFAULT_RUBRIC: str
    RIGHT: Mapping[str, str]  # figure of an efficiency curve -> the field of a verdict
    TAKES_PART: bool  # whether some of the rows can be graded as if there were no others

    def has_gold(self, row: Mapping[str, object]) -> bool:
        """Whether a row of a data file can be graded. Those that a site hands out cannot."""

    def metrics(self, report: Report) -> dict[str, Number]:
        """The figures of a report under the names that the results of a run have for them."""

    def settings(self, args: argparse.Namespace) -> Mapping[str, object]:
        """How it was graded."""
