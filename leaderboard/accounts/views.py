"""Page of the user's API tokens: create (the secret is shown once), list and revoke."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.accounts.forms import TokenForm
from leaderboard.accounts.models import ApiToken
from leaderboard.web.requests import SignedInRequest


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: SignedInRequest) -> HttpResponse:
    form = TokenForm(request.POST or None, user=request.user)
    secret = ""
    if request.method == "POST" and form.is_valid():
        _, secret = ApiToken.objects.issue(user=request.user, **form.cleaned_data)
        form = TokenForm(user=request.user)
    context = {"form": form, "secret": secret, "tokens": ApiToken.objects.filter(user_id=request.user.pk)}
    return render(request, "leaderboard/tokens.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    token = get_object_or_404(ApiToken, pk=pk, user_id=request.user.pk)
    token.revoke()
    messages.success(request, f"{token} is revoked. Requests with this token are refused from now on.")
    return HttpResponseRedirect(reverse("leaderboard:tokens"))
