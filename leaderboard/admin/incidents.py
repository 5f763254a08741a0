"""Incidents for maintainers: failed, waiting or stalled work, damaged files, results to approve or review."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max, Model, Q, QuerySet
from django.db.models.functions import Now

from leaderboard.accounts import audit, outbox
from leaderboard.accounts.models import Mail
from leaderboard.benchmarks import freezing, sources
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import verifying
from leaderboard.jobs import backoff, dispatch, leases
from leaderboard.jobs.models import Job
from leaderboard.runs import holders, life
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.gym.models import GymLoop
from leaderboard.runs.model_job import JobStatus, ModelJob, held
from leaderboard.runs.models import Run
from leaderboard.submissions import services as submissions
from leaderboard.submissions.likeness import wording
from leaderboard.submissions.models import Event, Likeness, Submission
from leaderboard.web.formatting import minute

#: Rows of one kind that the page lists, and that one click repeats.
MOST = 50


class NothingToDoError(Exception):
    """Raised if a row needs no action any more, or the action is impossible. The message says why."""


@dataclass(frozen=True, slots=True)
class Incident:
    """A row that needs a maintainer. `action` is the label of the row's button; empty if there is no button."""

    kind: str
    pk: str
    title: str
    reason: str
    since: datetime | None
    version: Version | None

    admin: str  # URL name of its admin page
    url: str  # public page, or empty
    action: str


def _page(row: Any) -> str:
    if isinstance(row, Mail) or (isinstance(row, Version) and not row.is_final):
        return ""
    return str(row.get_absolute_url())


#: (reason, since, action): the text of an incident. Without an action only the row's own page helps.
Said = tuple[str, datetime | None, str]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of incident: the query for its rows, the text of a row, and the action of a row's button."""

    name: str
    title: str
    rows: Callable[[], QuerySet[Any]]
    say: Callable[[Any], Said]
    again: Callable[[Any, Any], None]  # (row, who)
    is_work: bool = True  # False if the button only records a decision

    def read(self, row: Any) -> Incident:
        reason, since, action = self.say(row)
        is_version = isinstance(row, Version)
        return Incident(
            kind=self.name,
            pk=str(row.pk),
            title=f"Bench of {row.name}" if isinstance(row, Bench) else str(getattr(row, "system", row)),
            reason=reason,
            since=since,
            version=row if is_version else getattr(row, "version", None),
            admin=f"leaderboard_{row._meta.model_name}_change",
            url=_page(row),
            action=action,
        )

    @property
    def model(self) -> type[Model]:
        return self.rows().model

    def for_version(self, version: str = "") -> QuerySet[Any]:
        """The rows of this kind that belong to the version with the key `version`; all rows if `version` is empty."""
        if not version:
            return self.rows()
        if self.model in (Bench, GymLoop, Mail):  # these belong to no version
            return self.rows().none()
        return self.rows().filter(**{"pk" if self.model is Version else "version": version})


# --- failed work
# -----------------------------------------------------------------------------------------------------------


def _failed_submissions() -> QuerySet[Submission]:
    """Submissions whose grading failed, including those that keep an old score after a failed regrade."""
    failed = Q(status=Submission.Status.FAILED) | Q(status=Submission.Status.GRADED) & ~Q(error="")
    since = Max("events__at", filter=Q(events__kind=Event.Kind.FAILED))
    return (
        Submission.objects.filter(failed)
        .select_related("system", "version__benchmark")
        .annotate(since=since)
        .order_by("-since", "-created_at")
    )


def _failed_submission(row: Any) -> Said:
    return row.error, row.since or row.created_at, "Grade again"


def _ended(kind: type[ModelJob], status: JobStatus) -> Callable[[], QuerySet[Any]]:
    return _joined(kind).filter(status=status).order_by("-finished_at").all


def _ended_job(row: ModelJob) -> Said:
    return row.error, row.finished_at or row.created_at, "Resume"


def _resume(row: ModelJob, who: Any) -> None:
    if not life.resume(row, actor=who):
        raise NothingToDoError(f"{row} is no longer paused, failed or cancelled.")


