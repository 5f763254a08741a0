"""Protocols of the modules with which a suite implements `generate`, `run` and `grade`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from evaluation.core.files.flat import Encoded
    from evaluation.core.report import Report


class Generated(NamedTuple):
    """Rows that the command `generate` writes."""

    groups: Iterable[Encoded]
    noun: Sequence[str]  # singular and plural
    of: str = ""  # text after their number
    total: int | None = None  # number of groups


class Answering(NamedTuple):
    out: Path | str
    predictions: Iterable[Mapping[str, object]]
    written: Callable[[int], Any]  # called with the number of lines written


class Generator(Protocol):
    """Module that implements the command `generate` for a suite."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the suite's options, including `--out`."""

    def generated(self, args: argparse.Namespace) -> Generated:
        """Generate the rows that the command writes."""


class Runner(Protocol):
    """Module that implements the command `run` for a suite."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the suite's options, including `--data` and `--out`."""

    def answering(self, args: argparse.Namespace) -> Iterable[Answering]:
        """Yield a system for each output file. The next system is requested after a file is written."""


class Grader(Protocol):
    """Module that implements the command `grade` for a suite."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the suite's options, including `--data`, `--pred` and `--results-json`."""

    def grade(
        self,
        data: str,
        documents: str,
        predictions: str,
        args: argparse.Namespace,
        only: Collection[str] | None = None,
    ) -> tuple[Report, list[Mapping[str, object]]]:
        """Grade a predictions file. Returns the report, and statistics of the artifacts if systems build them.

        If `documents` is empty, the documents file beside `data` is used. `only` has the ids of the rows to grade; None
        grades all rows. Raises RowError at the first unusable line.
        """

    def results(self, args: argparse.Namespace) -> Mapping[str, object] | None:
        """Return what to write to the file `--results-json`; None writes the report."""

    def print_report(self, report: Report, args: argparse.Namespace) -> None:
        """Print the metrics of a report."""
