"""Books that systems built from a log, as the suite's artifacts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.core.files.artifacts import BuildsArtifacts
from evaluation.core.records import GradingRecord
from evaluation.core.suite import Problem, Settings
from evaluation.goldevidence.artifacts.check import problem_of
from evaluation.goldevidence.artifacts.columns import COLUMNS
from evaluation.goldevidence.artifacts.measure import measured
from evaluation.goldevidence.data.ledger import ledger_lines
from evaluation.goldevidence.expected import ledgers_of
from evaluation.goldevidence.protocols import Protocol


class Books(BuildsArtifacts):
    columns = COLUMNS

    def are_built(self, settings: Settings) -> bool:
        return settings.get("protocol") == Protocol.BUILD

    def problem(self, artifact: Any, source: str) -> Problem | None:
        return problem_of(artifact, source)

    def stats(
        self, records: Iterable[GradingRecord], artifacts: Mapping[str, str]
    ) -> list[Mapping[str, object]]:
        """Statistics of each book against the true state, episode by episode."""
        logs = ((name, ledger_lines(text).entries()) for name, text in ledgers_of(records))
        return [measured(name, artifacts[name], log).as_dict() for name, log in logs if name in artifacts]


BUILT = Books()
