"""What a new grader did to a board: rank before and after each regrade round."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import rank_changes


@require_safe
def changes(request: HttpRequest, benchmark: str, version: str) -> HttpResponse:
    frozen = Version.objects.get_readable(benchmark, version)
    context = {
        "version": frozen,
        "headline": frozen.headline,
        "rounds": rank_changes.rounds(frozen),
    }
    return render(request, "leaderboard/changes.html", context)
