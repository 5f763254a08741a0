"""Entries of several repeats, declared before any score is known and ranked by their mean.

The *mean* is a submission without a file (`Submission.Source.MEAN`), created when the repeats are declared. The
next public submissions of the system on the version, or the runs started with the mean, become its repeats. The
mean has a score once all repeats are graded. Until then the board shows the former entry.

A declared repeat cannot be dropped because of its score: hiding or withdrawing a repeat also hides or withdraws
the mean, and boards never show a single repeat. Another submission may replace a failed repeat.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from django.db import transaction
from django.utils import timezone

from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Event, Score, Submission, System
from leaderboard.submissions.scores import mean_scores, sealed_figures
from leaderboard.submissions.services import events

#: Limits on the repeats of a mean; more than ten add little.
LEAST_REPEATS, MOST_REPEATS = 2, 10


class RepeatsError(Exception):
    """Raised if repeats cannot be declared as requested. The text says what to do."""


def check(repeats: int, *, declared: bool) -> None:
    """Raise RepeatsError if the number is invalid, or if several repeats are not `declared` as an entry."""
    if repeats == 1:
        return
    if not LEAST_REPEATS <= repeats <= MOST_REPEATS:
        raise RepeatsError(f"Between {LEAST_REPEATS} and {MOST_REPEATS} repeats can be averaged.")
    if not declared:
        raise RepeatsError("Repeats are averaged only for an entry: declare them as the system's entry.")


@transaction.atomic
def declare(
    *, version: Version, system: System, submitter: Any, repeats: int, sent_by: Any = None
) -> Submission:
    """Declare an entry of several repeats: create its mean, to which repeats are added later. Locks the system."""
    System.objects.select_for_update(no_key=True).get(pk=system.pk)
    mean = Submission.objects.create(
        version=version,
        system=system,
        submitter=submitter,
        sent_by=sent_by,
        source=Submission.Source.MEAN,
        status=Submission.Status.WAITING,
        declared=True,
        repeats=repeats,
        progress_total=repeats,
    )
    what = f"the next {repeats} submissions, by their mean"
    events.record(mean, Event.Kind.DECLARED, actor=sent_by or submitter, detail=what)
    return mean


def place_of(
    *,
    version: Version,
    system: System,
    submitter: Any,
    repeats: int,
    declared: bool,
    splits: list[str],
    sent_by: Any = None,
) -> tuple[Submission, int] | None:
    """Return (average of repeats, number of the repeat) for a public submission, or None if it is not a repeat.

    `repeats` is 1 if no number was given. Call this in a transaction. Raises RepeatsError if an entry covers other
    splits than its first repeat.
    """
    System.objects.select_for_update(no_key=True).get(pk=system.pk)
    if repeats > 1:
        mean: Submission | None = mean_for(
            version=version, system=system, submitter=submitter, repeats=repeats, sent_by=sent_by
        )
    else:
        mean = None if declared else open_mean(version, system)
    if mean is None:
        return None
    if mean.conditions and sorted(mean.conditions) != sorted(splits):
        if not declared:
            return None
        raise RepeatsError("This file must cover the same conditions as the first repeat.")
    return mean, free_places(mean)[0]


def mean_for(
    *, version: Version, system: System, submitter: Any, repeats: int, sent_by: Any = None
) -> Submission:
    """Return the system's unfinished mean if it is of this many repeats, else declare a new mean.

    Call this in a transaction: it locks the system.
    """
    System.objects.select_for_update(no_key=True).get(pk=system.pk)
    mean = open_mean(version, system)
    if mean is not None and mean.repeats == repeats:
        return mean
    return declare(version=version, system=system, submitter=submitter, repeats=repeats, sent_by=sent_by)


def open_mean(version: Version, system: System) -> Submission | None:
    """Return the system's newest declared entry if it is a mean that lacks repeats, else None."""
    declared = Submission.objects.filter(version=version, system=system, declared=True, mean=None)
    newest = declared.order_by("-created_at").first()
    if newest is None or not newest.is_mean or newest.withdrawn_at or not free_places(newest):
        return None
    return newest


def free_places(mean: Submission) -> list[int]:
    """Return the numbers of repeats that neither a submission nor an unfinished run has taken."""
    failed = Submission.Status.FAILED
    taken = set(mean.members.exclude(status=failed).values_list("repeat", flat=True))
    ended = ["failed", "cancelled"]
    running = mean.runs_of_mean.filter(submission=None).exclude(status__in=ended)
    taken |= set(running.values_list("repeat", flat=True))
    return [number for number in range(1, mean.repeats + 1) if number not in taken]


