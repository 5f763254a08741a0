"""Grade a submission, for the first time or again. It never becomes a score of 0 by a fault of this site."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from evaluation.core.records import Verdict
from evaluation.core.report import FiguredRows, Report
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.public_rows import in_file_order
from leaderboard.benchmarks.rows import reading
from leaderboard.benchmarks.sealing import seal
from leaderboard.jobs import backoff, dispatch, faults, leases
from leaderboard.submissions import contexts, flags
from leaderboard.submissions.models import Event, Submission
from leaderboard.submissions.services import events, publishing
from leaderboard.submissions.verdicts import files as verdict_files

log = logging.getLogger(__name__)
#: How often a grading is tried that ends with an error of this site.
MAX_ERRORS = 3


def enqueue(submission: Submission) -> None:
    """Wake a worker once the transaction is through."""
    dispatch.enqueue_on_commit("grade_submission", str(submission.pk))


@transaction.atomic
def regrade(submission: Submission, *, actor: Any = None) -> None:
    """Queue a submission to be graded again, for instance by a newer grader. The old score stays.

    Args:
        submission: Whatever came of it before. One that was withdrawn stays off the board.
        actor: The account that asks for it; None: this site.
    """
    if submission.is_mean:  # it has no file: its repeats are graded, and the mean follows
        for member in submission.members.exclude(score=None):
            regrade(member, actor=actor)
        return
    fresh = leases.FRESH | {"status": Submission.Status.QUEUED, "error": ""}
    Submission.objects.filter(pk=submission.pk).update(**fresh)
    for name, value in fresh.items():
        setattr(submission, name, value)
    events.record(submission, Event.Kind.QUEUED, actor=actor, detail="to be graded again")
    enqueue(submission)


def grade(submission_id: str) -> bool:
    """Grade one submission. Safe to run twice and to be killed; False where there was nothing to do."""
    pending = Submission.objects.filter(pk=submission_id, status__in=Submission.PENDING)
    if (lease := leases.claim(pending, status=Submission.Status.GRADING)) is None:
        return False
    with lease:
        submission = lease.row("version__benchmark", "system")
        try:
            return _grade(submission, lease)
        except leases.LostError:
            raise
        except Exception as error:
            _fail_or_wait(submission, lease, error)
    return False


def _grade(submission: Submission, lease: leases.Lease) -> bool:
    if submission.attempts > backoff.MAX_ATTEMPTS:  # a file that ends its worker raises nothing here
        _fail(submission, lease, f"grading it broke off {backoff.MAX_ATTEMPTS} times within a day")
        return False
    started = time.perf_counter()
    report, asked = _report(submission, lease)
    kept = replace(report, rows=_kept_rows(report, submission.version))
    verdicts, measures = _keep_verdicts(kept, submission.version), _measures(submission)
    seconds = time.perf_counter() - started
    publishing.publish_score(
        submission,
        report,
        verdicts=verdicts,
        measures=measures,
        seconds=seconds,
        asked=asked,
        lease=lease,
    )
    raised = flags.inspect(submission)
    lease.release(**({} if raised is None else {"flags": raised}))
    return True


def _report(submission: Submission, lease: leases.Lease) -> tuple[Report, int | None]:
    """The report, and over how many rows it is where these are a part of the version, as a trial's are."""
    version, suite = submission.version, submission.version.suite
    seal.check(version)
    gold = _ticking(storage.rows(version.gold_sha256), version.unit_count, lease)
    asked = _asked(submission) if submission.is_trial else frozenset()
    if asked:
        parts = (suite.record_of_rows(record, asked) for record in gold)
        gold = (part for part in parts if part is not None)
    report = version.bound.grade(gold, storage.rows(submission.file_sha256))
    return report, len(asked) or None


def _asked(submission: Submission) -> frozenset[str]:
    """The ids of the rows that a trial asked: its file has a line of each, answered or not."""
    named = map(submission.version.suite.row_id, storage.rows(submission.file_sha256))
    return frozenset(row_id for row_id in named if row_id is not None)


def _kept_rows(report: Report, version: Version) -> Sequence[Verdict]:
    """The verdicts as they are kept: as the public rows stand, with the figures of their rows.

    Without those of metrics that are of several rates: no row has one of its own.
    """
    rates = [name for name, metric in version.bound.metrics.items() if metric.reducer is None]
    figures = {name: report.row_figures[name] for name in rates if name in report.row_figures}
    figured = FiguredRows(report.rows, figures, lambda row, of_row: row | {"figures": of_row})
    return in_file_order(version, figured)


def _measures(submission: Submission) -> Sequence[Mapping[str, object]]:
    """Measures of a system that this site ran over all rows, beside its answers."""
    run, version = getattr(submission, "run", None), submission.version
    engine = version.suite
    spec = None if run is None or submission.is_trial else engine.systems().get(run.executor)
    unranked = engine.unranked.get(spec.kind) if spec else None
    if spec is None or unranked is None:
        return []
    built = contexts.contexts(engine, submission.provenance)
    if built is not None and built.is_outdated:  # today's contexts are not those that it answered with
        return submission.score.measures if submission.score else []
    return unranked.measure(spec.name, reading.rows_of(version), storage.rows(version.gold_sha256))


def _ticking(records: Iterator[Any], total: int, lease: leases.Lease) -> Iterator[Any]:
    """Pass records on, reporting how many went by. Raises LostError as soon as the lease is lost."""
    for done, item in enumerate(records, 1):
        yield item
        lease.check()
        lease.tell(done, total)


def _keep_verdicts(report: Report, version: Version) -> str:
    return verdict_files.keep(report, version)


def _fail_or_wait(submission: Submission, lease: leases.Lease, error: Exception) -> None:
    """Wait until a fault has passed, try a few times again, or say so. It never becomes a score of 0."""
    if reason := faults.passing(error):
        log.warning("grading submission %s waits: %s", submission.pk, error)
        lease.wait(reason)
        return
    log.error("grading submission %s failed", submission.pk, exc_info=error)
    if isinstance(error, storage.DamagedFileError):
        _fail(submission, lease, f"{error}")
    elif submission.attempts < MAX_ERRORS:
        lease.retry("something on this site failed, which was logged")
    else:
        _fail(submission, lease, "an unexpected error of this site, which was logged")


@transaction.atomic
def _fail(submission: Submission, lease: leases.Lease, reason: str) -> None:
    publishing.hold(submission)
    error = f"The grading failed: {reason}. It does not count against your quota."
    lease.release(status=_settled(submission), error=error)
    events.record(submission, Event.Kind.FAILED, detail=error)
    publishing.choose_shown(submission.version, submission.system)


def _settled(submission: Submission) -> str:
    """The state of a submission that nobody works on: one that was graded before stays so, with its old score."""
    if submission.withdrawn_at:
        return Submission.Status.WITHDRAWN
    return Submission.Status.GRADED if submission.score_id else Submission.Status.FAILED
