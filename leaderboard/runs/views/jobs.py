"""Pages of runs and benches: list, start, follow, cancel and resume; the report of a bench."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
)
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.core.errors import SettingsError
from evaluation.core.pages.document import document_from_json
from leaderboard.accounts import permissions
from leaderboard.accounts.permissions import needs
from leaderboard.benchmarks import storage
from leaderboard.jobs import queues
from leaderboard.runs import estimates, holders, life, model_files, provenance
from leaderboard.runs import services as runs
from leaderboard.runs.benches import orders, report
from leaderboard.runs.benches import services as benches
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.forms import BenchForm, JobForm, RunForm
from leaderboard.runs.model_job import JobError, JobStatus, ModelJob
from leaderboard.runs.models import Run
from leaderboard.submissions import artifacts, transcripts

PAGE_SIZE = 30  # jobs a page
FORM_METHODS = ["GET", "HEAD", "POST"]


class JobPages:
    """Pages of one kind of job. Templates get the kind as `noun`, and the job as `job`."""

    noun: ClassVar[str]
    plural: ClassVar[str]
    body: ClassVar[life.Body]
    form: ClassVar[type[JobForm]]
    joins: ClassVar[tuple[str, ...]]
    acts: ClassVar[tuple[str, ...]] = ("status", "cancel", "resume", "go_on")
    status_template: ClassVar[str] = "leaderboard/_job_status.html"

    def for_list(self) -> QuerySet[Any]:
        raise NotImplementedError

    def started(self, form: Any, user: Any) -> ModelJob:
        """Queue the job of a valid form."""
        raise NotImplementedError

    def form_context(self, form: Any) -> dict[str, object]:
        raise NotImplementedError

    def amount(self, form: Any) -> dict[str, int]:
        """Additional template context with the size of the job in a valid form."""
        return {}

    def command(self, job: Any) -> str:
        raise NotImplementedError

    def detail_context(self, job: Any, user: Any) -> dict[str, object]:
        """Additional template context of a job's page, depending on the user's permissions."""
        raise NotImplementedError

    @property
    def urls(self) -> list[URLPattern]:
        see, add = needs(permissions.VIEW_RUN), needs(permissions.ADD_RUN)
        stop, resume = needs(permissions.CANCEL_RUN), needs(permissions.RESUME_RUN)
        form, at = require_http_methods(FORM_METHODS), f"{self.plural}/<uuid:pk>/"
        return [
            path(f"{self.plural}/", see(require_safe(self.index)), name=self.plural),
            path(f"{self.plural}/new/", add(form(self.start)), name=f"{self.noun}_start"),
            path(f"{self.plural}/new/estimate/", add(form(self.estimate)), name=f"{self.noun}_estimate"),
            path(at, see(require_safe(self.detail)), name=self.noun),
            path(f"{at}status/", see(require_safe(self.status)), name=f"{self.noun}_status"),
            path(f"{at}cancel/", stop(require_POST(self.cancel)), name=f"{self.noun}_cancel"),
            path(f"{at}resume/", resume(require_POST(self.resume)), name=f"{self.noun}_resume"),
            path(f"{at}go-on/", resume(require_POST(self.go_on)), name=f"{self.noun}_go_on"),
        ]

    def index(self, request: HttpRequest) -> HttpResponse:
        """List all jobs, newest first. The page refreshes itself while a job is active."""
        page = Paginator(self.for_list(), PAGE_SIZE).get_page(request.GET.get("page"))
        active = self.body.kind._default_manager.filter(status__in=ModelJob.ACTIVE).exists()
        return render(request, "leaderboard/jobs.html", self._named(page=page, active=active))

    def start(self, request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return self._asked_for(request)
        form = self.form(request.POST, bound=True)
        if not form.is_valid():
            return self._start_page(request, form, status=422)
        try:
            job = self.started(form, request.user)
        except (JobError, SettingsError) as error:
            form.add_error(None, str(error))
            return self._start_page(request, form, status=422)
        return HttpResponseRedirect(job.get_absolute_url())

    def _asked_for(self, request: HttpRequest) -> HttpResponse:
        """Show the form with the choices in the URL. If a choice changes, fields that still apply keep their values."""
        filled = [(name, value) for name, values in request.GET.lists() for value in values if value]
        chosen = ("version", "suite", "executor")
        asked = [(name, value) for name, value in filled if name not in chosen]
        response = self._start_page(request, self.form(request.GET), asked=asked)
        if getattr(request, "htmx", False):
            response["HX-Push-Url"] = f"{request.path}?{urlencode(filled, safe='/')}"
        return response

    def _start_page(
        self, request: HttpRequest, form: JobForm, *, status: int = 200, **known: Any
    ) -> HttpResponse:
        context: dict[str, object] = {
            "form": form,
            "executor": form.chosen,
            "missing": model_files.missing_packages() if form.chosen and form.chosen.takes_model else [],
            "install": model_files.INSTALL,
            "estimate_url": reverse(f"leaderboard:{self.noun}_estimate"),
        }
        context |= self.form_context(form) | known
        return render(request, "leaderboard/job_start.html", self._named(**context), status=status)

    def estimate(self, request: HttpRequest) -> HttpResponse:
        """Show the estimated duration of the job in the form; a POST starts a calibration first."""
        posted = request.method == "POST"
        form = self.form(request.POST if posted else request.GET, bound=True)
        plan = form.plan() if form.is_valid() else None
        reading = None
        if plan:
            reading = estimates.ask(plan) if posted and plan.is_adapter else estimates.estimate_for(plan)
        known: dict[str, Any] = {"plan": plan, "reading": reading, "asked_for": True, **self.amount(form)}
        if not getattr(request, "htmx", False):
            return self._start_page(request, form, **known)
        known["estimate_url"] = request.path
        return render(request, "components/estimate.html", self._named(**known))

    def detail(self, request: HttpRequest, pk: Any) -> HttpResponse:
        job = self._job(pk)
        context = self._status_of(job) | self.detail_context(job, request.user)
        return render(request, "leaderboard/job.html", self._named(**context))

    def status(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Show the part of the page that changes while the job runs. Once the job has ended, the whole page reloads."""
        job = self._job(pk)
        response = render(request, self.status_template, self._named(**self._status_of(job)))
        if not job.is_active and getattr(request, "htmx", False):
            response["HX-Refresh"] = "true"
        return response

    def cancel(self, request: HttpRequest, pk: Any) -> HttpResponse:
        life.cancel(job := self._job(pk), actor=request.user)
        return HttpResponseRedirect(job.get_absolute_url())

    def resume(self, request: HttpRequest, pk: Any) -> HttpResponse:
        return self._decided(request, pk, life.resume, "there is nothing to resume")

    def go_on(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Continue a paused job without retrying its unanswered rows, which count as wrong."""
        return self._decided(request, pk, life.go_on, "there is nothing to decide")

    def _decided(
        self, request: HttpRequest, pk: Any, decide: Callable[..., bool], refusal: str
    ) -> HttpResponse:
        job = self._job(pk)
        if not decide(job, actor=request.user):
            is_now = f"This {self.noun} is {job.get_status_display().lower()}"
            messages.error(request, f"{is_now}: {refusal}.")
        return HttpResponseRedirect(job.get_absolute_url())

    def _job(self, pk: Any) -> Any:
        rows: Any = self.body.kind._default_manager
        return get_object_or_404(rows.with_silence().select_related(*self.joins), pk=pk)

    def _status_of(self, job: Any) -> dict[str, object]:
        waits = job.status == JobStatus.QUEUED and job.next_attempt_at is None
        lacks = holders.reason(self.body.files_of(job)) if waits else ""
        stuck = waits and not lacks and queues.named(job.queue).is_stuck
        return {
            "job": job,
            "events": job.events.select_related("actor"),
            "stuck_queue": job.queue if stuck else "",
            "lacks_file": lacks,
            "command": self.command(job),
            **{f"{act}_url": reverse(f"leaderboard:{self.noun}_{act}", args=[job.pk]) for act in self.acts},
        }

    def _named(self, **context: Any) -> dict[str, object]:
        index, start = reverse(f"leaderboard:{self.plural}"), reverse(f"leaderboard:{self.noun}_start")
        return context | {"noun": self.noun, "plural": self.plural, "index_url": index, "start_url": start}


class RunPages(JobPages):
    """Pages of runs. A run is over a version and ends in a submission."""

    noun, plural, body, form = "run", "runs", runs.BODY, RunForm
    joins = (
        "system__owner",
        "version__benchmark",
        "model_file__check_made",
        "submission__score",
        "started_by",
    )

    def for_list(self) -> QuerySet[Run]:
        joined = Run.objects.select_related("system", "version__benchmark", "model_file", "submission__score")
        return joined.with_silence().defer("submission__score__metric_sums")

    def started(self, form: RunForm, user: Any) -> Run:
        data = form.cleaned_data
        run, *_ = runs.start_repeats(
            repeats=data["repeats"] or 1,
            version=data["version"],
            executor=data["executor"],
            started_by=user,
            model_file=data.get("model_file"),
            values=data["values"],
            splits=data.get("conditions"),
            row_limit=data["row_limit"],
            declared=data["declared"],
        )
        return run

    def form_context(self, form: RunForm) -> dict[str, object]:
        return {"version": form.chosen_version}

    def command(self, job: Run) -> str:
        return provenance.command(job)

    def detail_context(self, job: Run, user: Any) -> dict[str, object]:
        result = job.submission
        return {
            "version": job.version,
            "shows_artifacts": result is not None and artifacts.has_artifacts(result),
            "shows_transcripts": result is not None and transcripts.may_be_read_by(result, user),
        }


class BenchPages(JobPages):
    """Pages of benches. A bench has no version and ends in a report."""

    noun, plural, body, form = "bench", "benches", benches.BODY, BenchForm
    joins = ("model_file__check_made", "started_by")

    def for_list(self) -> QuerySet[Bench]:
        return Bench.objects.for_list()

    def started(self, form: BenchForm, user: Any) -> Bench:
        values = form.cleaned_data["values"]
        return benches.start(**form.asked(), suite=form.chosen_suite, values=values, started_by=user)

    def form_context(self, form: BenchForm) -> dict[str, object]:
        offered = orders.benches_named(form.chosen_suite) if form.chosen_suite else None
        adapter = form.chosen.label if form.chosen and form.chosen.is_adapter else ""
        return {"offered_parts": offered.parts(adapter) if offered else []}

    def amount(self, form: BenchForm) -> dict[str, int]:
        plan = form.plan_made
        return {"cells": sum(part.cells for part in plan), "rows": sum(part.rows for part in plan)}

    def command(self, job: Bench) -> str:
        return orders.command(job)

    def detail_context(self, job: Bench, user: Any) -> dict[str, object]:
        return {"sections": report.sections(document_from_json(job.report)) if job.report else []}

    @property
    def urls(self) -> list[URLPattern]:
        see, at = needs(permissions.VIEW_RUN), f"{self.plural}/<uuid:pk>/"
        return [
            *super().urls,
            path(f"{at}report.html", see(require_safe(self.report)), name="bench_report"),
            path(f"{at}files.zip", see(require_safe(self.files)), name="bench_files"),
        ]

    def report(self, request: HttpRequest, pk: Any) -> HttpResponse:
        """Download the report as a self-contained page. The site does not show it, because it has inline styles."""
        bench: Bench = self._job(pk)
        if not bench.report:
            raise Http404("This bench has no report yet.")
        page = document_from_json(bench.report).html()
        response = HttpResponse(page, content_type="text/html; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="{_file_name(bench)}.html"'
        return response

    def files(self, request: HttpRequest, pk: Any) -> HttpResponseBase:
        """Download the files of a finished bench. Rows are left out, because the same settings generate them again."""
        bench: Bench = self._job(pk)
        if not bench.files_sha256:
            raise Http404("The files of this bench are stored once it is finished.")
        archive = storage.open_packed(bench.files_sha256, benches.ARCHIVE)
        name = f"{_file_name(bench)}{benches.ARCHIVE}"
        return FileResponse(archive, as_attachment=True, filename=name, content_type="application/zip")


def _file_name(bench: Bench) -> str:
    return f"bench-{slugify(bench.name)[:60] or 'system'}-{slugify(bench.size)}"


RUNS, BENCHES = RunPages(), BenchPages()
