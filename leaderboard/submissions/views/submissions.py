"""Pages of a submission: grading, metrics, rows, artifacts, and forms to publish, withdraw or approve it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from evaluation.adapters.transcripts import TranscriptLine
from evaluation.core import jsonl
from evaluation.core.records import ShownVerdict
from leaderboard.accounts import permissions
from leaderboard.benchmarks import downloads
from leaderboard.submissions import artifacts as built_artifacts
from leaderboard.submissions import file_warnings, flags, transcripts, verdicts
from leaderboard.submissions import services as submissions
from leaderboard.submissions.likeness import wording
from leaderboard.submissions.models import Submission
from leaderboard.submissions.scores import groupings, score_tables, trials
from leaderboard.web.validators import forbidden_in, unseen_problem

ARTIFACTS_A_PAGE = 50  # lines of their table


@require_safe
def detail(request: HttpRequest, pk: Any) -> HttpResponse:
    return render(
        request,
        "leaderboard/submission.html",
        _with_figures(
            _context(request, Submission.objects.get_visible(request.user, pk)), request.GET.get("by", "")
        ),
    )


@require_safe
def status(request: HttpRequest, pk: Any) -> HttpResponse:
    """Show the part of the page that changes during grading. After grading, the whole page reloads."""
    submission = Submission.objects.get_visible(request.user, pk)
    response = render(request, "leaderboard/_submission_status.html", _context(request, submission))
    if not submission.is_pending and getattr(request, "htmx", False):
        response["HX-Refresh"] = "true"
    return response


def _context(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    score = submission.score
    revision = _number(request.GET.get("revision"))
    shown = score if revision is None else submission.scores.filter(revision=revision).first() or score
    kind = submission.system.kind
    unranked = submission.version.suite.unranked.get(kind)
    # A memory or strategy without a model answers no rows, which is no failure.
    failures = score_tables.failures(submission, shown) if shown and unranked is None else []
    trial = trials.trial_of(submission, shown, failures)
    shown = trials.readable(submission, shown) if shown else None
    return {
        "submission": submission,
        "trial": trial,
        "version": submission.version,
        "score": shown,
        "scores": list(submission.scores.defer("metric_sums")),
        "repeats": _repeats(submission, request.user),
        "unranked": unranked,
        "metrics": score_tables.metrics(submission.version, shown, kind) if shown else [],
        "failures": trial.failures if trial else failures,
        "withheld": verdicts.why_withheld(submission.version, request.user),
        "flags": flags.shown_to(submission, request.user),
        "alike": wording.findings(wording.readable(submission, request.user)),
        "warnings": file_warnings.for_submission(submission, request.user),
        "events": submission.events.select_related("actor"),
        "may": _acts(submission, request.user),
        "shows_artifacts": built_artifacts.has_artifacts(submission)
        and built_artifacts.may_be_read_by(submission, request.user),
        "shows_transcripts": transcripts.may_be_read_by(submission, request.user),
        "ahead": Submission.objects.claimable().filter(created_at__lt=submission.created_at).count()
        if submission.status == Submission.Status.QUEUED
        else 0,
    }


def _repeats(submission: Submission, user: Any) -> list[Submission]:
    mean = submission if submission.is_mean else submission.mean
    if mean is None:
        return []
    return list(mean.members.visible_to(user).listed().order_by("repeat"))


def _with_figures(context: dict[str, Any], by: str) -> dict[str, object]:
    version, score, kind = context["version"], context["score"], context["submission"].system.kind
    over_own_rows = not context["trial"] or context["trial"].over_own_rows
    figures = score_tables.figures(version, score, kind) if score and over_own_rows else []
    first, others = score_tables.first_and_others(figures)
    return context | {
        "shows_failures": bool(score and score.by_split and context["unranked"] is None),
        "figures": figures,
        "first_figures": first,
        "other_figures": others,
        "right": _without_failure(context),
        "decompositions": score_tables.decompositions(version, score) if score else [],
        "groupings": groupings.choices(version, score) if score else [],
        "grouping": groupings.grouping(version, score, kind, by) if score else None,
    }


def _without_failure(context: dict[str, Any]) -> int | None:
    submission, score = context["submission"], context["score"]
    if score is None or context["trial"] or submission.version.shown_step or not score.by_split:
        return None
    right: int = submission.row_count - sum(score.failures.values())
    return right if right >= 0 else None


def _acts(submission: Submission, user: Any) -> dict[str, bool]:
    permission_by_act = {
        "publish": permissions.PUBLISH_SUBMISSION,
        "withdraw": permissions.WITHDRAW_SUBMISSION,
    }
    may = {name: submission.is_open_to(user, permission) for name, permission in permission_by_act.items()}
    may["download"] = submission.gives_predictions_to(user)
    may["share"] = may["publish"] and submission.may_publish_predictions
    waits = settings.APPROVAL and submission.approval in (
        Submission.Approval.WAITING,
        Submission.Approval.REFUSED,
    )
    may["approve"] = waits and permissions.may(user, permissions.APPROVE_SUBMISSION)
    return may


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 10 else None


@require_safe
def rows(request: HttpRequest, pk: Any) -> HttpResponse:
    submission = Submission.objects.get_visible(request.user, pk)
    if submission.score is None:
        raise Http404
    if reason := verdicts.why_withheld(submission.version, request.user):
        raise PermissionDenied(reason)
    if submission.is_mean:  # a mean has no rows; the page of the first repeat links to the others
        first = submission.members.visible_to(request.user).order_by("repeat").first()
        if first is None:
            raise Http404
        address = reverse("leaderboard:submission_rows", args=[first.pk])
        return HttpResponseRedirect(f"{address}?{request.GET.urlencode()}")
    filters = verdicts.Filters.read(request.GET)
    number = _number(request.GET.get("page")) or 1
    page = verdicts.page(submission, filters, number=number, user=request.user)
    context = {
        "submission": submission,
        "version": submission.version,
        "filters": filters,
        "choices": verdicts.choices(submission),
        "page": page,
        "rows": page.object_list,
        "transcripts": _transcripts(request, submission, page.object_list),
    }
    return render(request, "leaderboard/submission_rows.html", context)


def _transcripts(
    request: HttpRequest, submission: Submission, rows: Iterable[ShownVerdict]
) -> dict[str, TranscriptLine]:
    if not transcripts.may_be_read_by(submission, request.user):
        return {}
    return transcripts.find(submission, {row["id"] for row in rows})


@require_safe
def predictions(request: HttpRequest, pk: Any) -> HttpResponseBase:
    """Download the submitted file. The user must be allowed to read the predictions."""
    submission = Submission.objects.get_visible(request.user, pk)
    if not submission.is_published:
        submission = _open(request, pk, permissions.DOWNLOAD_PREDICTIONS)
    if submission.is_mean or submission.file_removed_at:
        raise Http404
    name = f"{submission.system.slug}-{submission.version.slug}.preds.jsonl.gz"
    return downloads.send(request, submission.file_sha256, name=name, private=True)


@require_safe
def artifacts(request: HttpRequest, pk: Any) -> HttpResponse:
    """Show a table of the artifacts, and the text of the artifact for `?episode=`, or else of the first."""
    submission, built = _artifacts(request, pk)
    asked = request.GET.get("episode", "")
    page = Paginator(built, ARTIFACTS_A_PAGE).get_page(request.GET.get("page"))
    shown = next((each for each in built if each.episode_id == asked), None)
    if asked and shown is None:
        raise Http404
    context = {
        "submission": submission,
        "version": submission.version,
        "page": page,
        "shown": shown or next(iter(page.object_list), None),
    }
    return render(request, "leaderboard/submission_artifacts.html", context)


@require_safe
def artifact_lines(request: HttpRequest, pk: Any) -> HttpResponseBase:
    submission, built = _artifacts(request, pk)
    lines = b"".join(jsonl.dumps(each.line) + b"\n" for each in built)
    name = f"{submission.system.slug}-{submission.version.slug}.artifacts.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-cache"}
    return HttpResponse(lines, content_type="application/jsonl", headers=headers)


def _artifacts(request: HttpRequest, pk: Any) -> tuple[Submission, tuple[built_artifacts.Artifact, ...]]:
    submission = Submission.objects.get_visible(request.user, pk)
    if not built_artifacts.has_artifacts(submission):
        raise Http404
    if not built_artifacts.may_be_read_by(submission, request.user):
        raise PermissionDenied("The artifacts of a sealed version are shown to their submitter only.")
    return submission, built_artifacts.artifacts(submission)


@login_required
@require_POST
def visibility(request: HttpRequest, pk: Any) -> HttpResponse:
    submission = _open(request, pk, permissions.PUBLISH_SUBMISSION)
    requested = request.POST.get("visibility", "")
    if requested not in Submission.Visibility.values:
        messages.error(request, "Visibility must be public or private.")
        return HttpResponseRedirect(submission.get_absolute_url())
    try:
        submissions.set_visibility(submission, requested, actor=request.user)
    except submissions.TrialError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The submission is now {requested}.")
    return HttpResponseRedirect(submission.get_absolute_url())


@login_required
@require_POST
def share_predictions(request: HttpRequest, pk: Any) -> HttpResponse:
    submission = _open(request, pk, permissions.PUBLISH_SUBMISSION)
    submissions.share_predictions(submission, actor=request.user)
    messages.success(request, "The predictions are now public if the version's answers are.")
    return HttpResponseRedirect(submission.get_absolute_url())


@login_required
@require_POST
def withdraw(request: HttpRequest, pk: Any) -> HttpResponse:
    submission = _open(request, pk, permissions.WITHDRAW_SUBMISSION)
    submissions.withdraw(submission, actor=request.user)
    messages.success(request, "The submission is withdrawn from the board, and stays in the history.")
    return HttpResponseRedirect(reverse("leaderboard:submission", args=[submission.pk]))


def _open(request: HttpRequest, pk: Any, permission: str) -> Submission:
    submission = Submission.objects.get_visible(request.user, pk)
    if not submission.is_open_to(request.user, permission):
        raise PermissionDenied(f"This is not your submission. {permissions.refusal(permission)}")
    return submission


@login_required
@require_POST
def approval(request: HttpRequest, pk: Any) -> HttpResponse:
    submission = Submission.objects.get_visible(request.user, pk)
    if not permissions.may(request.user, permissions.APPROVE_SUBMISSION):
        raise PermissionDenied(permissions.refusal(permissions.APPROVE_SUBMISSION))
    approved, reason = "approve" in request.POST, request.POST.get("reason", "").strip()[:300]
    unseen = unseen_problem(reason) or forbidden_in(reason)
    if not approved and (not reason or unseen):
        messages.error(request, f"Give a reason for the submitter, in visible characters. {unseen}")
    else:
        submissions.decide(submission, approved=approved, actor=request.user, reason=reason)
        messages.success(
            request,
            "Approved: boards can show this result."
            if approved
            else "Refused: the submitter sees the reason.",
        )
    return redirect(submission)
