"""Entries of k repeats: declared before any figure is known, they stand together by their mean.

The *mean* is a submission without a file (`Submission.Source.MEAN`), made when the repeats are declared. The next k
public submissions of the system on the version take its places, or the runs that are started with it. It has a score
once all k are graded; until then what stood before stands.

A repeat that was declared cannot be dropped for its figures: to hide or withdraw one hides or withdraws the mean, and
no repeat ever stands alone. One that failed has no figure, and another may take its place.
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

#: How many repeats may stand together: one has no mean, and more tell little more.
LEAST_REPEATS, MOST_REPEATS = 2, 10


class RepeatsError(Exception):
    """Repeats cannot be declared so; the text says what can."""


def check(repeats: int, *, declared: bool) -> None:
    """Whether so many repeats can be declared.

    Args:
        repeats: How many; 1 is an entry of one submission.
        declared: Whether they are to stand for their system.

    Raises:
        RepeatsError: They are too many, or no entry.
    """
    if repeats == 1:
        return
    if not LEAST_REPEATS <= repeats <= MOST_REPEATS:
        raise RepeatsError(f"Between {LEAST_REPEATS} and {MOST_REPEATS} repeats can stand together.")
    if not declared:
        raise RepeatsError("Repeats stand together only as an entry: declare them to be the system's entry.")


@transaction.atomic
def declare(*, version: Version, system: System, submitter: Any, repeats: int) -> Submission:
    """Declare that the next repeats of a system on a version stand together.

    Args:
        version: What they answer.
        system: That answers. It is locked.
        submitter: The account that declares it.
        repeats: How many, see `check`.

    Returns:
        The mean, without a score and with all places free.
    """
    System.objects.select_for_update(no_key=True).get(pk=system.pk)
    mean = Submission.objects.create(
        version=version,
        system=system,
        submitter=submitter,
        source=Submission.Source.MEAN,
        status=Submission.Status.WAITING,
        declared=True,
        repeats=repeats,
        progress_total=repeats,
    )
    what = f"the next {repeats} submissions, by their mean"
    events.record(mean, Event.Kind.DECLARED, actor=submitter, detail=what)
    return mean


def place_of(
    *, version: Version, system: System, submitter: Any, repeats: int, declared: bool, splits: list[str]
) -> tuple[Submission, int] | None:
    """The mean and the number that a public submission takes. Call in a transaction.

    Args:
        version: What it answers.
        system: That it is of. It is locked.
        submitter: Its account.
        repeats: How many it is declared to be one of; 1: none in particular.
        declared: Whether it is declared to stand for its system.
        splits: Those that its file covers.

    Returns:
        The place in the mean that is open, or in a new one; None where it stands alone.

    Raises:
        RepeatsError: It is declared a repeat of files that cover other splits.
    """
    System.objects.select_for_update(no_key=True).get(pk=system.pk)
    if repeats > 1:
        mean: Submission | None = mean_for(
            version=version, system=system, submitter=submitter, repeats=repeats
        )
    else:
        mean = None if declared else open_mean(version, system)
    if mean is None:
        return None
    if mean.conditions and sorted(mean.conditions) != sorted(splits):
        if not declared:
            return None
        raise RepeatsError("Repeats cover the same conditions: this file covers others than the first one.")
    return mean, free_places(mean)[0]


def mean_for(*, version: Version, system: System, submitter: Any, repeats: int) -> Submission:
    """The mean of so many repeats that is open, or a new one. Call in a transaction.

    Args:
        version: What the repeats answer.
        system: That answers. It is locked.
        submitter: The account that declares them.
        repeats: How many, see `check`.
    """
    System.objects.select_for_update(no_key=True).get(pk=system.pk)
    mean = open_mean(version, system)
    if mean is not None and mean.repeats == repeats:
        return mean
    return declare(version=version, system=system, submitter=submitter, repeats=repeats)


def open_mean(version: Version, system: System) -> Submission | None:
    """The mean whose places are taken by the next submissions: the newest entry declared, if places are left.

    Args:
        version: What the submissions answer.
        system: That answers.
    """
    declared = Submission.objects.filter(version=version, system=system, declared=True, mean=None)
    newest = declared.order_by("-created_at").first()
    if newest is None or not newest.is_mean or newest.withdrawn_at or not free_places(newest):
        return None
    return newest


def free_places(mean: Submission) -> list[int]:
    """The numbers of the repeats that are still to come: no submission, and no run that may still end well, has them.

    Args:
        mean: Of an entry of several repeats.
    """
    failed = Submission.Status.FAILED
    taken = set(mean.members.exclude(status=failed).values_list("repeat", flat=True))
    ended = ["failed", "cancelled"]
    running = mean.runs_of_mean.filter(submission=None).exclude(status__in=ended)
    taken |= set(running.values_list("repeat", flat=True))
    return [number for number in range(1, mean.repeats + 1) if number not in taken]


def keeps_place(mean: Submission, number: int) -> bool:
    """Whether a run may still end as this repeat.

    Args:
        mean: As it was when the run was started.
        number: From 1.

    Returns:
        False where the entry was withdrawn, or another submission took the place of a run that had failed.
    """
    taken = mean.members.filter(repeat=number).exclude(status=Submission.Status.FAILED)
    withdrawn = Submission.objects.filter(pk=mean.pk, withdrawn_at__isnull=False)
    return not taken.exists() and not withdrawn.exists()


def join(submission: Submission, mean: Submission, number: int) -> None:
    """Write that a new submission took a place, from which one that failed goes.

    Args:
        submission: That was just made with this mean and number.
        mean: Whose places they are.
        number: From 1.
    """
    events.record(submission, Event.Kind.DECLARED, detail=f"repeat {number} of {mean.repeats}")
    if not mean.conditions:
        mean.conditions, mean.row_count = submission.conditions, submission.row_count
        mean.save(update_fields=["conditions", "row_count"])


def make_room(mean: Submission, number: int) -> None:
    """Let a repeat that failed go: it has no figure, and another one takes its place.

    Args:
        mean: Whose place it is.
        number: From 1.
    """
    for failed in mean.members.filter(repeat=number, status=Submission.Status.FAILED):
        Submission.objects.filter(pk=failed.pk).update(mean=None, repeat=0, repeats=1, declared=False)
        events.record(failed, Event.Kind.FAILED, detail=f"Another submission is repeat {number} now.")


def settle(submission: Submission) -> None:
    """Score the mean that a submission is a repeat of, once all of them are graded by one grader.

    Args:
        submission: That was graded, with its system locked. One that stands alone changes nothing.
    """
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
    events.record(mean, kind, detail=f"{mean.told(score)}, of {mean.repeats} repeats")


def _mean_efficiency(members: list[Submission]) -> dict[str, object]:
    """The mean of each number that all repeats report."""
    known = [member.efficiency for member in members]
    return {
        name: float(np.mean([each[name] for each in known]))
        for name in known[0]
        if all(isinstance(each.get(name), int | float) for each in known)
    }


def follow(submission: Submission, *, actor: Any) -> None:
    """Hide, show or withdraw a mean with its repeats, after one of them was. Call with the system locked.

    Args:
        submission: A mean, a repeat, or one that stands alone, which changes nothing else.
        actor: The account that did it.
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
