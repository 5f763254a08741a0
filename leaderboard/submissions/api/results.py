"""What came of a submission: its figures, and the verdict on each row."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from django.http import Http404, HttpRequest
from ninja import Field, Query, Router, Schema

from leaderboard.accounts import permissions
from leaderboard.submissions import score_tables, verdicts
from leaderboard.submissions.api.submissions import figure
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.schemas import MetricsOut
from leaderboard.web.api.fields import Words
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, Paging, by_position
from leaderboard.web.api.problems import ProblemError, invalid

router = Router(tags=["Submissions"])


class Revision(Schema):
    revision: Annotated[
        int | None, Field(ge=1, le=32767, description="An earlier grading; the newest if left out.")
    ] = None


@router.get(
    "/{uuid:id}/metrics",
    operation_id="leaderboard_api_results_get_metrics",
    response=MetricsOut,
    summary="All figures with their intervals",
    openapi_extra=problems(409),
)
def get_metrics(request: HttpRequest, id: UUID, requested: Query[Revision]) -> Any:
    submission = Submission.objects.get_visible(request.user, id)
    score = _score(submission, requested.revision)
    return {
        "submission": submission.pk,
        "revision": score.revision,
        "grader": score.grader,
        "metrics": [
            {"name": column.name, "label": column.label, "better": column.better, "format": column.format}
            | figure(value, interval)
            for column, value, interval in score_tables.metrics(submission.version, score)
        ],
        "groups": {
            grouping: {name: _figures(group) for name, group in members.items()}
            for grouping, members in score.groups.items()
        },
        "failures": score.failures,
        "revisions": list(submission.scores.all()),
    }


def _score(submission: Submission, revision: int | None = None) -> Score:
    """The wanted score. Raises ProblemError 409 before the first grading, Http404 for no such revision."""
    if submission.score is None:
        raise ProblemError(409, "not-graded", "This submission is not graded yet.")
    if revision is None:
        return submission.score
    found = submission.scores.filter(revision=revision).first()
    if found is None:
        raise Http404
    return found


def _figures(group: dict[str, Any]) -> dict[str, Any]:
    intervals = group.get("intervals") or {}
    return {
        name: figure(value, score_tables.interval(intervals, name))
        for name, value in group["metrics"].items()
    }


class RowFilters(Paging):
    failure: Annotated[
        Words, Field(max_length=60, description="A failure's code, `any` failure, or empty: all rows.")
    ] = ""
    condition: Annotated[Words, Field(max_length=120)] = ""
    track: Annotated[Words, Field(max_length=120, description="Another word for `condition`.")] = ""
    q: Annotated[Words, Field(max_length=100, description="Part of the row's id.")] = ""
    questions: Annotated[bool, Field(description="Add each public row under `row`.")] = False


@router.get(
    "/{uuid:id}/rows",
    operation_id="leaderboard_api_results_get_verdicts",
    response=Page[dict[str, Any]],
    summary="The verdict on each row",
    openapi_extra=problems(409),
)
def get_verdicts(request: HttpRequest, id: UUID, filters: Query[RowFilters]) -> Any:
    """With the gold only where the version makes it public; elsewhere only its submitter sees the answers."""
    submission = Submission.objects.get_visible(request.user, id)
    _score(submission)
    if filters.track and filters.condition not in ("", filters.track):
        raise invalid([("query", "track", "Another word for `condition`: give one of them.")])
    condition = filters.condition or filters.track
    chosen = verdicts.Filters(failure=filters.failure, condition=condition, text=filters.q)
    own = submission.is_open_to(request.user, permissions.VIEW_GOLD)

    def read(start: int, limit: int) -> tuple[list[dict[str, Any]], int | None]:
        return verdicts.batch(
            submission, chosen, start=start, limit=limit, own=own, questions=filters.questions
        )

    return by_position(request, filters, read)
