"""The upload page. The file is checked line by line before anything is stored or queued."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from leaderboard import quotas, submissions
from leaderboard.forms import SubmitForm
from leaderboard.models import Submission, Version


@login_required
@require_http_methods(["GET", "POST"])
def submit(request: HttpRequest) -> HttpResponse:
    if request.method == "GET":
        return _page(request, SubmitForm(user=request.user, initial=_initial(request)))
    form = SubmitForm(request.POST, request.FILES, user=request.user)
    if getattr(request, "upload_too_large", False):
        form.errors.clear()
        form.add_error(
            "file", f"The file is larger than {settings.UPLOAD_MAX_BYTES >> 20} MB. Send it gzipped."
        )
        return _page(request, form, status=413)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        submission = _receive(request, form)
    except submissions.RejectedError as error:
        return _page(request, form, status=422, rejected=error.intake)
    except quotas.QuotaError as error:
        form.add_error(None, str(error))
        return _page(request, form, status=429)
    messages.success(request, f"Received {submission.row_count:,} rows. Grading starts at once.")
    return HttpResponseRedirect(submission.get_absolute_url())


def _initial(request: HttpRequest) -> dict[str, Any]:
    """The version and system named in the address, so that links can lead here prepared."""
    wanted = request.GET.get("version", "")
    open_versions = Version.objects.open()
    chosen = open_versions.filter(slug=wanted.rpartition("/")[2]).first() if wanted else open_versions.first()
    return {"version": chosen, "system": request.GET.get("system")}


def _receive(request: HttpRequest, form: SubmitForm) -> Submission:
    upload, data = form.cleaned_data["file"], form.cleaned_data
    accepted = submissions.accept(data["version"], upload.temporary_file_path(), file_name=upload.name)
    reported = {"tokens_per_query": data["tokens_per_query"]} if data["tokens_per_query"] is not None else {}
    with transaction.atomic():  # a new system is kept only together with its first submission
        return submissions.create(
            accepted,
            system=form.get_system(),
            submitter=request.user,
            visibility=data["visibility"],
            note=data["note"],
            efficiency=reported,
        )


def _page(request: HttpRequest, form: SubmitForm, *, status: int = 200, rejected: Any = None) -> HttpResponse:
    context = {
        "form": form,
        "quota": quotas.of(request.user),
        "max_bytes": settings.UPLOAD_MAX_BYTES,
        "rejected": rejected,
        "problems": rejected.problems if rejected else [],
        "problem_count": sum(rejected.counts.values()) if rejected else 0,
        "problem_codes": rejected.counts if rejected else {},
    }
    return render(request, "leaderboard/submit.html", context, status=status)
