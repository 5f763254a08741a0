"""`learner`: a small network trained by the gym chooses the line that answers.

A selector, a gate and an abstainer choose among the lines of a row; a retriever first reduces them to two lines. A rule
then reads the value from the chosen line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from pydantic import Field

from evaluation.adapters.base import Output
from evaluation.adapters.settings import AdapterSettings, TrainedFile
from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence.adapters.rules import answer_from_line, asked
from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.mistakes.record import LineShown, line_shown
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.shown_uids import SHOWN
from evaluation.gym.learners import Learner, get_learner
from evaluation.gym.learners.base import entry_of
from evaluation.gym.learners.network import Network, load

#: Facts of a trained file that go into results. No seeds: one of them draws the tasks that evaluate the loop.
LINEAGE = ("learner", "trained_by", "arm", "rounds", "level", "examples", "families", "gain")


def count_weights(path: str | Path) -> int:
    """Number of weights in a learner's file. Raises BenchmarkError for any other file."""
    _, network, _ = read(path)
    return sum(each.size for each in network.weights)


def read(path: str | Path) -> tuple[Learner, Network, Mapping[str, Any]]:
    """Read a learner, its network, and facts about its training (`LINEAGE`). Raises BenchmarkError for another file."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise BenchmarkError(f"{path}: not a trained learner: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("learner"), str):
        raise BenchmarkError(f"{path}: not a trained learner: the field 'learner' is missing")
    learner = get_learner(data["learner"])
    lineage = {name: data[name] for name in LINEAGE if name in data}
    return learner, load(path, learner.names, learner.name), lineage


class LearnerSettings(AdapterSettings):
    trained: ClassVar[TrainedFile | None] = TrainedFile(
        "learner", "weights", MappingProxyType({}), count_weights, required=True
    )
    weights: str = Field("", description="The file that the gym trained: `model.json` of a loop.")


class LearnerAdapter:
    """A trained learner over ledger lines: the candidates of a row, or all lines of its text."""

    def __init__(self, settings: LearnerSettings) -> None:
        """Load the network. Raises BenchmarkError if no file is named, or the file is not a trained learner."""
        if not settings.weights:
            raise BenchmarkError(
                "learner: name a file trained by the gym with --set weights=FILE (docs/gym.md)"
            )
        try:
            self._learner, self._network, self._lineage = read(settings.weights)
        except OSError as error:
            raise BenchmarkError(f"weights: {settings.weights}: {error.strerror}") from error

    def predict(self, row: EpisodeRow, *, protocol: str) -> Output:
        lines = _lines(row, protocol)
        question = row["question"].partition("\n")[0]
        seen = self._learner.shown(self._network, lines, question)
        chosen = self._learner.chosen(self._network, seen, asked(row).key)
        output = answer_from_line(row, None if chosen is None else entry_of(chosen))
        told = {SHOWN: [line["uid"] for line in seen]} if len(seen) < len(lines) else {}
        return {**output, **told}

    def provenance(self) -> dict[str, object]:
        return {"trained": dict(self._lineage)}


def _lines(row: EpisodeRow, protocol: str) -> list[LineShown]:
    seen = shown(row, protocol)
    remarks = {line["uid"]: line.get("remark") for line in row.get("candidates") or ()}
    return [line_shown(entry, remarks.get(entry.uid)) for entry in seen.entries]


def create_adapter(settings: LearnerSettings) -> LearnerAdapter:
    return LearnerAdapter(settings)
