"""Run a system over a version: a deterministic one of the engine, or an adapter with a local model.

A run saves row by row, is cancelled within a row, goes on from its last saved row after a crash, and ends in a
*verified* submission that carries how it was made.
"""

from __future__ import annotations

import logging
import platform
import shlex
import socket
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

import evaluation
from evaluation import jsonl, runner
from evaluation.adapters import ADAPTERS, load_adapter
from evaluation.errors import BenchmarkError
from evaluation.run_files import RunFiles
from leaderboard import leases, storage, submissions
from leaderboard.models import ModelFile, Run, Submission, System, Version

log = logging.getLogger(__name__)
ADAPTER_PREFIX = "adapter:"
MAX_ATTEMPTS = 5
#: Made to fail or to need a model: not part of the demo's boards.
NOT_IN_DEMO = {"dense+latest_step"}


class RunError(Exception):
    """A run cannot be started as asked; the text says why."""


class Cancelled(Exception):
    """Somebody asked the run to stop."""


def executors(version: Version) -> dict[str, str]:
    """What can run over a version without a model: name -> description."""
    return {name: spec.description for name, spec in version.benchmark.engine.systems().items()}


def demo_executors(version: Version) -> list[str]:
    return [name for name in executors(version) if name not in NOT_IN_DEMO]


@transaction.atomic
def start(
    *,
    version: Version,
    executor: str,
    started_by: Any,
    system: System | None = None,
    model_file: ModelFile | None = None,
    values: dict[str, Any] | None = None,
    conditions: list[str] | None = None,
    row_limit: int | None = None,
    ring: bool = True,
) -> Run:
    """Queue a run. Raises RunError where version, executor, model or conditions do not go together."""
    _check(version, executor, model_file, conditions or [])
    run = Run.objects.create(
        version=version,
        system=system or _system(version, executor, model_file, started_by),
        started_by=started_by,
        executor=executor,
        model_file=model_file,
        settings=values or {},
        conditions=conditions or [],
        row_limit=row_limit,
        # A part of the rows is a trial: it is graded for its owner and never shown on a board.
        visibility=Submission.Visibility.PRIVATE if row_limit else Submission.Visibility.PUBLIC,
    )
    if ring:
        ring_for(run)
    return run


def ring_for(run: Run) -> None:
    """Wake a worker once the transaction is through."""
    from leaderboard.tasks import enqueue, execute_run

    transaction.on_commit(lambda: enqueue(execute_run, str(run.pk)))


def _check(version: Version, executor: str, model_file: ModelFile | None, conditions: list[str]) -> None:
    if not version.is_open:
        raise RunError(f"{version} takes no submissions.")
    adapter = executor.removeprefix(ADAPTER_PREFIX)
    known = ADAPTERS if executor.startswith(ADAPTER_PREFIX) else executors(version)
    if adapter not in known:
        raise RunError(f"Unknown system {executor!r}. Known: {', '.join(sorted(known))}.")
    if unknown := sorted(set(conditions) - set(version.conditions)):
        raise RunError(f"{version} has no condition {', '.join(unknown)}.")
    if adapter == "llama_cpp" and model_file is None:
        raise RunError("Choose a model file: llama_cpp needs one.")


def _system(version: Version, executor: str, model_file: ModelFile | None, owner: Any) -> System:
    """The system that a run stands for: one per executor and model file."""
    if executor.startswith(ADAPTER_PREFIX):
        adapter = executor.removeprefix(ADAPTER_PREFIX)
        name = f"{model_file.name} · {adapter}" if model_file else adapter
        known = {"quantization": model_file.quantization} if model_file else {}
        fields = {"kind": System.Kind.LLM if model_file else System.Kind.PIPELINE, **known}
    else:
        spec = version.benchmark.engine.systems()[executor]
        name, fields = spec.name, {"kind": spec.kind, "description": spec.description[:300]}
    found, _ = System.objects.get_or_create(owner=owner, name=name, defaults=fields)
    return found


def cancel(run: Run) -> None:
    """Ask a run to stop; a queued one stops at once, a running one within its row."""
    queued = Run.objects.filter(pk=run.pk, status=Run.Status.QUEUED)
    if not queued.update(status=Run.Status.CANCELLED, finished_at=timezone.now()):
        Run.objects.filter(pk=run.pk, status=Run.Status.RUNNING).update(cancel_requested=True)