def keeps_place(mean: Submission, number: int) -> bool:
    """True if a run can still become this repeat: it is not taken, and the mean is not withdrawn."""
    taken = mean.members.filter(repeat=number).exclude(status=Submission.Status.FAILED)
    withdrawn = Submission.objects.filter(pk=mean.pk, withdrawn_at__isnull=False)
    return not taken.exists() and not withdrawn.exists()


def join(submission: Submission, mean: Submission, number: int) -> None:
    events.record(submission, Event.Kind.DECLARED, detail=f"repeat {number} of {mean.repeats}")
    if not mean.conditions:
        mean.conditions, mean.row_count = submission.conditions, submission.row_count
        mean.save(update_fields=["conditions", "row_count"])


def make_room(mean: Submission, number: int) -> None:
    """Detach a failed repeat from the mean, so that another submission can become this repeat."""
    for failed in mean.members.filter(repeat=number, status=Submission.Status.FAILED):
        Submission.objects.filter(pk=failed.pk).update(mean=None, repeat=0, repeats=1, declared=False)
        events.record(
            failed, Event.Kind.FAILED, detail=f"Another submission replaces this one as repeat {number}."
        )


def settle(submission: Submission) -> None:
    """Compute the mean's score if all repeats are graded by the same grader. Call this with the system locked."""
    if submission.mean_id is None:
        return
    mean = Submission.objects.select_for_update(no_key=True, of=("self",)).get(pk=submission.mean_id)
    members = list(mean.members.filter(score__isnull=False).select_related("score").order_by("repeat"))
    scores = [each.score for each in members if each.score]
    mean.progress_done = len(scores)
    mean.save(update_fields=["progress_done"])
    if len(scores) == mean.repeats and len({score.grader for score in scores}) == 1:
        _score(mean, members, scores)


def _score(mean: Submission, members: list[Submission], scores: list[Score]) -> None:
    version = mean.version
    fields = mean_scores.mean_fields(version, [sealed_figures.unrounded(score) for score in scores])
    headline = version.benchmark.usual.headline()
    gates = version.bound.gates(fields["metrics"], fields["intervals"])
    fields |= {
        "headline": fields["metrics"].get(headline.name),
        "gated": any(gate.state == "fail" for gate in gates),
        "spread": version.suite.display.order_bias(fields["groups"], version.settings),
    }
    columns = sealed_figures.shown_fields(mean, fields)
    newest = mean.scores.order_by("-revision").values_list("revision", flat=True).first() or 0
    score, _ = Score.objects.update_or_create(
        submission=mean,
        grader=scores[0].grader,
        defaults=columns,
        create_defaults=columns | {"revision": newest + 1},
    )
    mean.score = score
    mean.graded_at = mean.graded_at or timezone.now()
    mean.status = Submission.Status.WITHDRAWN if mean.withdrawn_at else Submission.Status.GRADED
    mean.verified = all(member.verified for member in members)
    mean.efficiency = _mean_efficiency(members)
    mean.row_states = mean_scores.mean_counts([member.row_states for member in members])
    mean.save(update_fields=["score", "graded_at", "status", "verified", "efficiency", "row_states"])
    kind = Event.Kind.REGRADED if newest else Event.Kind.GRADED
    events.record(mean, kind, detail=f"{mean.result_line(score)}, of {mean.repeats} repeats")


def _mean_efficiency(members: list[Submission]) -> dict[str, object]:
    known = [member.efficiency for member in members]
    return {
        name: float(np.mean([each[name] for each in known]))
        for name in known[0]
        if all(isinstance(each.get(name), int | float) for each in known)
    }


def follow(submission: Submission, *, actor: Any) -> None:
    """Make an average of repeats and its repeats equally visible, and withdraw the average of a withdrawn repeat.

    Call this with the system locked.
    """
    if submission.is_mean:
        submission.members.update(visibility=submission.visibility)
    if submission.mean_id is None:
        return
    mean = Submission.objects.select_for_update(no_key=True, of=("self",)).get(pk=submission.mean_id)
    if submission.withdrawn_at and not mean.withdrawn_at:
        mean.withdrawn_at, mean.status = submission.withdrawn_at, Submission.Status.WITHDRAWN
        detail = f"repeat {submission.repeat} was withdrawn"
        events.record(mean, Event.Kind.WITHDRAWN, actor=actor, detail=detail)
    hidden = mean.members.filter(visibility=Submission.Visibility.PRIVATE).exists()
    visibility = Submission.Visibility.PRIVATE if hidden else Submission.Visibility.PUBLIC
    if mean.visibility != visibility:
        mean.visibility = visibility
        kind = Event.Kind.UNPUBLISHED if hidden else Event.Kind.PUBLISHED
        events.record(mean, kind, actor=actor, detail=f"as repeat {submission.repeat} was")
    mean.save(update_fields=["withdrawn_at", "status", "visibility"])
