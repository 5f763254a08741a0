"""Receive, grade, regrade, publish and withdraw submissions: every write over several rows is here."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from evaluation.core import row_states, validation
from evaluation.core.report import Report
from evaluation.core.suite import Column, Suite
from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks import expected_ids, freezing, storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.public_rows import in_file_order
from leaderboard.jobs import backoff, checking, dispatch, faults, isolated, leases
from leaderboard.submissions import contexts, flags, quotas, score_cells, signals, wrong_version_hint
from leaderboard.submissions.models import Event, Score, Submission, System

log = logging.getLogger(__name__)
#: How often a grading is tried that ends with an error of this site.
MAX_ERRORS = 3
#: What others may have written since a submission was read.
CHANGEABLE = ["status", "visibility", "score", "withdrawn_at", "graded_at"]


class RejectedError(Exception):
    """The file is not a usable submission. `intake` says line by line why; nothing was stored.

    `belongs_to` is the version that it answers instead, where its ids tell.
    """

    def __init__(self, found: validation.Intake, belongs_to: Version | None = None) -> None:
        self.intake, self.belongs_to = found, belongs_to
        super().__init__(found.problems[0].message if found.problems else "the file is not usable")


class UnansweredError(Exception):
    """Some lines of a usable file hold no answer, and whoever sends it has not said that this is meant."""

    def __init__(self, found: validation.Intake) -> None:
        self.intake = found
        super().__init__(row_states.sentence(found.states, "lines"))


class TrialError(Exception):
    """A run over a part of the rows can be no public result; the text says what to do instead."""


def validate(
    version: Version, path: str | Path, *, partial: bool = False, apart: bool = False
) -> validation.Intake:
    """Check a predictions file line by line. Writes nothing. A `partial` file may leave rows out.

    A stranger's is checked `apart`, in a process of its own. Raises isolated.NoTimeError where that has no time.
    """
    expected, bounds = expected_ids.expected_rows(version), limits(partial=partial)
    if apart:
        return isolated.check(path, version.suite, expected, limits=bounds, seconds=settings.CHECK_SECONDS)
    return validation.check(path, version.suite, expected, limits=bounds)


def rejection(
    version: Version, path: str | Path, intake: validation.Intake, *, partial: bool = False
) -> RejectedError:
    """What to raise for a file with problems."""
    elsewhere = wrong_version_hint.belongs_to(version, path, intake, limits=limits(partial=partial))
    return RejectedError(intake, elsewhere)


def limits(*, partial: bool = False) -> validation.Limits:
    """The site's limits of one file."""
    return validation.Limits(
        max_bytes=settings.UPLOAD_MAX_BYTES,
        max_expanded_bytes=settings.UPLOAD_MAX_EXPANDED_BYTES,
        allow_missing=partial,
    )


@dataclass(frozen=True, slots=True)
class Accepted:
    """A valid file, stored and ready to become a submission of its version."""

    version: Version
    sha256: str
    name: str
    bytes: int
    rows: int
    conditions: list[str]
    states: dict[str, int]  # how many lines hold an answer, and why the others hold none
    tokens_per_query: float | None = None  # as its lines report it


def accept(
    version: Version,
    path: str | Path,
    *,
    file_name: str = "",
    partial: bool = False,
    refuse_unanswered: bool = False,
    sent_by: Any = None,
) -> Accepted:
    """Validate a file and store it. Slow work, so call it outside any transaction.

    `sent_by` is the account that sent it; None: this site made it itself. Raises RejectedError, UnansweredError where
    lines without an answer shall be confirmed first, and checking.BusyError for a file that was sent while there is no
    room to check it.
    """
    with checking.slot(sent_by):
        found = validate(version, path, partial=partial, apart=sent_by is not None)
        if found.problems:
            raise rejection(version, path, found, partial=partial)
        if refuse_unanswered and row_states.unanswered(found.states):
            raise UnansweredError(found)
        return Accepted(
            version=version,
            sha256=storage.keep(path),
            name=Path(file_name or str(path)).name[:200],
            bytes=Path(path).stat().st_size,
            rows=found.rows,
            conditions=list(found.conditions),
            states=found.states,
            tokens_per_query=found.tokens_per_query,
        )


def dry_run(version: Version, path: str | Path, *, sent_by: Any) -> validation.Intake:
    """What accepting a file would find in it; nothing is stored. Raises RejectedError and checking.BusyError."""
    with checking.slot(sent_by):
        found = validate(version, path, apart=True)
        if found.problems:
            raise rejection(version, path, found)
        return found


