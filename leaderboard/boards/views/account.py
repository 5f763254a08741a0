"""The account page: systems and submissions of the account and of its teams, and the remaining quota."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.accounts import confirmation, teams
from leaderboard.accounts.models import FormerName, Membership
from leaderboard.boards.placements import outcomes
from leaderboard.submissions import quotas
from leaderboard.submissions.models import Submission, System
from leaderboard.web.requests import SignedInRequest


@login_required
@require_safe
def account(request: SignedInRequest) -> HttpResponse:
    mine = (
        Submission.objects.listed()
        .select_related("run")
        .filter(submitter__in=teams.accounts_of(request.user))
    )
    page = Paginator(mine, 25).get_page(request.GET.get("page"))
    placed = outcomes.submission_placements(page.object_list)
    systems = System.objects.filter(owner__in=teams.accounts_of(request.user)).select_related("owner")
    context = {
        "systems": Paginator(systems, 25).get_page(request.GET.get("systems")),
        "page": page,
        "lines": [(submission, placed[submission.pk]) for submission in page.object_list],
        "unconfirmed": not confirmation.is_confirmed(request.user),
        "quota": quotas.quota_for(request.user),
        "signs_in_elsewhere": bool(settings.SOCIALACCOUNT_PROVIDERS),
        "memberships": Membership.objects.select_related("team__account").filter(user_id=request.user.pk),
        "former_names": FormerName.objects.filter(user_id=request.user.pk),
    }
    return render(request, "leaderboard/account.html", context)
