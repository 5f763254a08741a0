"""Pages about all submissions that the reader may see, and about the effect of a new grader on a board."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.accounts import permissions, teams
from leaderboard.benchmarks.models import Version
from leaderboard.boards.filters import HistoryFilter
from leaderboard.boards.placements import rank_changes
from leaderboard.boards.tables import HistoryTable, LongData, paged
from leaderboard.submissions.models import Submission, SubmissionCount

PAGE_SIZE = 50


@require_safe
def history(request: HttpRequest) -> HttpResponse:
    whole = Submission.objects.listed().defer("score__metrics", "score__intervals")
    filters = HistoryFilter(request.GET, queryset=whole.visible_to(request.user))
    narrow = filters.narrow
    rows = LongData(filters.qs, whole, None if narrow else _length(request.user, filters.counted))
    table = paged(HistoryTable, rows, request, size=PAGE_SIZE, orderable=None if narrow else ["created_at"])
    return render(request, "leaderboard/history.html", {"table": table, "filter": filters})


def _length(user: Any, counted: dict[str, object]) -> int:
    """Number of submissions that a reader may see. `counted` maps model fields to the values to filter by."""
    counts = SubmissionCount.objects.readable().filter(**counted)
    if permissions.may(user, permissions.VIEW_SUBMISSION):
        return counts.total()
    public = Submission.Visibility.PUBLIC
    own = Submission.objects.none()
    if user.is_authenticated:
        own = (
            Submission.objects.readable()
            .filter(submitter__in=teams.accounts_of(user), **counted)
            .exclude(visibility=public)
        )
    return counts.filter(visibility=public).total() + own.count()


@require_safe
def changes(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    frozen = Version.objects.get_readable(benchmark, version)
    context = {"version": frozen, "headline": frozen.headline, "rounds": rank_changes.rounds(frozen)}
    return render(request, "leaderboard/changes.html", context)
