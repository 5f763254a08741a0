"""Every submission that the reader may see: by system, account, version and state."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards.filters import HistoryFilter
from leaderboard.boards.tables import HistoryTable, paged
from leaderboard.submissions.models import Submission

PAGE_SIZE = 50


@require_safe
def history(request: HttpRequest) -> HttpResponse:
    visible = Submission.objects.visible_to(request.user).listed().defer("score__metrics", "score__intervals")
    filters = HistoryFilter(request.GET, queryset=visible)
    table = paged(HistoryTable, filters.qs, request, size=PAGE_SIZE)
    return render(request, "leaderboard/history.html", {"table": table, "filter": filters})
