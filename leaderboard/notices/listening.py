"""Turns events of submissions, versions and boards into notices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models.signals import post_save

from leaderboard.accounts import teams
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import signals as versions
from leaderboard.boards.placements import signals as boards
from leaderboard.boards.placements.ranking import Placement, range_words
from leaderboard.notices.models import Kind
from leaderboard.notices.overtaking import Overtaken, overtaken
from leaderboard.notices.telling import tell
from leaderboard.submissions.models import Event, Submission
from leaderboard.web.formatting import number

_KINDS = {
    Event.Kind.GRADED: Kind.GRADED,
    Event.Kind.REGRADED: Kind.REGRADED,
    Event.Kind.FAILED: Kind.FAILED,
}


def connect() -> None:
    """Connect to the signals of submission events, frozen and retired versions, and new ranks."""
    post_save.connect(_on_event, sender=Event, dispatch_uid="people are told of events")
    versions.frozen.connect(_on_frozen, dispatch_uid="people are told of new versions")
    versions.retired.connect(_on_retired, dispatch_uid="people are told of retired versions")
    boards.ranked.connect(_on_ranked, dispatch_uid="people are told who overtook them")


def _on_event(sender: Any, instance: Event, created: bool, **_: Any) -> None:
    if not created or (kind := _KINDS.get(Event.Kind(instance.kind))) is None:
        return
    submission = instance.submission
    named = f"{submission.system.name} on {submission.version.title}"
    match kind:
        case Kind.FAILED:
            line = f"{named}: {instance.detail}"
        case Kind.REGRADED:
            line = f"{named} was graded again: {_result(submission)}"
        case _:
            line = f"{named} is graded: {_result(submission)}"
    data = _submission(submission) | {"error": instance.detail if kind == Kind.FAILED else None}
    for user in teams.people_of(submission.submitter):
        tell(kind, line=line, path=submission.get_absolute_url(), data=data, user=user)


def _result(submission: Submission) -> str:
    return "no score" if submission.result is None else number(submission.result)


def _submission(submission: Submission) -> dict[str, object]:
    """A submission in a webhook's payload, with the field names of the API."""
    version, ends, score = submission.version, submission.result_interval, submission.score
    headline = {"value": submission.result, "low": ends and ends[0], "high": ends and ends[1]}
    return {
        "id": submission.pk,
        "version": f"{version.benchmark.slug}/{version.slug}",
        "system": {
            "owner": submission.system.owner.get_username(),
            "slug": submission.system.slug,
            "name": submission.system.name,
        },
        "visibility": submission.visibility,
        "headline": headline if score else None,
        "grader": score.grader if score else None,
        "revision": score.revision if score else None,
    }


def _on_frozen(sender: Any, *, version: Version, **_: Any) -> None:
    if not version.is_twin:
        _tell_of_version(Kind.APPEARED, version, "appeared")


def _on_retired(sender: Any, *, version_id: int, **_: Any) -> None:
    version = Version.objects.select_related("benchmark").get(pk=version_id)
    _tell_of_version(Kind.RETIRED, version, "is retired and takes no more submissions")


def _tell_of_version(kind: Kind, version: Version, happened: str) -> None:
    line = f"{version.title} ({version.benchmark.title}) {happened}"
    data: dict[str, object] = {
        "version": f"{version.benchmark.slug}/{version.slug}",
        "title": version.title,
        "status": version.status,
    }
    tell(kind, line=line, path=version.get_absolute_url(), data=data)


def _on_ranked(
    sender: Any, *, version: Version, before: Sequence[Placement], after: Sequence[Placement], **_: Any
) -> None:
    ranked = [{place.key for place in places if place.rank is not None} for places in (before, after)]
    if not ranked[0] or ranked[1] <= ranked[0]:  # the first ranks of a board, or nothing new
        return
    keys = ranked[0] | ranked[1]
    rows = Submission.objects.filter(pk__in=keys).values_list("pk", "submitter_id", "system_id")
    owners, systems = {key: owner for key, owner, _ in rows}, {key: system for key, _, system in rows}
    found = list(overtaken(before, after, owners, systems))
    named = Submission.objects.with_names().in_bulk({key for each in found for key in _keys(each)})
    for each in found:
        _tell_overtaken(each, *(named[key] for key in _keys(each)))


def _keys(each: Overtaken) -> tuple[Any, Any]:
    return each.after.key, each.by.key


def _tell_overtaken(each: Overtaken, mine: Submission, by: Submission) -> None:
    line = (
        f"{by.system.name} of {by.system.owner.get_username()} is shown to be better than "
        f"{mine.system.name} on {mine.version.title}: its rank is {_range(each.by)}, yours {_range(each.after)} "
        f"(before: {_range(each.before)})"
    )
    data = _submission(mine) | {
        "by": _submission(by) | {"rank": _ends(each.by)},
        "rank": _ends(each.after),
        "rank_before": _ends(each.before),
    }
    for user in teams.people_of(mine.submitter):
        tell(Kind.OVERTAKEN, line=line, path=mine.version.get_board_url(), data=data, user=user)


def _range(place: Placement) -> str:
    return range_words(place.low, place.high)


def _ends(place: Placement) -> dict[str, int | None]:
    return {"low": place.low, "high": place.high}