@transaction.atomic
def resume(run: Run) -> None:
    """Queue a cancelled or failed run again; it goes on from its last saved row."""
    again = Run.objects.filter(pk=run.pk, status__in=[Run.Status.CANCELLED, Run.Status.FAILED])
    if again.update(
        status=Run.Status.QUEUED, cancel_requested=False, lease_until=None, attempts=0, error="", finished_at=None
    ):
        ring_for(run)


def execute(run_id: str, *, grade_now: bool = False) -> bool:
    """Execute one run. Safe to run twice and to be killed; False where there was nothing to do."""
    active = Run.objects.filter(pk=run_id, status__in=Run.ACTIVE)
    claimed = leases.claim(
        active, status=Run.Status.RUNNING, attempts=leases.one_more(), worker=socket.gethostname()[:100], error=""
    )
    if not claimed:
        return False
    run = Run.objects.select_related("version__benchmark", "system", "model_file").get(pk=run_id)
    Run.objects.filter(pk=run.pk, started_at=None).update(started_at=timezone.now())
    try:
        if run.attempts > MAX_ATTEMPTS:
            raise RunError(f"The worker died {MAX_ATTEMPTS} times in this run; the model may not fit into memory.")
        path = _work(run)
        submission = _submit(run, path)
    except Cancelled:
        _finish(run, Run.Status.CANCELLED)
        return False
    except Exception as error:
        known = isinstance(error, BenchmarkError | RunError | submissions.RejectedError)
        log.log(logging.WARNING if known else logging.ERROR, "run %s failed", run_id, exc_info=not known)
        _finish(run, Run.Status.FAILED, error=str(error) if known else f"An unexpected error: {error}")
        return False
    _finish(run, Run.Status.FINISHED, submission=submission)
    remove_files(run)
    if grade_now:
        submissions.grade(str(submission.pk))
    return True


def _finish(run: Run, status: str, **changes: Any) -> None:
    Run.objects.filter(pk=run.pk).update(
        status=status,
        lease_until=None,
        cancel_requested=False,
        finished_at=timezone.now(),
        provenance=run.provenance,
        efficiency=run.efficiency,
        **changes,
    )


def path_of(run: Run) -> Path:
    """Where a run saves its predictions while it goes on."""
    folder = Path(settings.DATA_DIR) / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{run.pk}.jsonl"


def remove_files(run: Run) -> None:
    for path in path_of(run).parent.glob(f"{run.pk}.*"):
        path.unlink(missing_ok=True)


