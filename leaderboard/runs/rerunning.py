"""Repeats runs whose contexts were built by an older revision. Their results are withdrawn but stay in histories."""

from __future__ import annotations

from collections.abc import Iterable

from leaderboard.benchmarks.models import Version
from leaderboard.runs import provenance
from leaderboard.runs import services as runs
from leaderboard.runs.catalogue import ADAPTER_PREFIX
from leaderboard.runs.model_job import JobError
from leaderboard.runs.models import Run
from leaderboard.submissions import contexts
from leaderboard.submissions import services as submissions


def outdated(versions: Iterable[Version]) -> list[Run]:
    """Runs with a result that is not withdrawn, whose contexts were built by an older revision; oldest first."""
    standing = Run.objects.filter(version__in=versions, submission__withdrawn_at=None).exclude(
        submission=None
    )
    candidates = standing.select_related("version__benchmark", "system", "submission").defer(
        "version__sample"
    )
    return [run for run in candidates.order_by("created_at") if _is_outdated(run)]


def _is_outdated(run: Run) -> bool:
    built = contexts.contexts(run.version.suite, run.submission.provenance) if run.submission else None
    return built is not None and built.is_outdated


def why_not_here(run: Run) -> str:
    """Why this process cannot repeat the run now; empty if it can."""
    if not run.version.is_open:
        return "its version accepts no more results"
    if run.executor.startswith(ADAPTER_PREFIX):
        return f"it needs its model; run: {provenance.command(run)}"
    return ""


def run_again(old: Run) -> Run:
    """Repeat a run in this process and withdraw the old result. Raises JobError."""
    assert old.submission is not None  # see `outdated`
    new = runs.start(
        version=old.version,
        executor=old.executor,
        started_by=old.started_by,
        system=old.system,
        splits=old.conditions,
        row_limit=old.row_limit,
        declared=True,
        wake_worker=False,
    )
    Run.objects.filter(pk=new.pk).update(visibility=old.submission.visibility)
    runs.execute(str(new.pk), grade_now=True)
    new = Run.objects.select_related("submission__score").get(pk=new.pk)
    if new.submission is None or new.submission.score is None:
        raise JobError(new.error or f"the new run is {new.get_status_display().lower()}")
    submissions.withdraw(old.submission, actor=None)
    return new