@transaction.atomic
def create(
    accepted: Accepted,
    *,
    system: System,
    submitter: Any,
    source: str = Submission.Source.BROWSER,
    efficiency: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Submission:
    """Make an accepted file a submission and queue its grading. Raises quotas.QuotaError.

    What is given as `efficiency` counts before what the lines of the file say.
    """
    told = {} if accepted.tokens_per_query is None else {"tokens_per_query": accepted.tokens_per_query}
    if source != Submission.Source.RUN:
        quotas.charge(submitter, accepted.version)
    submission = Submission.objects.create(
        version=accepted.version,
        system=system,
        submitter=submitter,
        source=source,
        file_sha256=accepted.sha256,
        file_name=accepted.name,
        file_bytes=accepted.bytes,
        row_count=accepted.rows,
        conditions=accepted.conditions,
        row_states=accepted.states,
        efficiency=told | dict(efficiency or {}),
        **fields,
    )
    record(
        submission,
        Event.Kind.RECEIVED,
        actor=submitter,
        detail=f"{number_of(accepted.rows, 'row')}, {accepted.sha256[:12]}",
    )
    record(submission, Event.Kind.QUEUED)
    enqueue(submission)
    return submission


def record(submission: Submission, kind: str, *, actor: Any = None, detail: str = "") -> None:
    """Add an event to a submission's history."""
    Event.objects.create(submission=submission, kind=kind, actor=actor, detail=detail[:300])


def enqueue(submission: Submission) -> None:
    """Wake a worker once the transaction is through."""
    dispatch.enqueue_on_commit("grade_submission", str(submission.pk))


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
        _fail(
            submission, lease, f"the worker died {backoff.MAX_ATTEMPTS} times at it, in the course of a day"
        )
        return False
    started = time.perf_counter()
    report = _report(submission, lease)
    verdicts, measures = _keep_verdicts(report), _measures(submission)
    seconds = time.perf_counter() - started
    publish_score(submission, report, verdicts=verdicts, measures=measures, seconds=seconds, lease=lease)
    found = flags.inspect(submission)
    lease.release(**({} if found is None else {"flags": found}))
    return True


def _report(submission: Submission, lease: leases.Lease) -> Report:
    version = submission.version
    freezing.check_seal(version)
    gold = _ticking(storage.rows(version.gold_sha256), version.unit_count, lease)
    graded = version.suite.grade(gold, storage.rows(submission.file_sha256), version.settings)
    graded.rows = in_file_order(version, graded.rows)
    return graded


def _measures(submission: Submission) -> list[dict[str, Any]]:
    """What can be measured of a system that this site ran itself, beside its answers."""
    run, version = getattr(submission, "run", None), submission.version
    engine = version.suite
    if run is None or run.executor not in engine.systems():
        return []
    built = contexts.contexts(submission.provenance)
    if built is not None and built.is_outdated:  # today's contexts are not those that it answered with
        return submission.score.measures if submission.score else []
    return engine.measures(run.executor, storage.rows(version.rows_sha256), storage.rows(version.gold_sha256))


def _ticking(records: Iterator[Any], total: int, lease: leases.Lease) -> Iterator[Any]:
    """Pass records on, reporting how many went by. Raises LostError as soon as the lease is lost."""
    for done, item in enumerate(records, 1):
        yield item
        lease.check()
        lease.tell(done, total)


def _keep_verdicts(report: Report) -> str:
    with storage.writing(level=4) as writer:
        for row in report.rows:
            writer.write_row(row)
    return writer.sha256


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
    _hold(submission)
    error = f"The grading failed: {reason}. It does not count against your quota."
    lease.release(status=_settled(submission), error=error)
    record(submission, Event.Kind.FAILED, detail=error)
    choose_shown(submission.version, submission.system)


def _hold(submission: Submission) -> None:
    """Lock a submission with its system, and read again what others may have changed. Call in a transaction.

    The system is locked before the submission everywhere, so that two of these only ever wait for each other.
    """
    # Not against foreign keys to the system: a submission of it may come in meanwhile.
    System.objects.select_for_update(no_key=True).get(pk=submission.system_id)
    locked = Submission.objects.select_for_update(no_key=True)
    submission.refresh_from_db(fields=CHANGEABLE, from_queryset=locked)


def _settled(submission: Submission) -> str:
    """The state of a submission that nobody works on: one that was graded before stays so, with its old score."""
    if submission.withdrawn_at:
        return Submission.Status.WITHDRAWN
    return Submission.Status.GRADED if submission.score_id else Submission.Status.FAILED


@transaction.atomic
def publish_score(
    submission: Submission,
    report: Report,
    *,
    verdicts: str,
    seconds: float,
    measures: Sequence[dict[str, Any]] = (),
    lease: leases.Lease | None = None,
) -> Score:
    """Upsert the score of this grader, make it the current one, and let the board show the best.

    `lease`: of the worker that graded it. Raises leases.LostError where it is lost.
    """
    engine = submission.version.suite
    _hold(submission)
    if lease:
        lease.confirm()
    newest = submission.scores.aggregate(top=Max("revision"))["top"] or 0
    fields = _score_fields(report, engine, submission.version.settings)
    fields |= {"verdicts_sha256": verdicts, "measures": list(measures), "seconds": seconds}
    score, _ = Score.objects.update_or_create(
        submission=submission,
        grader=engine.grader,
        defaults=fields,
        create_defaults=fields | {"revision": newest + 1},
    )
    submission.score, submission.error = score, ""
    submission.graded_at = submission.graded_at or timezone.now()
    submission.status = Submission.Status.WITHDRAWN if submission.withdrawn_at else Submission.Status.GRADED
    submission.progress_done = submission.progress_total = submission.version.unit_count
    changed = ["score", "error", "graded_at", "status", "progress_done", "progress_total"]
    submission.save(update_fields=changed)
    record(submission, Event.Kind.REGRADED if newest else Event.Kind.GRADED, detail=f"{score}")
    choose_shown(submission.version, submission.system)
    return score


def _score_fields(report: Report, engine: Suite, settings: dict[str, Any]) -> dict[str, Any]:
    headline = headline_of(engine)
    cells, cell_scores = score_cells.packed(report.cells)
    return {
        "headline": report.metrics.get(headline.name),
        "metrics": report.metrics,
        "intervals": report.intervals,
        "groups": report.groups,
        "unit_scores": _packed(report.units),
        "robust_scores": _packed(report.robustness),
        "cells": cells,
        "cell_scores": cell_scores,
        "gated": any(gate.state == "fail" for gate in engine.gates(report.metrics, report.intervals)),
        "spread": engine.order_bias(report.groups, settings),
        "failures": dict(Counter(row["failure"] for row in report.rows if row.get("failure"))),
    }


def _packed(units: dict[str, tuple[float, int]]) -> bytes:
    """(sum, rows) by unit as float32 pairs: a board reads a thousand of these at once."""
    return np.array(list(units.values()), dtype=np.float32).tobytes()


def headline_of(engine: Suite) -> Column:
    """The column that a board of this suite is ordered by."""
    return next(column for column in engine.columns if column.headline)


def choose_shown(version: Version, system: System) -> None:
    """Let the board show a system's best public submission, the newest of equals. Call with the system locked.

    One that waits to be graded again stands there with the score it has. A trial of a part of the rows never does.
    """
    of_system = Submission.objects.filter(version=version, system=system)
    lower = headline_of(version.suite).better == "lower"
    order = F("score__headline").asc(nulls_last=True) if lower else F("score__headline").desc(nulls_last=True)
    eligible = of_system.public().filter(score__isnull=False, withdrawn_at=None, run__row_limit=None)
    best = eligible.order_by(order, "-created_at").values_list("pk", flat=True).first()
    others = of_system.filter(shown=True)
    if best is None:
        others.update(shown=False)
    else:
        others.exclude(pk=best).update(shown=False)
        of_system.filter(pk=best, shown=False).update(shown=True)
    signals.landed.send(Submission, version_id=version.pk)


@transaction.atomic
def withdraw(submission: Submission, *, actor: Any) -> None:
    """Take a submission off the board for good. It stays in its system's history."""
    _hold(submission)
    if submission.withdrawn_at:
        return
    submission.withdrawn_at = timezone.now()
    submission.status = Submission.Status.WITHDRAWN
    submission.save(update_fields=["withdrawn_at", "status"])
    record(submission, Event.Kind.WITHDRAWN, actor=actor)
    choose_shown(submission.version, submission.system)


@transaction.atomic
def set_visibility(submission: Submission, visibility: str, *, actor: Any) -> None:
    """Make a submission public or private. Raises TrialError for a trial that shall be public."""
    _hold(submission)
    if submission.visibility == visibility:
        return
    public = visibility == Submission.Visibility.PUBLIC
    if public and submission.is_trial:
        raise TrialError("This is a trial of a part of the rows. Run all rows for a public result.")
    submission.visibility = visibility
    submission.save(update_fields=["visibility"])
    record(submission, Event.Kind.PUBLISHED if public else Event.Kind.UNPUBLISHED, actor=actor)
    choose_shown(submission.version, submission.system)


@transaction.atomic
def regrade(submission: Submission, *, actor: Any = None) -> None:
    """Queue a submission to be graded again, for instance by a newer grader. The old score stays."""
    fresh = leases.FRESH | {"status": Submission.Status.QUEUED, "error": ""}
    Submission.objects.filter(pk=submission.pk).update(**fresh)
    for name, value in fresh.items():
        setattr(submission, name, value)
    record(submission, Event.Kind.QUEUED, actor=actor, detail="to be graded again")
    enqueue(submission)