def _work(run: Run) -> Path:
    """Answer every row; the predictions file."""
    rows = list(_rows(run))
    Run.objects.filter(pk=run.pk).update(progress_total=len(rows))
    run.provenance = {
        "executor": run.executor,
        "settings": run.settings,
        "conditions": run.conditions or list(run.version.conditions),
        "version_sha256": run.version.sha256,
        "engine": evaluation.__version__,
        "commit": commit(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {_processor()}",
        "command": command(run),
    }
    started = time.perf_counter()
    if run.executor.startswith(ADAPTER_PREFIX):
        _run_adapter(run, rows)
    else:
        _run_deterministic(run, rows)
    run.provenance["seconds"] = round(time.perf_counter() - started, 3)
    return path_of(run)


def _rows(run: Run) -> Iterator[dict[str, Any]]:
    """The public rows of the conditions asked for: a run sees what a submitter sees."""
    wanted, kept = set(run.conditions), 0
    conditions = submissions.expected_of(run.version).conditions
    for row in storage.rows(run.version.rows_sha256):
        row.pop("gold", None)
        if wanted and conditions.get(row.get("id", "")) not in wanted:
            continue
        yield row
        kept += 1
        if run.row_limit and kept >= run.row_limit:
            return


class _Watch:
    """Progress, lease and the wish to stop, looked at twice a second."""

    def __init__(self, run: Run) -> None:
        self._run = Run.objects.filter(pk=run.pk)
        self._beat = leases.Beat(run)
        self._next, self._stop = 0.0, False

    def progress(self, done: int, total: int, rate: float) -> None:
        self._beat(done, total)
        if time.monotonic() >= self._next:
            self._run.update(rate=rate)

    def should_stop(self) -> bool:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.5
            self._stop = self._run.filter(cancel_requested=True).exists()
        return self._stop


def _run_deterministic(run: Run, rows: list[dict[str, Any]]) -> None:
    """These take seconds and give the same every time, so a broken run starts anew."""
    engine = run.version.benchmark.engine
    system, watch = engine.systems()[run.executor].build(), _Watch(run)
    started, words = time.perf_counter(), 0
    with open(path_of(run), "wb") as out:
        for done, row in enumerate(rows, 1):
            found = system.predict(row)
            for prediction in found if isinstance(found, list) else [found]:
                out.write(jsonl.dumps(prediction) + b"\n")
            words += sum(_words(text) for reading in engine.readings(row) for _, text in reading.parts)
            watch.progress(done, len(rows), done / (time.perf_counter() - started))
            if watch.should_stop():
                raise Cancelled
    seconds = time.perf_counter() - started
    run.efficiency = {"tokens_per_query": words / len(rows), "wall_s_per_query": seconds / len(rows)}


@lru_cache(maxsize=64)
def _words(text: str) -> int:
    """Whitespace-separated words: the token of a system without a tokenizer."""
    return len(text.split())


def _run_adapter(run: Run, rows: list[dict[str, Any]]) -> None:
    """Row by row with a journal; what an earlier attempt saved is not answered again."""
    adapter_name = run.executor.removeprefix(ADAPTER_PREFIX)
    values = dict(run.settings)
    if run.model_file:
        values["model"] = str(Path(settings.MODELS_DIR) / run.model_file.path)
    watch = _Watch(run)
    adapter = load_adapter(adapter_name, values)
    close: Callable[[], None] = getattr(adapter, "close", lambda: None)
    protocol = "open_book" if run.version.settings.get("protocol") == "open_book" else "closed_book"
    try:
        with RunFiles(path_of(run), {"run": str(run.pk)}, resume=True) as files:

            def save(result: runner.RowResult) -> None:
                files.save(result)
                watch.progress(result.done, result.total, result.rate)

            summary = runner.run(
                rows,
                adapter,
                protocol=protocol,
                on_row=save,
                should_stop=watch.should_stop,
                done_ids=files.done_ids,
            )
            usage, answered = summary.usage + files.usage, summary.answered + summary.skipped
    finally:
        close()
    run.efficiency = runner.efficiency(usage, answered)
    run.provenance |= summary.provenance
    if run.model_file:
        run.provenance["model_sha256"] = run.model_file.sha256
    Run.objects.filter(pk=run.pk).update(progress_done=answered)
    if summary.cancelled:
        raise Cancelled


def _submit(run: Run, path: Path) -> Submission:
    """The finished predictions as a verified submission, once, however often the run was restarted."""
    if run.submission:
        return run.submission
    accepted = submissions.accept(
        run.version, path, file_name=f"{run.system.slug}.jsonl", partial=run.row_limit is not None
    )
    with transaction.atomic():
        submission = submissions.create(
            accepted,
            system=run.system,
            submitter=run.started_by,
            source=Submission.Source.RUN,
            verified=True,
            visibility=run.visibility,
            efficiency=run.efficiency,
            provenance=run.provenance,
        )
        Run.objects.filter(pk=run.pk).update(submission=submission)
    return submission


def command(run: Run) -> str:
    """The command that repeats the run from a shell."""
    version = f"{run.version.benchmark.slug}/{run.version.slug}"
    if not run.executor.startswith(ADAPTER_PREFIX):
        return shlex.join(["manage.py", "run_system", run.executor, version])
    words = ["manage.py", "run_model", version, "--adapter", run.executor.removeprefix(ADAPTER_PREFIX)]
    words += ["--model", run.model_file.path] if run.model_file else []
    for name, value in run.settings.items():
        words += ["--set", f"{name}={value}"]
    return shlex.join(words)


@lru_cache(maxsize=1)
def commit() -> str:
    """The git commit of this checkout; empty outside one."""
    head = Path(settings.BASE_DIR) / ".git" / "HEAD"
    try:
        text = head.read_text().strip()
        return (head.parent / text[5:]).read_text().strip() if text.startswith("ref: ") else text
    except OSError:
        return ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