def _failed_versions() -> QuerySet[Version]:
    failed = Version.objects.filter(status=Version.Status.FAILED)
    return failed.select_related("benchmark").order_by("-created_at")


def _failed_version(row: Version) -> Said:
    return row.error, row.created_at, "Freeze again" if sources.is_there(row) else ""


def _freeze_again(row: Version, who: Any) -> None:
    try:
        freezing.retry(row)
    except freezing.FreezeError as error:
        raise NothingToDoError(str(error)) from error


def _damaged_versions() -> QuerySet[Version]:
    return Version.objects.readable().exclude(damage="").order_by("-verified_at")


def _damaged_version(row: Version) -> Said:
    repair = "`manage.py verify_versions --repair` rebuilds the files if possible; else restore them from a backup."
    told = f"{row.damage} {repair} Until then, submissions to this version are not graded."
    return told, row.verified_at, "Verify again"


# --- files that hold the answers of another
# -----------------------------------------------------------------------------------------------------------


def _alike() -> QuerySet[Submission]:
    new = Likeness.objects.filter(seen_at=None)
    return (
        Submission.objects.filter(pk__in=new.values("submission"))
        .select_related("system", "version__benchmark")
        .prefetch_related(wording.WITH_LIKENESSES)
        .annotate(since=Max("likenesses__found_at"))
        .order_by("-since")
    )


def _alike_file(row: Any) -> Said:
    said = [wording.sentence(each) + _counted(each, row.version) for each in row.likenesses.all()]
    return " ".join(said), row.since, "Mark as reviewed"


def _counted(likeness: Likeness, version: Version) -> str:
    # Counts of shared mistakes give away withheld gold: only the submission's page has them, for users with
    # `view_gold`.
    is_told = likeness.kind == Likeness.Kind.SAME_MISTAKES and not version.shown_step
    return f" {wording.counted(likeness)}." if is_told else ""


def _to_approve() -> QuerySet[Submission]:
    return Submission.objects.to_approve().select_related("system", "version__benchmark", "submitter")


def _waiting_result(row: Submission) -> Said:
    return (
        f"Submitted by {row.submitter}. To refuse the result, use the form on its page.",
        row.created_at,
        "Approve",
    )


def _approve(row: Submission, who: Any) -> None:
    submissions.decide(row, approved=True, actor=who)


def _grade_again(row: Submission, who: Any) -> None:
    try:
        submissions.regrade(row, actor=who)
    except submissions.FileRemovedError as error:
        raise NothingToDoError(str(error)) from error


def _looked_at(row: Submission, who: Any) -> None:
    if not wording.mark_seen(row, actor=who):
        raise NothingToDoError("This submission is already marked as reviewed.")


# --- work whose worker is gone
# -----------------------------------------------------------------------------------------------------------


def _joined(kind: Any) -> QuerySet[Any]:
    if kind is Bench:
        return Bench.objects.for_list()
    if kind is GymLoop:
        return GymLoop.objects.for_list()
    if kind is Mail:
        return Mail.objects.all()
    rows: QuerySet[Any] = kind.objects.all()
    return rows.select_related(*(["benchmark"] if kind is Version else ["system", "version__benchmark"]))


def _stalled(kind: type[Job]) -> Callable[[], QuerySet[Any]]:
    return lambda: _joined(kind).filter(status=kind.WORKS, lease_until__lt=Now()).order_by("lease_until")


def _stalled_job(row: Any) -> Said:
    reason = "The worker stopped renewing its lease. Any running worker will queue this job again."
    return reason, row.lease_until, "Queue again"


def _ring(row: Any, who: Any) -> None:
    dispatch.enqueue(row.task, row.pk if isinstance(row, Version | Mail) else str(row.pk))


# --- work that waits after a fault or a death
# -----------------------------------------------------------------------------------------------------------


def _waiting(kind: type[Job]) -> Callable[[], QuerySet[Any]]:
    def rows() -> QuerySet[Any]:
        put_back = _joined(kind).filter(status=kind.WAITS).exclude(next_attempt_at=None)
        return put_back.order_by("next_attempt_at")

    return rows


