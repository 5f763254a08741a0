"""My systems, my submissions, what is left of my quota."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard import quotas
from leaderboard.models import Submission, System


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    mine = Submission.objects.with_names().filter(submitter=request.user)
    context = {
        "systems": System.objects.filter(owner=request.user),
        "page": Paginator(mine, 25).get_page(request.GET.get("page")),
        "quota": quotas.of(request.user),
    }
    return render(request, "leaderboard/account.html", context)
