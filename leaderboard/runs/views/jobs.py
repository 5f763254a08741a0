"""What the pages of runs and benches do alike: the part that changes, and cancelling, resuming and going on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from leaderboard.jobs import queues
from leaderboard.runs import holders, life
from leaderboard.runs.model_job import JobStatus, ModelJob
from leaderboard.runs.models import ModelFile


def context(job: ModelJob, files_of: Callable[[Any], list[ModelFile]]) -> dict[str, Any]:
    """What both the page and its part that changes show.

    Args:
        job: The run or bench.
        files_of: The registered files that a job of the kind reads.
    """
    waits = job.status == JobStatus.QUEUED and job.next_attempt_at is None
    lacks = holders.reason(files_of(job)) if waits else ""
    stuck = waits and not lacks and queues.named(job.queue).is_stuck
    events = job.events.select_related("actor")
    return {"events": events, "stuck_queue": job.queue if stuck else "", "lacks_file": lacks}


def status(request: HttpRequest, job: ModelJob, template: str, shown: dict[str, Any]) -> HttpResponse:
    """The part of the page that changes. Once the job has ended, the whole page is reloaded.

    Args:
        request: Of the page, or of a browser without scripts.
        job: The run or bench.
        template: Of the part.
        shown: Its context.
    """
    response = render(request, template, shown)
    if not job.is_active and getattr(request, "htmx", False):
        response["HX-Refresh"] = "true"
    return response


def cancel(request: HttpRequest, job: ModelJob) -> HttpResponse:
    life.cancel(job, actor=request.user)
    return HttpResponseRedirect(job.get_absolute_url())


def resume(request: HttpRequest, job: ModelJob) -> HttpResponse:
    if not life.resume(job, actor=request.user):
        messages.error(request, f"{_as_it_is(job)}: there is nothing to resume.")
    return HttpResponseRedirect(job.get_absolute_url())


def go_on(request: HttpRequest, job: ModelJob) -> HttpResponse:
    """Go on with one that has paused; what holds no answer stays so."""
    if not life.go_on(job, actor=request.user):
        messages.error(request, f"{_as_it_is(job)}: it is not waiting for a decision.")
    return HttpResponseRedirect(job.get_absolute_url())


def _as_it_is(job: ModelJob) -> str:
    return f"This {job._meta.verbose_name} is {job.get_status_display().lower()}"
