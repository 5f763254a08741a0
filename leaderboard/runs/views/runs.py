"""Runs, for who may see and start them: what runs and ran, start one, watch it, cancel and resume it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.core.errors import SettingsError
from leaderboard.accounts import permissions
from leaderboard.accounts.staff import needs
from leaderboard.runs import estimates, execution, model_files, provenance
from leaderboard.runs import services as runs
from leaderboard.runs.forms import RunForm
from leaderboard.runs.models import Run
from leaderboard.runs.views import jobs
from leaderboard.submissions import artifacts, transcripts

PAGE_SIZE = 30  # runs a page


@needs(permissions.VIEW_RUN)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All runs, newest first; refreshed by itself while one is active."""
    joined = Run.objects.select_related("system", "version__benchmark", "model_file", "submission__score")
    all_runs = joined.with_silence().defer("submission__score__metric_sums")
    page = Paginator(all_runs, PAGE_SIZE).get_page(request.GET.get("page"))
    active = Run.objects.filter(status__in=Run.ACTIVE).exists()
    return render(request, "leaderboard/runs.html", {"page": page, "active": active})


@needs(permissions.ADD_RUN)
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _asked_for(request)
    form = RunForm(request.POST, bound=True)
    if not form.is_valid():
        return _start_page(request, form, status=422)
    data = form.cleaned_data
    try:
        run, *_ = runs.start_repeats(
            repeats=data["repeats"] or 1,
            version=data["version"],
            executor=data["executor"],
            started_by=request.user,
            model_file=data.get("model_file"),
            values=data["values"],
            splits=data.get("conditions"),
            row_limit=data["row_limit"],
            declared=data["declared"],
        )
    except (runs.RunError, SettingsError) as error:
        form.add_error(None, str(error))
        return _start_page(request, form, status=422)
    return HttpResponseRedirect(run.get_absolute_url())


def _asked_for(request: HttpRequest) -> HttpResponse:
    """The form with what the address asks for. Another version or system keeps what was filled in and still fits."""
    filled = [(name, value) for name, values in request.GET.lists() for value in values if value]
    asked = [(name, value) for name, value in filled if name not in ("version", "executor")]
    response = _start_page(request, RunForm(request.GET), asked=asked)
    if getattr(request, "htmx", False):
        response["HX-Push-Url"] = f"{request.path}?{urlencode(filled, safe='/')}"
    return response


def _start_page(request: HttpRequest, form: RunForm, *, status: int = 200, **known: Any) -> HttpResponse:
    context = {
        "form": form,
        "executor": form.chosen,
        "version": form.chosen_version,
        "missing": model_files.missing_packages() if form.chosen and form.chosen.takes_model else [],
        "install": model_files.INSTALL,
    }
    return render(request, "leaderboard/run_start.html", context | known, status=status)


@needs(permissions.ADD_RUN)
@require_http_methods(["GET", "HEAD", "POST"])
def estimate(request: HttpRequest) -> HttpResponse:
    """How long the run in the form would take; a POST has it calibrated first."""
    posted = request.method == "POST"
    form = RunForm(request.POST if posted else request.GET, bound=True)
    plan = form.plan() if form.is_valid() else None
    reading = None
    if plan:
        reading = estimates.ask(plan) if posted and plan.is_adapter else estimates.estimate_for(plan)
    known: dict[str, Any] = {"plan": plan, "reading": reading, "asked_for": True}
    if not getattr(request, "htmx", False):
        return _start_page(request, form, **known)
    return render(request, "leaderboard/_run_estimate.html", known)


@needs(permissions.VIEW_RUN)
@require_safe
def detail(request: HttpRequest, pk: Any) -> HttpResponse:
    run = _run(pk)
    result = run.submission
    shows = {
        "shows_artifacts": result is not None and artifacts.has_artifacts(result),
        "shows_transcripts": result is not None and transcripts.may_be_read_by(result, request.user),
    }
    return render(request, "leaderboard/run.html", _context(run) | shows)


@needs(permissions.VIEW_RUN)
@require_safe
def status(request: HttpRequest, pk: Any) -> HttpResponse:
    """The part of the page that changes. Once the run has ended, the whole page is reloaded."""
    run = _run(pk)
    return jobs.status(request, run, "leaderboard/_run_status.html", _context(run))


@needs(permissions.CANCEL_RUN)
@require_POST
def cancel(request: HttpRequest, pk: Any) -> HttpResponse:
    return jobs.cancel(request, _run(pk))


@needs(permissions.RESUME_RUN)
@require_POST
def resume(request: HttpRequest, pk: Any) -> HttpResponse:
    return jobs.resume(request, _run(pk))


@needs(permissions.RESUME_RUN)
@require_POST
def go_on(request: HttpRequest, pk: Any) -> HttpResponse:
    return jobs.go_on(request, _run(pk))


def _run(pk: Any) -> Run:
    names = (
        "system__owner",
        "version__benchmark",
        "model_file__check_made",
        "submission__score",
        "started_by",
    )
    return get_object_or_404(Run.objects.with_silence().select_related(*names), pk=pk)


def _context(run: Run) -> dict[str, Any]:
    return jobs.context(run, execution.files_of) | {
        "run": run,
        "version": run.version,
        "command": provenance.command(run),
        "status_url": reverse("leaderboard:run_status", args=[run.pk]),
    }
