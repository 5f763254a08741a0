"""Pages of notices: events by mail, digests of boards, webhooks, and the unsubscribe link of mails."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.benchmarks.models import Version
from leaderboard.notices import mailing, services
from leaderboard.notices.forms import FollowForm, MailForm, WebhookForm
from leaderboard.notices.models import Follow, Kind, NoticeSettings, Webhook
from leaderboard.web.requests import SignedInRequest


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notices(request: SignedInRequest) -> HttpResponse:
    """Choose mailed events and followed boards; `?board=<benchmark>/<version>` preselects a board to follow."""
    chosen = NoticeSettings.for_user(request.user)
    form = MailForm(request.POST or None, initial={"by_mail": chosen.by_mail})
    if request.method == "POST":
        form = MailForm(request.POST)
        if form.is_valid():
            chosen.by_mail = form.cleaned_data["by_mail"]
            chosen.save()
            messages.success(request, "Saved.")
            return redirect("leaderboard:notices")
    board = Version.objects.readable().by_address(request.GET.get("board", ""))
    context = {
        "form": form,
        "follow_form": FollowForm(initial={"version": board}),
        "follows": Follow.objects.filter(user=request.user).select_related("version__benchmark"),
        "address": mailing.address_of(request.user.pk),
        "mail_is_possible": mailing.is_possible(),
    }
    return render(request, "leaderboard/notices.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def follow(request: SignedInRequest) -> HttpResponseRedirect:
    form = FollowForm(request.POST)
    if form.is_valid():
        version = form.cleaned_data["version"]
        Follow.objects.get_or_create(user=request.user, version=version)
        messages.success(request, f"You get a digest of {version.title} once a week.")
    else:
        messages.error(request, "Choose a board from the list.")
    return redirect("leaderboard:notices")


@login_required
@require_POST
def unfollow(request: SignedInRequest, pk: int) -> HttpResponseRedirect:
    get_object_or_404(Follow, pk=pk, user=request.user).delete()
    messages.success(request, "You get no more digests of that board.")
    return redirect("leaderboard:notices")


@csrf_exempt  # the signed link is the permission: mail programs post to it without a session (RFC 8058)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Unsubscribe on POST. A GET changes nothing, because programs that check mail open its links."""
    try:
        user_id, ends = mailing.read(token)
    except signing.BadSignature as error:
        raise Http404 from error
    ended = mailing.words(ends)
    if request.method == "POST":
        mailing.unsubscribe(user_id, ends)
    return render(request, "leaderboard/unsubscribe.html", {"ended": ended, "done": request.method == "POST"})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def webhooks(request: SignedInRequest) -> HttpResponse:
    form, made = WebhookForm(request.POST or None), None
    if request.method == "POST" and form.is_valid() and (made := form.make(request.user)):
        form = WebhookForm()
    context = {"form": form, "made": made, "webhooks": _mine(request), "labels": Kind.choices}
    return render(request, "leaderboard/webhooks.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def try_webhook(request: SignedInRequest, pk: int) -> HttpResponseRedirect:
    services.send_test(get_object_or_404(_mine(request), pk=pk))
    messages.success(request, "A test message is being sent. Reload this page in a moment to see the answer.")
    return redirect("leaderboard:webhooks")


@login_required
@require_POST
def delete_webhook(request: SignedInRequest, pk: int) -> HttpResponseRedirect:
    get_object_or_404(_mine(request), pk=pk).delete()
    messages.success(request, "The webhook and its waiting messages are deleted.")
    return redirect("leaderboard:webhooks")


def _mine(request: SignedInRequest) -> QuerySet[Webhook]:
    return Webhook.objects.filter(user=request.user)
