"""Conformance: what the specification asks for, and who fulfils it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard import bell, conformance
from leaderboard.models import ConformanceReport, System
from leaderboard.views.staff import staff_only

NEWEST = 50


class ReportForm(forms.Form):
    """A report of one of my systems."""

    system = forms.ModelChoiceField(System.objects.none(), empty_label="Choose one of your systems")
    file = forms.FileField(label="Report", help_text="report.json, as the command writes it", max_length=200)

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        systems: Any = self.fields["system"]
        systems.queryset = System.objects.filter(owner=user)


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return _page(request, conformance.newest_own(), others())


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, get_object_or_404(ConformanceReport.objects.select_related("system__owner"), pk=pk))


def others() -> QuerySet[ConformanceReport]:
    """What was sent, newest first."""
    return ConformanceReport.objects.filter(verified=False).select_related("system__owner")[:NEWEST]


def _page(
    request: HttpRequest, report: ConformanceReport | None, reports: QuerySet[ConformanceReport] | None = None
) -> HttpResponse:
    groups = (
        [(conformance.GROUPS.get(letters, letters), rows) for letters, rows in report.groups]
        if report
        else []
    )
    context = {"report": report, "groups": groups, "reports": reports, "is_index": reports is not None}
    return render(request, "leaderboard/conformance.html", context)


@login_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    form = ReportForm(request.POST or None, request.FILES or None, user=request.user)
    if form.is_valid():
        try:
            report = conformance.receive(
                form.cleaned_data["file"].read(conformance.MAX_BYTES + 1),
                system=form.cleaned_data["system"],
                by=request.user,
            )
        except conformance.ReportError as error:
            form.add_error("file", str(error))
        else:
            messages.success(request, f"Received: {report}.")
            return HttpResponseRedirect(report.get_absolute_url())
    context = {"form": form, "max_bytes": conformance.MAX_BYTES}
    return render(request, "leaderboard/conformance_upload.html", context, status=422 if form.errors else 200)


@staff_only
@require_POST
def run(request: HttpRequest) -> HttpResponse:
    """Have a worker run our own implementation again."""
    bell.ring("run_conformance")
    messages.success(request, "A worker runs the vectors now. Reload this page in a moment.")
    return redirect("leaderboard:conformance")
