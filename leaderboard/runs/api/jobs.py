"""What the API says of runs and benches alike, and how it lets them be resumed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from ninja import Schema

from leaderboard.runs import life
from leaderboard.runs.model_job import ModelJob
from leaderboard.runs.models import ModelFile
from leaderboard.web.api.paging import Paging
from leaderboard.web.api.problems import ProblemError, invalid


class JobEventOut(Schema):
    what: str
    actor: str | None
    at: datetime


class JobFilters(Paging):
    status: Literal["", "queued", "running", "paused", "finished", "cancelled", "failed"] = ""


def model_named(path: str) -> ModelFile | None:
    """The registered model that a request names; None where it names none.

    Args:
        path: The file's name in the folder.

    Raises:
        ProblemError: It is not registered.
    """
    if not path:
        return None
    model_file = ModelFile.objects.filter(path=path).first()
    if model_file is None:
        raise invalid([("body", "model", f"{path!r} is not registered.")])
    return model_file


def resume(request: HttpRequest, job: Any) -> None:
    """Queue a run or bench again.

    Args:
        request: Of who asks.
        job: The run or bench.

    Raises:
        ProblemError: There is nothing to resume.
    """
    if not life.resume(job, actor=request.user):
        raise ProblemError(409, "nothing-to-resume", f"{_as_it_is(job)}: there is nothing to resume.")


def go_on(request: HttpRequest, job: Any) -> None:
    """Queue one that has paused again, and let what holds no answer stay wrong.

    Args:
        request: Of who decided.
        job: The run or bench.

    Raises:
        ProblemError: It has not paused.
    """
    if not life.go_on(job, actor=request.user):
        raise ProblemError(409, "not-paused", f"{_as_it_is(job)}: it does not wait for a decision.")


def _as_it_is(job: ModelJob) -> str:
    return f"This {job._meta.verbose_name} is {job.status}"


def shown(request: HttpRequest, job: Any) -> dict[str, Any]:
    """The fields that runs and benches share.

    Args:
        request: Whose host stands in the address.
        job: The run or bench, with its events and their actors.
    """
    return {
        "id": job.pk,
        "executor": job.executor,
        "model": job.model_file.path if job.model_file else None,
        "settings": job.settings,
        "status": job.status,
        "stopping": job.cancel_requested,
        "rate": job.rate,
        "eta_seconds": job.eta_seconds if job.is_active else None,
        "error": job.error,
        "next_attempt_at": job.next_attempt_at,
        "events": [
            {"what": event.what, "actor": event.actor.get_username() if event.actor else None, "at": event.at}
            for event in job.events.all()
        ],
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "url": request.build_absolute_uri(job.get_absolute_url()),
    }
