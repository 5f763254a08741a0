"""The life of a bench: started, executed by a worker, cancelled, resumed. `execution.py` does the work."""

from __future__ import annotations

import logging
import socket
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from evaluation.core.errors import BenchmarkError
from evaluation.core.pages.stored import document_as_json
from evaluation.core.suite.benches import BenchResult
from evaluation.core.terminal.wording import number_of
from leaderboard.grids import execution, orders
from leaderboard.grids.execution import BenchWatch
from leaderboard.grids.models import Bench, BenchEvent
from leaderboard.grids.orders import BenchError
from leaderboard.jobs import backoff, dispatch, faults, leases
from leaderboard.jobs.querysets import free
from leaderboard.runs import model_files
from leaderboard.runs.execution import Cancelled
from leaderboard.runs.models import ModelFile

log = logging.getLogger(__name__)


@transaction.atomic
def start(
    *,
    suite: str,
    executor: str,
    size: str,
    started_by: Any,
    model_file: ModelFile | None = None,
    values: dict[str, Any] | None = None,
    seeds: int = 0,
    parts: list[str] | None = None,
    thresholds: dict[str, float] | None = None,
) -> Bench:
    """Queue a bench.

    Args:
        suite: The name of the suite whose measurements are made.
        executor: Name of what answers (`adapter:llama_cpp`).
        size: How much is asked, by the suite's name for it.
        started_by: The account that asks for it.
        model_file: For an executor that takes one.
        values: Name of the setting -> value, of those that differ from the default.
        seeds: Other than the size has; 0 for these.
        parts: Names of those to run; None for all that the system can be asked.
        thresholds: Name of a bar -> another threshold.

    Returns:
        The bench.

    Raises:
        BenchError: Its parts do not go together.
        SettingsError: Names every bad setting.
    """
    bench = Bench(
        suite_name=suite,
        executor=executor,
        size=size,
        started_by=started_by,
        model_file=model_file,
        settings=values or {},
        seeds=seeds,
        parts=parts or [],
        thresholds=thresholds or {},
    )
    plan = orders.checked(bench)
    bench.plan = [list(part) for part in plan]
    bench.progress_total = sum(part.cells for part in plan)
    bench.save()
    record(bench, "Queued", actor=started_by)
    enqueue_bench(bench)
    return bench


def enqueue_bench(bench: Bench) -> None:
    """Wake a worker once the transaction is through."""
    dispatch.enqueue_on_commit(bench.task, str(bench.pk))


def record(bench: Bench, what: str, *, actor: Any = None) -> None:
    """Add a line to a bench's history.

    Args:
        bench: The bench.
        what: What happened, cut to 300 characters.
        actor: The account that did it; None for the site itself.
    """
    BenchEvent.objects.create(bench=bench, what=what[:300], actor=actor)


@transaction.atomic
def cancel(bench: Bench, *, actor: Any = None) -> None:
    """Ask a bench to stop. One that nobody works on stops at once, a running one within its row.

    Args:
        bench: The bench.
        actor: The account that asks; None for the site itself.
    """
    rows = Bench.objects.filter(pk=bench.pk)
    idle = rows.filter(free(), status__in=[*Bench.ACTIVE, Bench.Status.PAUSED])
    ended = {"status": Bench.Status.CANCELLED, "cancel_requested": False, "finished_at": timezone.now()}
    if idle.update(**ended, error="", at_hand={}, **leases.RELEASED):
        record(bench, "Cancelled; nobody worked on it", actor=actor)
    elif rows.filter(status=Bench.Status.RUNNING, cancel_requested=False).update(cancel_requested=True):
        record(bench, "Asked to stop", actor=actor)


