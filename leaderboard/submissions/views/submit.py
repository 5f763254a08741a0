"""The upload page. Files are checked line by line before anything is stored or queued."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from evaluation.core import row_states
from evaluation.core.terminal.wording import number_of
from evaluation.foreign.sending import READ_AS
from leaderboard.accounts import confirmation
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import checking
from leaderboard.submissions import quotas
from leaderboard.submissions import services as submissions
from leaderboard.submissions.forms import CheckForm, SubmitForm
from leaderboard.submissions.models import Submission
from leaderboard.submissions.services import entries
from leaderboard.web.requests import HtmxRequest

#: Fields that the query of a URL may fill in.
PREPARED = frozenset(SubmitForm.base_fields) - {"file", "take_unanswered"}
#: Name of the button that only checks the file.
CHECK = "check"
#: End of the message about unanswered lines.
UNANSWERED = (
    "Nothing was submitted, and your quota is unchanged. Correct the file, or tick the box below it, and "
    "submit it again."
)


@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HtmxRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    if request.method != "POST":
        return _page(request, SubmitForm(user=request.user, initial=_initial(request)))
    if CHECK in request.POST:
        return _check(request)
    form = SubmitForm(request.POST, request.FILES, user=request.user)
    if getattr(request, "upload_too_large", False):
        _refuse_size(form)
        return _page(request, form, status=413)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        submission = _receive(request, form)
    except submissions.RejectedError as error:
        return _page(request, form, status=422, rejected=error)
    except submissions.UnansweredError as error:
        form.ask_about_unanswered(f"{error} {UNANSWERED}")
        return _page(request, form, status=422)
    except submissions.RepeatsError as error:
        form.add_error("repeats", str(error))
        return _page(request, form, status=422)
    except submissions.KindError as error:
        form.add_error("system", str(error))
        return _page(request, form, status=422)
    except confirmation.UnconfirmedError as error:
        form.add_error(None, str(error))
        return _page(request, form, status=403)
    except submissions.EntriesUsedUpError as error:
        form.add_error("declared", str(error))
        return _page(request, form, status=422)
    except quotas.QuotaError as error:
        form.add_error(None, str(error))
        return _page(request, form, status=429)
    except checking.BusyError as error:
        form.add_error(None, str(error))
        return wait_for(error, _page(request, form, status=error.status))
    what = f", {submission.repeats_words}" if submission.repeats_words else ""
    received = number_of(submission.row_count, "row")
    messages.success(
        request,
        f"Received {received}{what}. {_read_as(submission)}Grading starts at once.{_left(request, submission)}",
    )
    return _go_to(request, submission.get_absolute_url())


def _refuse_size(form: CheckForm | SubmitForm) -> None:
    # Fields after the file were not read: other errors would be misleading.
    form.errors.clear()
    form.add_error("file", f"The file is larger than {settings.UPLOAD_MAX_BYTES >> 20} MB. Send it gzipped.")


def _check(request: HtmxRequest) -> HttpResponse:
    form = CheckForm(request.POST, request.FILES)
    if getattr(request, "upload_too_large", False):
        _refuse_size(form)
        return _checked(request, form, status=413)
    if not form.is_valid():
        return _checked(request, form, status=422)
    version, upload = form.cleaned_data["version"], form.cleaned_data["file"]
    try:
        found = submissions.dry_run(version, upload.temporary_file_path(), sent_by=request.user)
    except submissions.RejectedError as error:
        return _checked(request, form, status=422, rejected=error)
    except checking.BusyError as error:
        form.add_error(None, str(error))
        return wait_for(error, _checked(request, form, status=error.status))
    return _checked(request, form, found=found)


def _checked(
    request: HtmxRequest, form: CheckForm, *, status: int = 200, found: Any = None, rejected: Any = None
) -> HttpResponse:
    """Show the result of a check. For htmx it is a fragment, so that the form in the browser keeps its file."""
    checked = _refusal(rejected) | {
        "check": form,
        "found": found,
        "unanswered": row_states.sentence(found.states, "lines") if found else "",
        "system_choice": request.POST.get("system", ""),
    }
    if request.htmx:
        return render(request, "leaderboard/_checked.html", checked, status=status)
    provided = {name: value for name, value in request.POST.items() if name != CHECK}
    return _page(request, SubmitForm(user=request.user, initial=provided), status=status, **checked)


def _refusal(rejected: submissions.RejectedError | None) -> dict[str, object]:
    intake = rejected.intake if rejected else None
    return {
        "rejected": rejected,
        "groups": intake.groups if intake else [],
        "problem_codes": intake.counts if intake else {},
    }


def _read_as(submission: Submission) -> str:
    said = (each["message"] for each in submission.warnings if each["code"] == READ_AS)
    return "".join(f"{each} " for each in said)


def _left(request: HttpRequest, submission: Submission) -> str:
    total = quotas.total_for(
        request.user, submission.version, submission.system, account=submission.submitter
    )
    return f" {total.left} of {number_of(total.limit, 'upload')} to this version left." if total else ""


def _go_to(request: HtmxRequest, address: str) -> HttpResponse:
    # htmx would follow a plain redirect by swapping the body only, and keep the old style sheets.
    return HttpResponseClientRedirect(address) if request.htmx else HttpResponseRedirect(address)


def _initial(request: HttpRequest) -> dict[str, object]:
    address = request.GET.get("version", "")
    chosen = Version.objects.open().by_address(address) if address else _likely()
    said = {name: value for name, value in request.GET.items() if name in PREPARED}
    return said | {"version": chosen}


def _likely() -> Version | None:
    first = list(Version.objects.open().without_twins().order_by("-featured", "pk")[:2])
    return first[0] if first and (first[0].featured or len(first) == 1) else None


@require_safe
def sample(request: HttpRequest) -> HttpResponse:
    """Show an example line and the rules of `?version=`, when another version is chosen in the form."""
    chosen = _version(request.GET.get("version", ""))
    context = {
        "version": chosen,
        "max_bytes": settings.UPLOAD_MAX_BYTES,
        "total": _total(request, chosen),
        "unconfirmed": _is_unconfirmed(request),
    }
    return render(request, "components/of_version.html", context)


def _version(key: Any) -> Version | None:
    text = str(key)
    return (
        Version.objects.open().filter(pk=int(text)).first() if text.isdecimal() and len(text) < 10 else None
    )


def _total(request: HttpRequest, version: Version | None) -> quotas.Quota | None:
    known = version is not None and request.user.is_authenticated
    return quotas.total_for(request.user, version) if version is not None and known else None


def _is_unconfirmed(request: HttpRequest) -> bool:
    return request.user.is_authenticated and not confirmation.is_confirmed(request.user)


def _receive(request: HttpRequest, form: SubmitForm) -> Submission:
    upload, data = form.cleaned_data["file"], form.cleaned_data
    system = data["system"] or None
    sent_from = quotas.origin_of(request, data["version"])
    quotas.check(request.user, data["version"], system, account=form.owner, sent_from=sent_from)
    if data["declared"]:
        repeats = data["repeats"] or 1
        entries.check(request.user, data["version"], system, account=form.owner, repeats=repeats)
    accepted = submissions.accept(
        data["version"],
        upload.temporary_file_path(),
        file_name=upload.name,
        refuse_unanswered=not data["take_unanswered"],
        sent_by=request.user,
    )
    reported = {"tokens_per_query": data["tokens_per_query"]} if data["tokens_per_query"] is not None else {}
    with transaction.atomic():  # no system without its first submission
        return submissions.create(
            accepted,
            system=form.get_system(accepted),
            submitter=form.owner,
            sent_by=request.user,
            visibility=data["visibility"],
            declared=data["declared"],
            repeats=data["repeats"] or 1,
            note=data["note"],
            efficiency=reported,
            sent_from=sent_from,
        )


def wait_for(error: checking.BusyError, page: HttpResponse) -> HttpResponse:
    """Add Retry-After to the page. The form's script then sends the file again after this time."""
    page["Retry-After"] = str(error.retry_after)
    return page


def _page(
    request: HttpRequest, form: SubmitForm, *, status: int = 200, rejected: Any = None, **more: Any
) -> HttpResponse:
    chosen = form["version"].value()
    version = chosen if isinstance(chosen, Version) else _version(chosen)
    context = {
        "form": form,
        "version": version,
        "total": _total(request, version),
        "unconfirmed": _is_unconfirmed(request),
        "quota": quotas.quota_for(request.user),
        "max_bytes": settings.UPLOAD_MAX_BYTES,
        "system_choice": form["system"].value(),
    }
    return render(request, "leaderboard/submit.html", context | _refusal(rejected) | more, status=status)
