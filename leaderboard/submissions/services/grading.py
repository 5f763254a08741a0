"""Grades submissions, for the first time or again. If grading fails, the submission gets no score instead of 0."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction

from evaluation.core.records import Verdict
from evaluation.core.report import FiguredRows, Report
from leaderboard.accounts import audit
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.public_rows import in_file_order
from leaderboard.benchmarks.rows import reading
from leaderboard.benchmarks.sealing import seal
from leaderboard.jobs import backoff, dispatch, faults, leases, numbers
from leaderboard.submissions import contexts, flags
from leaderboard.submissions.models import Event, Submission
from leaderboard.submissions.services import events, publishing
from leaderboard.submissions.verdicts import files as verdict_files

log = logging.getLogger(__name__)
#: Most attempts at a grading that fails by an error of this site.
MAX_ERRORS = 3


class FileRemovedError(Exception):
    """Raised if the predictions are no longer stored. The text says since when."""


def enqueue(submission: Submission) -> None:
    dispatch.enqueue_on_commit("grade_submission", str(submission.pk))


@transaction.atomic
def regrade(submission: Submission, *, actor: Any = None) -> None:
    """Queue a submission to be graded again. Its old score and a withdrawal stay meanwhile. Raises FileRemovedError."""
    if submission.is_mean:  # a mean has no file, so its repeats are graded
        for member in submission.members.filter(file_removed_at=None).exclude(score=None):
            regrade(member, actor=actor)
        return
    if submission.file_removed_at:
        raise FileRemovedError(f"This submission cannot be graded again. {submission.removed_words}")
    fresh = leases.FRESH | {"status": Submission.Status.QUEUED, "error": ""}
    Submission.objects.filter(pk=submission.pk).update(**fresh)
    for name, value in fresh.items():
        setattr(submission, name, value)
    events.record(submission, Event.Kind.QUEUED, actor=actor, detail="to be graded again")
    audit.record("grade again", submission)
    enqueue(submission)


def grade(submission_id: str) -> bool:
    """Grade a submission if it is pending, and return True if it was graded. Safe to repeat after an interruption."""
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
    if submission.attempts > backoff.MAX_ATTEMPTS:  # a file that kills its worker raises no error
        _fail(submission, lease, f"the worker stopped unexpectedly {backoff.MAX_ATTEMPTS} times within a day")
        return False
    started = time.perf_counter()
    report, asked = _report(submission, lease)
    kept = replace(report, rows=_kept_rows(report, submission.version))
    verdicts, measures = _keep_verdicts(kept, submission.version), _measures(submission)
    seconds = time.perf_counter() - started
    publishing.publish_score(
        submission, report, verdicts=verdicts, measures=measures, seconds=seconds, asked=asked, lease=lease
    )
    raised = flags.inspect(submission)
    lease.release(**({} if raised is None else {"flags": raised}))
    suite = submission.version.suite.name
    numbers.ROWS_GRADED.labels(suite).inc(len(report.rows))
    numbers.GRADING_SECONDS.labels(suite).observe(seconds)
    return True


def _report(submission: Submission, lease: leases.Lease) -> tuple[Report, int | None]:
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
    """Return the row ids of a trial. The file of a trial has a line for each asked row, answered or not."""
    named = map(submission.version.suite.row_id, storage.rows(submission.file_sha256))
    return frozenset(row_id for row_id in named if row_id is not None)


def _kept_rows(report: Report, version: Version) -> Sequence[Verdict]:
    rates = [name for name, metric in version.bound.metrics.items() if metric.reducer is None]
    figures = {name: report.row_figures[name] for name in rates if name in report.row_figures}
    figured = FiguredRows(report.rows, figures, lambda row, of_row: row | {"figures": of_row})
    return in_file_order(version, figured)


def _measures(submission: Submission) -> Sequence[Mapping[str, object]]:
    run, version = getattr(submission, "run", None), submission.version
    unranked = version.suite.unranked.get(submission.system.kind)
    if submission.is_trial or unranked is None:
        return []
    rows, records = reading.rows_of(version), storage.rows(version.gold_sha256)
    if run is None:
        sent = storage.rows(submission.file_sha256)
        return unranked.measure_lines(rows, records, sent) if unranked.measure_lines else []
    built = contexts.contexts(version.suite, submission.provenance)
    if built is not None and built.is_outdated:  # current contexts differ from those of the run
        return submission.score.measures if submission.score else []
    return unranked.measure(run.executor, rows, records) if run.executor in version.suite.systems() else []


def _ticking(records: Iterator[Any], total: int, lease: leases.Lease) -> Iterator[Any]:
    for done, item in enumerate(records, 1):
        yield item
        lease.check()
        lease.tell(done, total)


def _keep_verdicts(report: Report, version: Version) -> str:
    return verdict_files.keep(report, version)


def _fail_or_wait(submission: Submission, lease: leases.Lease, error: Exception) -> None:
    if reason := faults.passing(error):
        log.warning("grading submission %s waits: %s", submission.pk, error)
        lease.wait(reason)
        return
    log.error("grading submission %s failed", submission.pk, exc_info=error)
    if isinstance(error, storage.DamagedFileError):
        _fail(submission, lease, f"{error}")
    elif submission.attempts < MAX_ERRORS:
        lease.retry("an unexpected error of this site, which was logged")
    else:
        _fail(submission, lease, "an unexpected error of this site, which was logged")


@transaction.atomic
def _fail(submission: Submission, lease: leases.Lease, reason: str) -> None:
    publishing.hold(submission)
    error = f"The grading failed: {reason}. The submission does not count against your quota."
    lease.release(status=_settled(submission), error=error)
    events.record(submission, Event.Kind.FAILED, detail=error)
    publishing.choose_shown(submission.version, submission.system)


def _settled(submission: Submission) -> str:
    if submission.withdrawn_at:
        return Submission.Status.WITHDRAWN
    return Submission.Status.GRADED if submission.score_id else Submission.Status.FAILED