@transaction.atomic
def resume(bench: Bench, *, actor: Any = None, go_on: bool = False) -> bool:
    """Queue a bench that stopped again: cells that are done are kept, and of the others the rows that are answered.

    Args:
        bench: The bench.
        actor: The account that asks; None for the site itself.
        go_on: Whether rows without an answer stay wrong, and it pauses no more.

    Returns:
        Whether it was queued; False where there is nothing to resume.
    """
    again = Bench.objects.filter(pk=bench.pk, status__in=Bench.RESUMABLE)
    if not again.update(
        **({"go_on": True} if go_on else {}),
        status=Bench.Status.QUEUED,
        cancel_requested=False,
        error="",
        finished_at=None,
        **leases.FRESH,
    ):
        return False
    what = "Queued again; rows without an answer stay wrong" if go_on else "Queued again"
    record(bench, what, actor=actor)
    enqueue_bench(bench)
    return True


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How an attempt ended. `result` is what it has measured, where it measured anything."""

    status: str
    what: str
    error: str = ""
    result: BenchResult | None = None
    files_sha256: str = ""


CANCELLED = "Cancelled; what is answered is saved"


def execute(bench_id: str) -> bool:
    """Execute one bench. Safe to run twice and to be killed.

    Args:
        bench_id: Its primary key.

    Returns:
        Whether it finished here.
    """
    if (lease := _claim(bench_id)) is None:
        return False
    finished = False
    with lease:
        bench = lease.row("model_file")
        outcome = _attempt(bench, BenchWatch(bench, lease))
        leases.reconnect()
        _end(bench, lease, outcome)
        finished = outcome.status == Bench.Status.FINISHED
    if finished:
        execution.remove_folder(bench)
    return finished


@transaction.atomic
def _claim(bench_id: str) -> leases.Lease | None:
    """This worker's lease of the bench, if it is waiting for somebody to work on it."""
    worker, waiting = (
        socket.gethostname()[:100],
        Bench.objects.filter(pk=bench_id, status__in=Bench.ACTIVE),
    )
    lease = leases.claim(waiting, status=Bench.Status.RUNNING, worker=worker, rate=None, at_hand={})
    if lease is not None:
        Bench.objects.filter(pk=bench_id, started_at=None).update(started_at=timezone.now())
        bench = lease.row()
        again = bench.attempts > 1 or bench.faults
        record(bench, f"{'Picked up again' if again else 'Started'} on {worker}{_because(bench)}")
    return lease


def _because(bench: Bench) -> str:
    """Why a bench is picked up again."""
    if bench.attempts > 1:
        return " after its worker died"
    return " after a fault of this site" if bench.faults else ""


def _attempt(bench: Bench, watch: BenchWatch) -> _Outcome:
    """Work until it is finished, cancelled or failed. Every fault ends as a reason that a person can read."""
    try:
        if bench.attempts > backoff.MAX_ATTEMPTS:
            raise BenchError(
                f"The worker died {backoff.MAX_ATTEMPTS} times without getting on, in the course of a day: the "
                "model may be damaged, or need more memory than there is."
            )
        return _ended(bench, watch, execution.answer(bench, watch))
    except leases.LostError:
        raise
    except Cancelled:
        watch.lease.check()
        return _Outcome(Bench.Status.CANCELLED, CANCELLED)
    except (BenchmarkError, BenchError, model_files.ModelFileError) as error:
        reason = model_files.without_folder(str(error))
    except MemoryError:
        reason = (
            "There is not enough memory for this model with these settings. A smaller `context` needs less."
        )
    except Exception as error:
        if reason := faults.passing(error):
            log.warning("bench %s waits: %s", bench.pk, error)
            what = f"Waiting: {reason}; what is answered is saved"
            return _Outcome(Bench.Status.QUEUED, what, error=reason)
        log.exception("bench %s failed", bench.pk)
        reason = model_files.without_folder(f"An unexpected error, which was logged: {error}")
    return _Outcome(Bench.Status.FAILED, f"Failed: {reason}", error=reason)


def _ended(bench: Bench, watch: BenchWatch, result: BenchResult) -> _Outcome:
    """What a result of the engine means for the bench."""
    watch.lease.check()  # who lost it is told to stop: that is nobody's wish
    if result.paused:
        reason = result.pause_reason or "Too many rows hold no answer."
        return _Outcome(Bench.Status.PAUSED, f"Paused: {reason}".partition("\n")[0], reason, result)
    if not result.finished:
        return _Outcome(Bench.Status.CANCELLED, CANCELLED, result=result)
    missed = sum(bar["reached"] is False for bar in result.bars)
    what = f"Finished; {number_of(missed, 'bar')} missed" if missed else "Finished"
    return _Outcome(Bench.Status.FINISHED, what, result=result, files_sha256=execution.kept_files(bench))


@transaction.atomic
def _end(bench: Bench, lease: leases.Lease, outcome: _Outcome) -> None:
    """Write how an attempt ended. Raises leases.LostError where another worker holds the bench by now."""
    if outcome.status == Bench.Status.QUEUED:
        if Bench.objects.filter(pk=bench.pk, cancel_requested=True).exists():
            outcome = _Outcome(Bench.Status.CANCELLED, CANCELLED)
        else:
            record(bench, outcome.what)
            lease.wait(outcome.error)
            return
    record(bench, outcome.what)
    measured: dict[str, Any] = {}
    if outcome.result is not None:
        measured = {
            "report": document_as_json(outcome.result.report),
            "bars": list(outcome.result.bars),
            "files_sha256": outcome.files_sha256,
        }
    lease.release(
        status=outcome.status,
        error=outcome.error,
        cancel_requested=False,
        finished_at=timezone.now(),
        progress_done=bench.progress_done,
        cells=bench.cells,
        at_hand={},
        **measured,
    )
