"""Makes the shipped runs: each system over each of its versions, row by row, resumable."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from evaluation.adapters import load_adapter, runner
from evaluation.adapters.base import ShouldStop
from evaluation.adapters.estimate import Estimate, duration, estimate
from evaluation.adapters.kinds import get_kind, reading
from evaluation.adapters.llama import model_file
from evaluation.adapters.prompt_sets import part_of_identity
from evaluation.adapters.run_files import RunFiles, begun_by
from evaluation.core import jsonl
from evaluation.core.records import Row
from evaluation.core.row_states import counted
from leaderboard.benchmarks import freezing
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.rows import reading as frozen
from leaderboard.runs import execution, provenance
from leaderboard.runs.catalogue import ADAPTER_PREFIX, SettingValue
from leaderboard.runs.models import Run
from leaderboard.runs.shipped import SYSTEMS, ShippedSystem, folders
from leaderboard.runs.shipped.folders import FolderError, ShippedRun

#: Seconds between two lines of progress.
EVERY_S = 20.0
#: Name of the predictions until they are compressed at the end.
WORKING = "predictions.jsonl"
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Job:
    system: ShippedSystem
    suite: str
    preset: str

    def __str__(self) -> str:
        return f"{self.system.slug} over {self.suite}/{self.preset}"


class Stopped(Exception):
    """A stop was requested; answered rows are saved."""


def jobs(systems: tuple[str, ...] = (), presets: tuple[str, ...] = ()) -> list[Job]:
    """The runs to make, for these systems and presets; empty: all."""
    every = (Job(system, *version) for system in SYSTEMS for version in system.versions())
    return [
        job
        for job in every
        if (not systems or job.system.slug in systems) and (not presets or job.preset in presets)
    ]


def make(
    job: Job,
    root: Path,
    model: Path,
    *,
    tell: Tell,
    should_stop: ShouldStop,
    limit: int | None = None,
    machine: Mapping[str, SettingValue] = MappingProxyType({}),
) -> bool:
    """Make a run, unless it already exists. Returns True if this call made it.

    Args:
        limit: Maximum number of questions, for a trial; None: all.
        machine: Settings that affect only speed; they appear in the provenance.

    Raises:
        Stopped: `should_stop` returned True.
        BenchmarkError: The system cannot answer these rows.
    """
    version = freezing.rehearse(job.suite, job.preset, store=True)
    folder = folders.folder_of(root, job.system.slug, job.suite, job.preset)
    known = _asked(job, model, limit)
    if _is_made(folder, version, known):
        tell(f"{job}: already made, for rows {version.rows_sha256[:12]}")
        return False
    folder.mkdir(parents=True, exist_ok=True)
    (folder / folders.RUN).unlink(missing_ok=True)
    with _adapter(job, model, machine) as adapter:
        rows = {"rows": version.rows_sha256, "documents": version.documents_sha256}
        identity = rows | known | part_of_identity(runner.provenance(adapter))
        summary, usage = _answered(
            job, version, adapter, folder / WORKING, identity, limit, tell, should_stop
        )
    if summary.cancelled:
        raise Stopped
    command = _command(job, machine)
    made = _packed(job, version, folder, identity, summary, usage, command)
    seconds = round(made.provenance["seconds"])
    kilobytes = round(sum(path.stat().st_size for path in folder.iterdir()) / 1024)
    tell(f"{job}: done in {duration(seconds)}, {counted(made.row_states)}, {kilobytes} kB")
    return True


def estimated(job: Job, model: Path, *, should_stop: ShouldStop) -> tuple[int, float, float]:
    """Estimated rows, tokens to evaluate, and seconds of a run, measured on a few rows of each text size."""
    version = freezing.rehearse(job.suite, job.preset, store=True)
    kind, rows = get_kind(job.suite), _questions(version, None)
    told = reading(kind, rows, _protocol(version))
    by_size: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_size[kind.size(row, told).bit_length()].append(row)
    parts: list[Estimate] = []
    with _adapter(job, model, {}) as adapter:
        for some in by_size.values():
            parts.append(estimate(some, adapter, protocol=told, kind=kind, should_stop=should_stop))
    return len(rows), sum(part.evaluated_tokens for part in parts), sum(part.seconds for part in parts)


def _asked(job: Job, model: Path, limit: int | None) -> dict[str, object]:
    """The adapter, settings, model and limit that identify a run besides its rows. A run is repeated if they change."""
    return {
        "adapter": job.system.adapter,
        "settings": dict(job.system.settings),
        "model": model_file.sha256(model),
        "limit": limit,
    }


def _is_made(folder: Path, version: Version, known: Mapping[str, object]) -> bool:
    try:
        made = folders.read(folder)
    except FolderError:
        return False
    return made.answers(version) and all(made.identity.get(name) == value for name, value in known.items())


@contextmanager
def _adapter(job: Job, model: Path, machine: Mapping[str, SettingValue]) -> Iterator[Any]:
    values = {**job.system.settings, **machine, "model": str(model)}
    with closing(
        cast(Any, load_adapter(job.system.adapter, values, get_kind(job.suite).adapters, environment={}))
    ) as adapter:
        yield adapter


def _questions(version: Version, limit: int | None) -> list[Row]:
    rows = frozen.rows_of(version, keep=None)
    return list(islice(get_kind(version.benchmark.suite).questions(map(_without_gold, rows)), limit))


def _without_gold(row: Row) -> Row:
    cast(dict[str, object], row).pop("gold", None)
    return row


def _protocol(version: Version) -> str:
    return execution.protocol_of(Run(version=version))


def _answered(
    job: Job,
    version: Version,
    adapter: Any,
    path: Path,
    identity: Mapping[str, object],
    limit: int | None,
    tell: Tell,
    should_stop: ShouldStop,
) -> tuple[runner.RunSummary, Any]:
    rows, kind = _questions(version, limit), get_kind(job.suite)
    goes_on = dict(begun_by(path)) == dict(identity)
    if not goes_on:
        path.unlink(missing_ok=True)
    with RunFiles(path, identity, resume=goes_on, kind=kind) as files:
        tell(
            f"{job}: rows {version.rows_sha256[:12]}, {len(files.done_ids):,} of {len(rows):,} rows answered"
        )
        summary = files.answer(
            rows,
            adapter,
            protocol=_protocol(version),
            on_row=_Pulse(job, tell),
            should_stop=should_stop,
        )
        return summary, summary.usage + files.usage


class _Pulse:
    """Callback for each row that prints the progress every `EVERY_S`."""

    def __init__(self, job: Job, tell: Tell) -> None:
        self._job, self._tell, self._next = job, tell, time.monotonic() + EVERY_S

    def __call__(self, result: runner.RowResult) -> None:
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + EVERY_S
        left = "" if result.eta_s is None else f", {duration(result.eta_s)} left"
        self._tell(f"{self._job}: {result.done:,} of {result.total:,} rows, {result.rate:.2f} rows/s{left}")


def _command(job: Job, machine: Mapping[str, SettingValue]) -> str:
    chosen = f"--system {job.system.slug} --preset {job.preset}"
    words = [f"--{name} {value}" for name, value in machine.items()]
    return " ".join(["python -m leaderboard.management.shipped make", chosen, *words])


def _packed(
    job: Job,
    version: Version,
    folder: Path,
    identity: dict[str, object],
    summary: runner.RunSummary,
    usage: Any,
    command: str,
) -> ShippedRun:
    working = RunFiles(folder / WORKING, identity, resume=True, kind=get_kind(job.suite))
    working.close()
    transcripts = working.transcripts.pack()
    jsonl.write_parts(folder / folders.PREDICTIONS, ((line,) for _, line in jsonl.lines(folder / WORKING)))
    known = provenance.run_provenance(
        Run(version=version, executor=ADAPTER_PREFIX + job.system.adapter, settings=dict(job.system.settings))
    )
    known["command"] = command
    told = provenance.with_adapter(known, summary.provenance) | {"seconds": round(usage.wall_s, 3)}
    made = ShippedRun(
        system=job.system.slug,
        suite=job.suite,
        preset=job.preset,
        version_sha256=version.sha256,
        rows_sha256=version.rows_sha256,
        documents_sha256=version.documents_sha256,
        predictions_sha256=folders.lines_sha256(folder / folders.PREDICTIONS),
        transcripts_sha256=folders.lines_sha256(transcripts) if transcripts else "",
        rows=summary.asked + summary.skipped,
        row_states=dict(summary.states),
        efficiency=runner.efficiency(usage, summary.asked + summary.skipped),
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        identity=identity,
        provenance=told,
    )
    made.save(folder)
    for path in (working.path, working.journal_path):
        path.unlink(missing_ok=True)
    return made
