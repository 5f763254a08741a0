"""A submission: its grading as it goes on, its figures, its rows."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from leaderboard.accounts import permissions
from leaderboard.benchmarks import downloads
from leaderboard.submissions import score_tables, verdicts
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission


@require_safe
def detail(request: HttpRequest, pk: Any) -> HttpResponse:
    return render(
        request,
        "leaderboard/submission.html",
        _context(request, Submission.objects.get_visible(request.user, pk)),
    )


@require_safe
def status(request: HttpRequest, pk: Any) -> HttpResponse:
    """The part of the page that changes while a worker grades. Once it is done, the whole page is loaded anew."""
    submission = Submission.objects.get_visible(request.user, pk)
    response = render(request, "leaderboard/_submission_status.html", _context(request, submission))
    if not submission.is_pending and getattr(request, "htmx", False):
        response["HX-Refresh"] = "true"
    return response


def _context(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    score = submission.score
    revision = _number(request.GET.get("revision"))
    shown = score if revision is None else submission.scores.filter(revision=revision).first() or score
    return {
        "submission": submission,
        "version": submission.version,
        "score": shown,
        "scores": list(submission.scores.all()),
        "few": score_tables.few_units(shown) if shown else 0,
        "unranked": submission.version.suite.unranked.get(submission.system.kind),
        "metrics": score_tables.metrics(submission.version, shown) if shown else [],
        "groups": score_tables.groups(submission.version, shown) if shown else [],
        "failures": score_tables.failures(submission, shown) if shown else [],
        "events": submission.events.select_related("actor"),
        "may": _acts(submission, request.user),
        "ahead": Submission.objects.claimable().filter(created_at__lt=submission.created_at).count()
        if submission.status == Submission.Status.QUEUED
        else 0,
    }


def _acts(submission: Submission, user: Any) -> dict[str, bool]:
    """What the reader may do with it, by the names that the page asks for."""
    wanted = {
        "publish": permissions.PUBLISH_SUBMISSION,
        "withdraw": permissions.WITHDRAW_SUBMISSION,
        "download": permissions.DOWNLOAD_PREDICTIONS,
    }
    return {name: submission.is_open_to(user, permission) for name, permission in wanted.items()}


def _number(text: str | None) -> int | None:
    """A number of an address, None for anything else: a figure of thousands of digits is no page."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else None


@require_safe
def rows(request: HttpRequest, pk: Any) -> HttpResponse:
    """The verdicts row by row: question, prediction, gold (if public) and the reason."""
    submission = Submission.objects.get_visible(request.user, pk)
    if submission.score is None:
        raise Http404
    filters = verdicts.Filters.read(request.GET)
    own = submission.is_open_to(request.user, permissions.VIEW_GOLD)
    page = verdicts.page(submission, filters, number=_number(request.GET.get("page")) or 1, own=own)
    context = {
        "submission": submission,
        "version": submission.version,
        "filters": filters,
        "choices": verdicts.choices(submission),
        "page": page,
        "rows": page.object_list,
    }
    return render(request, "leaderboard/submission_rows.html", context)


@require_safe
def predictions(request: HttpRequest, pk: Any) -> HttpResponseBase:
    """The file as it was submitted, for its owner."""
    submission = _open(request, pk, permissions.DOWNLOAD_PREDICTIONS)
    name = f"{submission.system.slug}-{submission.version.slug}.preds.jsonl.gz"
    return downloads.send(request, submission.file_sha256, name=name, private=True)


@login_required
@require_POST
def visibility(request: HttpRequest, pk: Any) -> HttpResponse:
    submission = _open(request, pk, permissions.PUBLISH_SUBMISSION)
    wanted = request.POST.get("visibility", "")
    if wanted not in Submission.Visibility.values:
        messages.error(request, "A submission is public or private.")
        return HttpResponseRedirect(submission.get_absolute_url())
    try:
        submissions.set_visibility(submission, wanted, actor=request.user)
    except submissions.TrialError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The submission is now {wanted}.")
    return HttpResponseRedirect(submission.get_absolute_url())


@login_required
@require_POST
def withdraw(request: HttpRequest, pk: Any) -> HttpResponse:
    submission = _open(request, pk, permissions.WITHDRAW_SUBMISSION)
    submissions.withdraw(submission, actor=request.user)
    messages.success(request, "Withdrawn. It left the board and stays in the history.")
    return HttpResponseRedirect(reverse("leaderboard:submission", args=[submission.pk]))


def _open(request: HttpRequest, pk: Any, permission: str) -> Submission:
    """The submission, for its submitter and for who has the permission. Raises Http404 or PermissionDenied."""
    submission = Submission.objects.get_visible(request.user, pk)
    if not submission.is_open_to(request.user, permission):
        raise PermissionDenied(f"This is not your submission. {permissions.refusal(permission)}")
    return submission
