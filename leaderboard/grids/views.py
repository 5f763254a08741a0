"""Benches, for who may see and start runs: what runs and ran, start one, watch it, and its report."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.core.errors import SettingsError
from evaluation.core.pages.stored import document_from_json
from leaderboard.accounts import permissions
from leaderboard.accounts.staff import needs
from leaderboard.benchmarks import storage
from leaderboard.grids import estimates, execution, orders, pages
from leaderboard.grids import services as benches
from leaderboard.grids.execution import ARCHIVE
from leaderboard.grids.forms import BenchForm
from leaderboard.grids.models import Bench
from leaderboard.runs import model_files
from leaderboard.runs.views import jobs

PAGE_SIZE = 30  # benches a page


@needs(permissions.VIEW_RUN)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All benches, newest first; refreshed by itself while one is active."""
    page = Paginator(Bench.objects.for_list(), PAGE_SIZE).get_page(request.GET.get("page"))
    active = Bench.objects.pending().exists()
    return render(request, "leaderboard/benches.html", {"page": page, "active": active})


@needs(permissions.ADD_RUN)
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _start_page(request, BenchForm(request.GET))
    form = BenchForm(request.POST, bound=True)
    if not form.is_valid():
        return _start_page(request, form, status=422)
    try:
        bench = benches.start(
            **form.asked(),
            suite=form.chosen_suite,
            values=form.cleaned_data["settings"],
            started_by=request.user,
        )
    except (orders.BenchError, SettingsError) as error:
        form.add_error(None, str(error))
        return _start_page(request, form, status=422)
    return HttpResponseRedirect(bench.get_absolute_url())


def _start_page(request: HttpRequest, form: BenchForm, *, status: int = 200, **known: Any) -> HttpResponse:
    offered = orders.benches_named(form.chosen_suite) if form.chosen_suite else None
    adapter = form.chosen.label if form.chosen and form.chosen.is_adapter else ""
    context = {
        "form": form,
        "executor": form.chosen,
        "offered_parts": offered.parts(adapter) if offered else [],
        "missing": model_files.missing_packages() if form.chosen and form.chosen.takes_model else [],
        "install": model_files.INSTALL,
    }
    return render(request, "leaderboard/bench_start.html", context | known, status=status)


@needs(permissions.ADD_RUN)
@require_http_methods(["GET", "HEAD", "POST"])
def estimate(request: HttpRequest) -> HttpResponse:
    """What the bench in the form comes to; a POST has it calibrated first."""
    posted = request.method == "POST"
    form = BenchForm(request.POST if posted else request.GET, bound=True)
    plan = form.plan() if form.is_valid() else None
    reading = None
    if plan:
        reading = estimates.ask(plan) if posted and plan.is_adapter else estimates.estimate_for(plan)
    known: dict[str, Any] = {
        "plan": plan,
        "reading": reading,
        "asked_for": True,
        "cells": sum(part.cells for part in form.plan_made),
        "rows": sum(part.rows for part in form.plan_made),
    }
    if not getattr(request, "htmx", False):
        return _start_page(request, form, **known)
    return render(request, "leaderboard/_bench_estimate.html", known)


@needs(permissions.VIEW_RUN)
@require_safe
def detail(request: HttpRequest, pk: Any) -> HttpResponse:
    bench = _bench(pk)
    sections = pages.sections(document_from_json(bench.report)) if bench.report else []
    return render(request, "leaderboard/bench.html", _context(bench) | {"sections": sections})


@needs(permissions.VIEW_RUN)
@require_safe
def status(request: HttpRequest, pk: Any) -> HttpResponse:
    """The part of the page that changes. Once the bench has ended, the whole page is reloaded."""
    bench = _bench(pk)
    return jobs.status(request, bench, "leaderboard/_bench_status.html", _context(bench))


@needs(permissions.VIEW_RUN)
@require_safe
def report(request: HttpRequest, pk: Any) -> HttpResponse:
    """The report as one page that needs nothing else, to be kept: a download, as it brings its own style."""
    bench = _bench(pk)
    if not bench.report:
        raise Http404("This bench has no report yet.")
    response = HttpResponse(document_from_json(bench.report).html(), content_type="text/html; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{_file_name(bench)}.html"'
    return response


@needs(permissions.VIEW_RUN)
@require_safe
def files(request: HttpRequest, pk: Any) -> HttpResponseBase:
    """What a finished bench wrote, but for the rows, which the same settings make again."""
    bench = _bench(pk)
    if not bench.files_sha256:
        raise Http404("The files of this bench are stored once it is finished.")
    archive = storage.open_packed(bench.files_sha256, ARCHIVE)
    name = f"{_file_name(bench)}{ARCHIVE}"
    return FileResponse(archive, as_attachment=True, filename=name, content_type="application/zip")


@needs(permissions.CANCEL_RUN)
@require_POST
def cancel(request: HttpRequest, pk: Any) -> HttpResponse:
    return jobs.cancel(request, _bench(pk))


@needs(permissions.RESUME_RUN)
@require_POST
def resume(request: HttpRequest, pk: Any) -> HttpResponse:
    return jobs.resume(request, _bench(pk))


@needs(permissions.RESUME_RUN)
@require_POST
def go_on(request: HttpRequest, pk: Any) -> HttpResponse:
    return jobs.go_on(request, _bench(pk))


def _bench(pk: Any) -> Bench:
    return get_object_or_404(
        Bench.objects.with_silence().select_related("model_file__check_made", "started_by"), pk=pk
    )


def _file_name(bench: Bench) -> str:
    return f"bench-{slugify(bench.name)[:60] or 'system'}-{slugify(bench.size)}"


def _context(bench: Bench) -> dict[str, Any]:
    return jobs.context(bench, execution.files_of) | {
        "bench": bench,
        "command": orders.command(bench),
        "status_url": reverse("leaderboard:bench_status", args=[bench.pk]),
    }
