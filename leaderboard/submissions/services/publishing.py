"""What of a system a board shows: scores are written, submissions published and withdrawn."""

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

#: What others may have written since a submission was read.
CHANGEABLE = ["status", "visibility", "score", "withdrawn_at", "graded_at"]


class TrialError(Exception):
    """A run over a part of the rows can be no public result; the text says what to do instead."""


def hold(submission: Submission) -> None:
    """Lock a submission with its system, and read again what others may have changed. Call in a transaction.

    The system is locked before the submission everywhere, so that two of these only ever wait for each other.
    """
    # Not against foreign keys to the system: a submission of it may come in meanwhile.
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
    """Upsert the score of this grader, make it the current one, and let the board show what stands for its system.

    Args:
        submission: That was graded.
        report: What the engine found.
        verdicts: The SHA-256 of the stored file of verdicts.
        seconds: How long the grading took.
        measures: What its system shows a model, a row a budget; empty: not measured.
        asked: How many rows the report is over, where it is a trial's; None: all rows of the version.
        lease: Of the worker that graded it; None where no worker did.

    Returns:
        The score: a new revision, or that of the same grader written again.

    Raises:
        leases.LostError: The lease is lost, and nothing was written.
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
    events.record(submission, kind, detail=submission.told(score))
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
    """(sum, rows) by unit as float32 pairs: a board reads a thousand of these at once."""
    return np.array(list(units.values()), dtype=np.float32).tobytes()


def choose_shown(version: Version, system: System) -> None:
    """Let the board show the submission that stands for a system. Call with the system locked.

    It is the newest public one that was declared before it was graded, else the first public one: never one that was
    chosen for its figures, which would be too high by chance alone. One that waits to be graded again stands there
    with the score it has. A trial of a part of the rows never does, nor does a repeat: their mean stands for them, once
    all are graded; nor does one of an account without a confirmed address, where the site sends mail.

    Args:
        version: Whose board it is.
        system: Of which the board shows one submission at most.
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
    """Let boards show what an account sent, or show it no longer: its address was confirmed, or is so no longer.

    Args:
        account: Whose submissions stand, or may stand, on boards.
    """
    sent = Submission.objects.filter(submitter=account, visibility=Submission.Visibility.PUBLIC)
    pairs = sent.filter(score__isnull=False).order_by()
    for system, version in sorted(set(pairs.values_list("system_id", "version_id"))):
        locked = System.objects.select_for_update(no_key=True).get(pk=system)
        choose_shown(Version.objects.get(pk=version), locked)


def _on_address(sender: Any, instance: EmailAddress, created: bool = False, **_: Any) -> None:
    if confirmation.is_asked_for() and (instance.verified or not created):
        choose_again(instance.user)


def connect() -> None:
    """Have boards follow what becomes of e-mail addresses: confirmed by their owners, changed by staff, removed."""
    for signal in (post_save, post_delete):
        signal.connect(_on_address, sender=EmailAddress, dispatch_uid="boards follow confirmed addresses")


@transaction.atomic
def withdraw(submission: Submission, *, actor: Any) -> None:
    """Take a submission off the board for good. It stays in its system's history. A repeat takes its mean along.

    Args:
        submission: One that was withdrawn already stays as it is.
        actor: The account that withdraws it.
    """
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
def set_visibility(submission: Submission, visibility: str, *, actor: Any) -> None:
    """Make a submission public or private.

    Args:
        submission: One that is so already stays as it is.
        visibility: One of `Submission.Visibility`.
        actor: The account that asks for it.

    Raises:
        TrialError: It is a trial of a part of the rows, which is never public.
    """
    hold(submission)
    if submission.visibility == visibility:
        return
    public = visibility == Submission.Visibility.PUBLIC
    if public and submission.is_trial:
        raise TrialError("This is a trial of a part of the rows. Run all rows for a public result.")
    submission.visibility = visibility
    submission.save(update_fields=["visibility"])
    events.record(submission, Event.Kind.PUBLISHED if public else Event.Kind.UNPUBLISHED, actor=actor)
    repeats.follow(submission, actor=actor)
    choose_shown(submission.version, submission.system)
