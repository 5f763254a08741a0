"""Publishes and withdraws submissions, writes scores, and chooses the submission that boards show of a system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Max
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from evaluation.core.report import Report
from leaderboard.accounts import confirmation
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import leases
from leaderboard.submissions import signals
from leaderboard.submissions.models import Event, Score, Submission, System
from leaderboard.submissions.models.score import ScoreColumns
from leaderboard.submissions.scores import score_sums, sealed_figures
from leaderboard.submissions.services import events, repeats

#: Columns that others may have changed since a submission was read.
CHANGEABLE = ["status", "visibility", "predictions_public", "score", "withdrawn_at", "graded_at"]


class TrialError(Exception):
    """Raised if a trial is to become public. The text says what to do instead."""


def hold(submission: Submission) -> None:
    """Lock a submission and its system, and reload columns that may have changed. Call this in a transaction."""
    # no_key: new submissions of the system may be inserted meanwhile.
    # Always lock the system first: a fixed order of locks prevents deadlocks.
    System.objects.select_for_update(no_key=True).get(pk=submission.system_id)
    locked = Submission.objects.select_for_update(no_key=True)
    submission.refresh_from_db(fields=CHANGEABLE, from_queryset=locked)


@transaction.atomic
def publish_score(
    submission: Submission,
    report: Report,
    *,
    verdicts: str,
    seconds: float,
    measures: Sequence[Mapping[str, object]] = (),
    asked: int | None = None,
    lease: leases.Lease | None = None,
) -> Score:
    """Write the score, make it current, and update the board. Each grader has one score, which it overwrites.

    Raises LostError, and writes nothing, if the lease is lost.

    Args:
        measures: Measurements of the contexts that the system builds, by context size; empty: not measured.
        asked: Number of rows of a trial; None: all rows of the version.
    """
    hold(submission)
    if lease:
        lease.confirm()
    newest = submission.scores.aggregate(top=Max("revision"))["top"] or 0
    fields = _score_fields(report, submission.version)
    fields |= {"verdicts_sha256": verdicts, "measures": list(measures), "seconds": seconds, "asked": asked}
    columns = sealed_figures.shown_fields(submission, fields)
    score, _ = Score.objects.update_or_create(
        submission=submission,
        grader=submission.version.present_grader,
        defaults=columns,
        create_defaults=columns | {"revision": newest + 1},
    )
    submission.score, submission.error = score, ""
    submission.graded_at = submission.graded_at or timezone.now()
    submission.status = Submission.Status.WITHDRAWN if submission.withdrawn_at else Submission.Status.GRADED
    submission.progress_done = submission.progress_total = submission.version.unit_count
    changed = ["score", "error", "graded_at", "status", "progress_done", "progress_total"]
    submission.save(update_fields=changed)
    kind = Event.Kind.REGRADED if newest else Event.Kind.GRADED
    events.record(submission, kind, detail=submission.result_line(score))
    repeats.settle(submission)
    choose_shown(submission.version, submission.system)
    return score


def _score_fields(report: Report, version: Version) -> ScoreColumns:
    gates = version.bound.gates(report.metrics, report.intervals)
    cells, cell_scores = score_sums.packed_cells(report.cells)
    return {
        "headline": report.metrics.get(version.headline.name),
        "metrics": report.metrics,
        "intervals": report.intervals,
        "groups": report.groups,
        "group_rows": report.group_rows,
        "unit_scores": _packed(report.units),
        "robust_scores": _packed(report.robustness),
        "cells": cells,
        "cell_scores": cell_scores,
        "metric_sums": score_sums.packed(report.sums),
        "statistics": report.statistics,
        "gated": any(gate.state == "fail" for gate in gates),
        "spread": version.suite.display.order_bias(report.groups, version.settings),
        "failures": dict(Counter(failure for row in report.rows if (failure := row.get("failure")))),
    }


def _packed(units: dict[str, tuple[float, int]]) -> bytes:
    """Pack (sum, rows) of each unit as float32, because a board reads a thousand submissions at once."""
    return np.array(list(units.values()), dtype=np.float32).tobytes()


def choose_shown(version: Version, system: System) -> None:
    """Choose the submission that the board shows for a system. Call this with the system locked.

    The choice is the newest public submission that was declared before grading, else the first public submission. It
    never depends on scores, because the best of several scores is biased upwards. Boards never show trials, repeats
    (only their mean), or uploads without a required address confirmation or approval. A submission that waits to be
    graded again stays on the board.
    """
    of_system = Submission.objects.filter(version=version, system=system)
    eligible = of_system.for_boards().filter(score__isnull=False, withdrawn_at=None, run__row_limit=None)
    eligible = eligible.filter(mean=None)
    declared = eligible.filter(declared=True).order_by("-created_at").values_list("pk", flat=True).first()
    entry = declared or eligible.order_by("created_at").values_list("pk", flat=True).first()
    others = of_system.filter(shown=True)
    if entry is None:
        others.update(shown=False)
    else:
        others.exclude(pk=entry).update(shown=False)
        of_system.filter(pk=entry, shown=False).update(shown=True)
    signals.landed.send(Submission, version_id=version.pk)


@transaction.atomic
def choose_again(account: Any) -> None:
    """Update which submissions of an account the boards show, after a change of its e-mail address."""
    sent = Submission.objects.filter(submitter=account, visibility=Submission.Visibility.PUBLIC)
    pairs = sent.filter(score__isnull=False).order_by()
    for system, version in sorted(set(pairs.values_list("system_id", "version_id"))):
        locked = System.objects.select_for_update(no_key=True).get(pk=system)
        choose_shown(Version.objects.get(pk=version), locked)


def _on_address(sender: Any, instance: EmailAddress, created: bool = False, **_: Any) -> None:
    if confirmation.is_asked_for() and (instance.verified or not created):
        choose_again(instance.user)


def connect() -> None:
    """Connect the signals that update boards when an e-mail address changes."""
    for signal in (post_save, post_delete):
        signal.connect(_on_address, sender=EmailAddress, dispatch_uid="boards follow confirmed addresses")


@transaction.atomic
def withdraw(submission: Submission, *, actor: Any) -> None:
    """Withdraw a submission from the board for good. It stays in the history. A repeat also withdraws its mean."""
    hold(submission)
    if submission.withdrawn_at:
        return
    submission.withdrawn_at = timezone.now()
    submission.status = Submission.Status.WITHDRAWN
    submission.save(update_fields=["withdrawn_at", "status"])
    events.record(submission, Event.Kind.WITHDRAWN, actor=actor)
    repeats.follow(submission, actor=actor)
    choose_shown(submission.version, submission.system)


@transaction.atomic
def decide(submission: Submission, *, approved: bool, actor: Any, reason: str = "") -> None:
    """Approve a submission for boards, or refuse it with a reason. The decision on a mean is also for its repeats."""
    hold(submission)
    word = Submission.Approval.APPROVED if approved else Submission.Approval.REFUSED
    submission.approval, submission.approval_reason = word, "" if approved else reason
    submission.save(update_fields=["approval", "approval_reason"])
    kind = Event.Kind.APPROVED if approved else Event.Kind.REFUSED
    events.record(submission, kind, actor=actor, detail=submission.approval_reason)
    choose_shown(submission.version, submission.system)


@transaction.atomic
def share_predictions(submission: Submission, *, actor: Any) -> None:
    """Record the owner's consent to publish the predictions of a submission. The consent cannot be withdrawn."""
    hold(submission)
    if not submission.may_publish_predictions:
        return
    submission.predictions_public = True
    submission.save(update_fields=["predictions_public"])
    events.record(submission, Event.Kind.SHARED, actor=actor)


@transaction.atomic
def set_visibility(submission: Submission, visibility: str, *, actor: Any) -> None:
    """Make a submission public or private. Raises TrialError for a trial, which is never public."""
    hold(submission)
    if submission.visibility == visibility:
        return
    public = visibility == Submission.Visibility.PUBLIC
    if public and submission.is_trial:
        raise TrialError("A trial over some of the rows cannot be public. Run all rows for a public result.")
    submission.visibility = visibility
    submission.save(update_fields=["visibility"])
    events.record(submission, Event.Kind.PUBLISHED if public else Event.Kind.UNPUBLISHED, actor=actor)
    repeats.follow(submission, actor=actor)
    choose_shown(submission.version, submission.system)
