"""Conformance pages: the requirements of the specification, and the implementations that meet them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.statebench.conformance.suite import REVISION
from leaderboard.accounts import audit, permissions, teams
from leaderboard.accounts.permissions import needs
from leaderboard.conformance import intake
from leaderboard.conformance import services as conformance
from leaderboard.conformance.models import ConformanceReport
from leaderboard.jobs import checking, dispatch
from leaderboard.submissions import quotas
from leaderboard.submissions.forms import SystemField, system_name
from leaderboard.submissions.models import System
from leaderboard.web.validators import PrintableTextMixin

NEWEST = 50  # reports of others that the page lists


class ReportForm(PrintableTextMixin, forms.Form):
    system = SystemField(System.objects.none(), required=False, empty_label="A new system")
    name = forms.CharField(max_length=80, required=False, label="Name of the new system")
    file = forms.FileField(label="Report", help_text="the report.json that the command wrote", max_length=200)

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        systems: Any = self.fields["system"]
        systems.user = user
        whose = teams.accounts_of(user, teams.SUBMITS)
        systems.queryset = System.objects.select_related("owner").filter(owner__in=whose)

    def clean_name(self) -> str:
        return system_name(self.cleaned_data["name"], self.user)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not data.get("system") and not data.get("name", "").strip() and "name" not in self.errors:
            self.add_error("name", "Give the new system a name, or choose one of yours above.")
        return data

    def get_system(self) -> str:
        """The slug of the chosen system, or the name of the new system."""
        chosen: System | None = self.cleaned_data["system"]
        return chosen.slug if chosen else str(self.cleaned_data["name"])

    @property
    def owner(self) -> Any:
        chosen: System | None = self.cleaned_data["system"]
        return chosen.owner if chosen else self.user


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return _page(request, conformance.newest_own(), others())


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, get_object_or_404(ConformanceReport.objects.select_related("system__owner"), pk=pk))


def others() -> QuerySet[ConformanceReport]:
    """Reports that accounts uploaded, newest first."""
    sent = ConformanceReport.objects.filter(verified=False).select_related("system__owner")
    return sent.defer("vectors")[:NEWEST]


def _page(
    request: HttpRequest, report: ConformanceReport | None, reports: QuerySet[ConformanceReport] | None = None
) -> HttpResponse:
    context = {
        "report": report,
        "groups": conformance.groups(report) if report else [],
        "reports": reports,
        "is_index": reports is not None,
        "suite_revision": REVISION,
        "our_vectors": report is not None and report.vectors_sha256 == conformance.vectors_sha256(),
    }
    return render(request, "leaderboard/conformance.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    form = ReportForm(request.POST or None, request.FILES or None, user=request.user)
    if not form.is_valid():
        return _upload_page(request, form, status=422 if form.errors else 200)
    data = form.cleaned_data["file"].read(intake.MAX_BYTES + 1)
    try:
        report, created = conformance.receive(
            data, system=form.get_system(), by=request.user, owner=form.owner
        )
    except intake.ReportError as error:
        form.add_error("file", forms.ValidationError(error.problems))
        return _upload_page(request, form, status=422)
    except quotas.QuotaError as error:
        form.add_error(None, str(error))
        return _upload_page(request, form, status=429)
    except checking.BusyError as error:
        form.add_error(None, str(error))
        return _upload_page(request, form, status=error.status)
    messages.success(request, f"{'Received' if created else 'Received before'}: {report}.")
    return HttpResponseRedirect(report.get_absolute_url())


def _upload_page(request: HttpRequest, form: ReportForm, *, status: int) -> HttpResponse:
    context = {"form": form, "max_bytes": intake.MAX_BYTES}
    return render(request, "leaderboard/conformance_upload.html", context, status=status)


@needs(permissions.RUN_CONFORMANCE)
@require_POST
def run(request: HttpRequest) -> HttpResponse:
    audit.record("run conformance")
    dispatch.enqueue("run_conformance")
    messages.success(request, "A worker is running the vectors. Reload this page in a moment.")
    return redirect("leaderboard:conformance")
