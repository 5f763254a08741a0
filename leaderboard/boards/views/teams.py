"""Pages of the reader's teams: create a team, invite people, change roles, leave."""

from __future__ import annotations

from urllib.parse import unquote

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.accounts import teams, usernames
from leaderboard.accounts.models import Membership, Role
from leaderboard.submissions import quotas
from leaderboard.submissions.models import System
from leaderboard.web.context_processors import mail_goes_out
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.validators import PrintableTextMixin


class TeamForm(PrintableTextMixin, forms.Form):
    name = forms.CharField(max_length=150, label="Name of the team", help_text=usernames.RULE)


class InvitationForm(PrintableTextMixin, forms.Form):
    email = forms.EmailField(label="E-mail address")
    role = forms.ChoiceField(choices=Role, initial=Role.SUBMITTER, label="Role")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: SignedInRequest) -> HttpResponse:
    form = TeamForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            team = teams.create(form.cleaned_data["name"].strip(), by=request.user)
        except ValidationError as error:
            form.add_error("name", error)
        except teams.TeamError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"You created the team {team} and own it. Invite the other members.")
            return redirect(team)
    context = {
        "form": form,
        "memberships": Membership.objects.select_related("team__account").filter(user=request.user),
    }
    return render(request, "leaderboard/teams.html", context, status=422 if form.errors else 200)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: SignedInRequest, team: str) -> HttpResponse:
    """The page of a team for its members. A POST by an owner sends an invitation."""
    posted = request.method == "POST"
    found = teams.named(team, request.user, teams.OWNS if posted else teams.READS)
    form, link = InvitationForm(request.POST if posted else None), ""
    if form.is_valid():
        address = unquote(request.build_absolute_uri(reverse("leaderboard:team_accept", args=["{token}"])))
        try:
            link = teams.invite(found, **form.cleaned_data, by=request.user, address=address)
        except teams.TeamError as error:
            form.add_error(None, str(error))
        else:
            messages.success(
                request, f"{form.cleaned_data['email']} is invited. The invitation expires in 7 days."
            )
            if mail_goes_out():
                return redirect(found)
            form = InvitationForm()
    context = {
        "team": found,
        "form": form,
        "link": link,
        "owns": teams.acts_for(request.user, found.account_id, teams.OWNS),
        "roles": Role.choices,
        "members": found.memberships.select_related("user"),
        "invitations": teams.open_invitations(found),
        "systems": System.objects.select_related("owner").filter(owner=found.account),
        "quota": quotas.quota_for(found.account),
    }
    return render(request, "leaderboard/team.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def change(request: SignedInRequest, team: str, pk: int) -> HttpResponseRedirect:
    """Change a member's role, or remove the member if `role` is empty. Only owners may; each member may leave."""
    found = teams.named(team, request.user)
    member = get_object_or_404(found.memberships.select_related("user"), pk=pk)
    role, leaves = request.POST.get("role", ""), member.user_id == request.user.pk
    if role or not leaves:
        teams.named(team, request.user, teams.OWNS)
    if role not in ("", *Role.values):
        raise Http404
    try:
        teams.change(found, member, role)
    except teams.TeamError as error:
        messages.error(request, str(error))
        return redirect(found)
    if role:
        messages.success(request, f"{member.user} is now {Role(role).label.lower()} of {found}.")
    else:
        messages.success(request, f"You have left {found}." if leaves else f"{member.user} has left {found}.")
    return redirect("leaderboard:account" if leaves and not role else found)


@login_required
@require_POST
def end(request: SignedInRequest, team: str, pk: int) -> HttpResponseRedirect:
    found = teams.named(team, request.user, teams.OWNS)
    invitation = get_object_or_404(teams.open_invitations(found), pk=pk)
    found.invitations.filter(pk=pk).update(ended=True)
    messages.success(request, f"The invitation of {invitation.email} is withdrawn; its link no longer works.")
    return redirect(found)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: SignedInRequest, token: str) -> HttpResponse:
    if request.method == "POST":
        team = teams.accept(token, request.user)
        messages.success(request, f"You joined the team {team}.")
        return redirect(team)
    return render(request, "leaderboard/team_accept.html", {"invitation": teams.invitation(token)})
