"""Makes the predictions of deterministic systems for a part of a sweep. For adapters see `asking`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, cast

from evaluation.core import jsonl
from evaluation.core.row_states import STATE, RowState
from evaluation.core.statistics.efficiency import figures
from evaluation.goldevidence.adapters.within import words_shown
from evaluation.goldevidence.data.answers import NULL_WORD, row_state
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.systems.registry import System


@dataclass(slots=True)
class Answers:
    """The lines of a predictions file, and their cost. Some lines are missing if `stopped` or `paused` is true."""

    lines: list[Mapping[str, object]]
    efficiency: dict[str, float]
    states: dict[str, int]
    provenance: dict[str, object] = field(default_factory=dict)
    stopped: bool = False
    paused: bool = False
    pause_reason: str = ""


def by_rule(system: System, rows: Sequence[EpisodeRow], path: Path) -> Answers:
    started = perf_counter()
    lines: list[Mapping[str, object]] = []
    for row in rows:
        predicted: Any = system.predict(row)
        lines += predicted if isinstance(predicted, list) else [predicted]
    wall = perf_counter() - started
    jsonl.write(path, lines)
    tokens, states = words_shown(rows), Counter(_state(line) for line in lines if "id" in line)
    return Answers(lines, figures(tokens, 1, wall, len(rows)), dict(states))


def _state(line: Mapping[str, object]) -> str:
    """Return the same as `row_state`, with a fast path for answers that have a value."""
    value = line.get("value")
    if isinstance(value, str) and value.strip() not in ("", NULL_WORD) and STATE not in line:
        return RowState.ANSWERED.value
    return row_state(line).value


def as_predictions(lines: Sequence[Mapping[str, object]]) -> dict[str, object]:
    return {cast(str, line["id"]): line for line in lines if "id" in line}
