"""Pages to export an account's data, delete an account and dissolve a team."""

from __future__ import annotations

from typing import Any

from allauth.core import ratelimit
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.accounts import teams
from leaderboard.care import deletion, export
from leaderboard.web.requests import SignedInRequest


class DeletionForm(forms.Form):
    """Asks for the password, or for the name if the account has no password, to confirm a deletion."""

    results = forms.ChoiceField(
        label="Public results",
        choices=[
            ("keep", "Keep the results on boards, without the name"),
            (
                "withdraw",
                "Withdraw the results: they leave the boards, but stay in the history of their systems",
            ),
        ],
        initial="keep",
    )
    proof = forms.CharField(max_length=200, strip=False)

    def __init__(self, *args: Any, user: Any, named: str = "Your user name", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._user = user
        self._by_password = user.has_usable_password()
        self.fields["proof"].label = "Password" if self._by_password else named
        if self._by_password:
            self.fields["proof"].widget = forms.PasswordInput(attrs={"autocomplete": "current-password"})

    def clean_proof(self) -> str:
        proof = str(self.cleaned_data["proof"])
        right = self._user.check_password(proof) if self._by_password else proof == self._user.get_username()
        if not right:
            raise forms.ValidationError(
                "That is not your password." if self._by_password else "That is not the name."
            )
        return proof


@login_required
@never_cache
@require_safe
def export_account(request: SignedInRequest) -> StreamingHttpResponse:
    name = f"{request.user.get_username()}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(export.zipped(request.user), content_type="application/zip", headers=headers)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: SignedInRequest) -> HttpResponse:
    """Explain the consequences, ask for the password, and delete the account."""
    sent = request.method == "POST"
    if sent and (refused := ratelimit.consume_or_429(request, action="reauthenticate", user=request.user)):
        return refused
    form = DeletionForm(request.POST if sent else None, user=request.user)
    if form.is_valid():
        try:
            name = deletion.delete(request.user, withdraw=form.cleaned_data["results"] == "withdraw")
        except deletion.DeletionError as error:
            form.add_error(None, str(error))
        else:
            logout(request)
            messages.success(
                request, f"Your account is deleted. Its public results are now listed under “{name}”."
            )
            return redirect("leaderboard:front")
    context = {"form": form, "left": deletion.outlook(request.user)}
    return render(request, "leaderboard/account_delete.html", context, status=422 if form.errors else 200)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def dissolve_team(request: SignedInRequest, team: str) -> HttpResponse:
    """Explain the consequences, ask an owner for the team's name, and delete the team's account."""
    found = teams.named(team, request.user, teams.OWNS)
    posted = request.POST if request.method == "POST" else None
    form = DeletionForm(posted, user=found.account, named="The team's name")
    if form.is_valid():
        name = deletion.delete(found.account, withdraw=form.cleaned_data["results"] == "withdraw")
        messages.success(request, f"The team is dissolved. Its public results are now listed under “{name}”.")
        return redirect("leaderboard:account")
    context = {"form": form, "left": deletion.outlook(found.account), "team": found}
    return render(request, "leaderboard/account_delete.html", context, status=422 if form.errors else 200)