def _waiting_job(row: Any) -> Said:
    times = f"Faults so far: {row.faults}; attempts: {row.attempts} of {backoff.MAX_ATTEMPTS}."
    next_at = f"Next attempt at {minute(row.next_attempt_at)}."
    return f"{row.error} {times} {next_at}", None, "Try now"


@transaction.atomic
def _try_now(row: Any, who: Any) -> None:
    if not leases.try_now(row):
        raise NothingToDoError(f"{row} is no longer waiting.")
    audit.record("try now", row)
    _ring(row, who)


# --- work whose model file no worker has
# -----------------------------------------------------------------------------------------------------------


def _without_file(kind: type[Job]) -> Callable[[], QuerySet[Any]]:
    def rows() -> QuerySet[Any]:
        waiting: Any = _joined(kind)
        lacking = waiting.waiting().exclude(model_file=None).exclude(held())
        return lacking.select_related("model_file").order_by("created_at")  # type: ignore[no-any-return]

    return rows


def _fileless_job(row: Any) -> Said:
    return holders.reason([row.model_file]), row.created_at, "Queue again"


# --- mail
# -----------------------------------------------------------------------------------------------------------


def _failed_mail() -> QuerySet[Mail]:
    return Mail.objects.filter(status=Mail.FAILED).order_by("-created_at")


def _failed_message(row: Mail) -> Said:
    return row.error, row.created_at, "Send again"


#: Kinds of jobs that query a model; all of them, training included.
MODEL_JOBS: dict[str, type[ModelJob]] = {"runs": Run, "benches": Bench}
ALL_MODEL_JOBS: dict[str, type[ModelJob]] = {**MODEL_JOBS, "gym loops": GymLoop}


def _slug(name: str) -> str:
    return name.replace(" ", "-")


def _kinds() -> Iterator[Kind]:
    yield Kind("submissions", "Failed submissions", _failed_submissions, _failed_submission, _grade_again)
    for name, kind in ALL_MODEL_JOBS.items():
        yield Kind(_slug(name), f"Failed {name}", _ended(kind, JobStatus.FAILED), _ended_job, _resume)
    for name, kind in MODEL_JOBS.items():
        paused, title = _ended(kind, JobStatus.PAUSED), f"{name.capitalize()} that wait for a decision"
        yield Kind(f"paused-{name}", title, paused, _ended_job, _resume)
    yield Kind(
        "mail",
        "Mail that was not sent",
        _failed_mail,
        _failed_message,
        lambda row, who: outbox.try_again(row),
    )
    title = "Results that wait for a moderator"
    yield Kind("approval", title, _to_approve, _waiting_result, _approve, is_work=False)
    title = "Files with the answers of another account"
    yield Kind("alike", title, _alike, _alike_file, _looked_at, is_work=False)
    yield Kind("versions", "Failed freezes and imports", _failed_versions, _failed_version, _freeze_again)
    yield Kind(
        "damaged",
        "Versions that do not match their SHA-256",
        _damaged_versions,
        _damaged_version,
        lambda row, who: verifying.enqueue_verification(row),
    )
    jobs: dict[str, type[Job]] = {
        "submissions": Submission,
        **ALL_MODEL_JOBS,
        "versions": Version,
        "mail": Mail,
    }
    words = {"submissions": "Gradings", "versions": "Freezes and imports", "mail": "Messages"}
    for name, job in jobs.items():
        title = f"{words.get(name, name.capitalize())} that wait after a temporary fault"
        yield Kind(f"waiting-{_slug(name)}", title, _waiting(job), _waiting_job, _try_now)
    for name, kind in MODEL_JOBS.items():
        title = f"{name.capitalize()} whose model file no worker has"
        yield Kind(f"fileless-{name}", title, _without_file(kind), _fileless_job, _ring)
    words["versions"] = "Freezes"
    for name, job in jobs.items():
        title = f"{words.get(name, name.capitalize())} without a worker"
        yield Kind(f"stalled-{_slug(name)}", title, _stalled(job), _stalled_job, _ring)


KINDS: dict[str, Kind] = {kind.name: kind for kind in _kinds()}


def count(kinds: Iterable[Kind]) -> int:
    return sum(kind.for_version().count() for kind in kinds)
