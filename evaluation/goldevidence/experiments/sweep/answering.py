"""The predictions of a cell: of deterministic code at once, of an adapter row by row, so that a broken cell goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, cast

from evaluation.adapters.base import Adapter, ShouldStop
from evaluation.adapters.kinds import get_kind
from evaluation.adapters.prompt_sets import part_of_identity
from evaluation.adapters.run_files import RunFiles
from evaluation.adapters.runner import OnRow, RowResult, efficiency, provenance, run
from evaluation.adapters.transcripts.record import Keep
from evaluation.core import jsonl
from evaluation.core.records import JsonObject
from evaluation.core.statistics.efficiency import figures
from evaluation.goldevidence.adapters.within import words_shown
from evaluation.goldevidence.data.answers import row_state
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.systems.registry import System

CUT = (
    "truncated_rows"  # in what an adapter says of itself: prompts that its model's context was too short for
)


@dataclass(slots=True)
class Answers:
    """The lines of a predictions file, and what they cost. `stopped` and `paused`: some are missing."""

    lines: list[JsonObject]
    efficiency: dict[str, Any]
    states: dict[str, int]
    provenance: dict[str, Any] = field(default_factory=dict)
    stopped: bool = False
    paused: bool = False
    pause_reason: str = ""


def by_rule(system: System, rows: Sequence[EpisodeRow], path: Path) -> Answers:
    """The answers of a deterministic system, written at once.

    Args:
        system: What answers.
        rows: The questions, as it is handed them.
        path: The predictions file.
    """
    started = perf_counter()
    lines: list[JsonObject] = []
    for row in rows:
        predicted: Any = system.predict(row)
        lines += predicted if isinstance(predicted, list) else [predicted]
    wall = perf_counter() - started
    jsonl.write(path, lines)
    tokens, states = words_shown(rows), Counter(row_state(line).value for line in lines if "id" in line)
    return Answers(lines, figures(tokens, 1, wall, len(rows)), dict(states))


def by_adapter(
    adapter: Adapter,
    rows: Sequence[EpisodeRow],
    path: Path,
    identity: JsonObject,
    *,
    on_row: OnRow | None,
    should_stop: ShouldStop | None,
    go_on: bool,
    keep: Keep,
) -> Answers:
    """The answers of an adapter. Each is saved before the next is asked; those that are there are not asked again.

    Args:
        adapter: What answers.
        rows: The questions, as it is handed them.
        path: The predictions file, beside which journal and transcripts lie.
        identity: What must not have changed since the file was begun.
        on_row: Called with each row that was answered.
        should_stop: Asked between rows and within one.
        go_on: Whether rows without an answer count as wrong and pause nothing.
        keep: What is kept of a model's replies.

    Raises:
        AdapterError: The system breaks its contract.
        BenchmarkError: The file was begun by another.
    """
    told = provenance(adapter)
    kind, whole = get_kind("goldevidence"), dict(identity) | part_of_identity(told)
    with RunFiles(path, whole, resume=True, keep_unanswered=go_on, kind=kind, keep=keep) as files:

        def save(result: RowResult) -> None:
            files.save(result)
            if on_row is not None:
                on_row(result)

        summary = run(
            rows,
            adapter,
            protocol=None,
            kind=kind,
            on_row=save,
            on_artifact=files.save_artifact,
            artifacts=files.artifacts,
            should_stop=should_stop,
            done_ids=files.done_ids,
            done_states=files.states,
            may_pause=not go_on,
            record=keep != Keep.OFF,
        )
    done = not (summary.paused or summary.cancelled)
    if done:
        files.transcripts.pack()
    usage = summary.usage + files.usage
    costs = efficiency(usage, summary.asked + summary.skipped)
    tokens = usage.prompt_tokens + usage.generated_tokens + usage.forced_tokens
    spent = figures(
        tokens or words_shown(rows),
        usage.passes or 1,
        usage.wall_s,
        len(rows),
        usage.prefill_s,
        usage.decode_s,
    )
    lines: list[JsonObject] = list(jsonl.read(path)) if path.stat().st_size else []
    return Answers(
        lines,
        {**costs, **spent},
        dict(summary.states),
        _of_this_cell(summary.provenance, told),
        stopped=summary.cancelled,
        paused=summary.paused,
        pause_reason=summary.pause_reason,
    )


def _of_this_cell(told: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """What an adapter says of itself, its count of shortened prompts without those of the cells before."""
    if not isinstance(cut := told.get(CUT), int):
        return dict(told)
    return {**told, CUT: cut - int(before.get(CUT) or 0)}


def as_predictions(lines: Sequence[JsonObject]) -> dict[str, Any]:
    """The answers among the lines of a predictions file, by the id of their row."""
    return {cast(str, line["id"]): line for line in lines if "id" in line}
