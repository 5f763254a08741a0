"""Checks and measures the books that systems build (protocol `build`), and defines their columns on boards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.core.files.artifacts import BuildsArtifacts
from evaluation.core.records import GradingRecord
from evaluation.core.suite import Column, Problem, Settings
from evaluation.goldevidence.artifacts.check import problem_of
from evaluation.goldevidence.artifacts.measure import measured
from evaluation.goldevidence.data.ledger import ledger_lines
from evaluation.goldevidence.expected import ledgers_of
from evaluation.goldevidence.protocols import Protocol

SECTION = "Artifacts"


def _column(name: str, label: str, text: str, *, neutral: bool = True, whole: bool = False) -> Column:
    is_share = name.endswith("_share")
    return Column(
        f"artifact_{name}" if name else "artifacts",
        label,
        text,
        better="lower" if is_share and not neutral else "higher",
        format="ratio" if is_share else "count",
        section=SECTION,
        neutral=neutral,
        whole=whole,
    )


#: Columns of a board about artifacts: see `measure.figures`.
COLUMNS: tuple[Column, ...] = (
    _column("", "Artifacts", "Books that the system built, one per episode.", whole=True),
    _column("tokens", "Artifact length", "Words of an artifact, on average."),
    _column("sections", "Artifact sections", "Sections of an artifact, on average."),
    _column("lines", "Ledger lines", "Lines of an artifact's ledger, on average."),
    _column("live_share", "Live lines", "Share of ledger lines valid at the end of the log."),
    _column("dead_share", "Dead lines", "Share of ledger lines that the log supersedes, or that are NOTEs."),
    _column("wrong_share", "Wrong lines", "Share of ledger lines that differ from the log.", neutral=False),
    _column(
        "missing_share",
        "Missing lines",
        "Of the lines that are valid at the end of the log, the share that is missing from the ledger.",
        neutral=False,
    ),
)


class Books(BuildsArtifacts):
    columns = COLUMNS

    def are_built(self, settings: Settings) -> bool:
        return settings.get("protocol") == Protocol.BUILD

    def problem(self, artifact: Any, source: str) -> Problem | None:
        return problem_of(artifact, source)

    def stats(
        self, records: Iterable[GradingRecord], artifacts: Mapping[str, str]
    ) -> list[Mapping[str, object]]:
        """Compare each book with the true state. Returns one entry per episode that has an artifact."""
        logs = ((name, ledger_lines(text).entries()) for name, text in ledgers_of(records))
        return [measured(name, artifacts[name], log).as_dict() for name, log in logs if name in artifacts]


BUILT = Books()
