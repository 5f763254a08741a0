"""What needs a maintainer: work that failed or waits after a fault, damaged files, and work whose worker is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max, Model, Q, QuerySet
from django.db.models.functions import Now

from leaderboard.benchmarks import freezing, sources
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import verifying
from leaderboard.jobs import backoff, dispatch, leases
from leaderboard.jobs.models import Job
from leaderboard.runs import holders, life
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.model_job import JobStatus, ModelJob, held
from leaderboard.runs.models import Run
from leaderboard.submissions import services as submissions
from leaderboard.submissions.likeness import told
from leaderboard.submissions.models import Event, Likeness, Submission

#: Rows of one kind that a page lists, and that one click repeats.
MOST = 50


class NothingToDoError(Exception):
    """The row needs nothing any more, or cannot be repeated; the text says why."""


@dataclass(frozen=True, slots=True)
class Incident:
    """One row that needs somebody. `action` is empty where only its own page helps."""

    kind: str
    pk: str
    title: str
    reason: str
    since: datetime | None
    version: Version | None  # None where it belongs to none
    admin: str  # name of its admin page
    url: str  # its public page; empty where it has none
    action: str


#: Why a row needs somebody, since when, and what the button does; of an empty action only the row's own page helps.
Said = tuple[str, datetime | None, str]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of trouble: which rows, how they read, and what helps."""

    name: str
    title: str
    rows: Callable[[], QuerySet[Any]]
    say: Callable[[Any], Said]
    again: Callable[[Any, Any], None]  # (row, who)
    is_work: bool = True  # whether a worker takes what the button repeats

    def read(self, row: Any) -> Incident:
        """A row of it as a page lists it."""
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
            url=row.get_absolute_url() if not is_version or row.is_final else "",
            action=action,
        )

    @property
    def model(self) -> type[Model]:
        return self.rows().model

    def for_version(self, version: str = "") -> QuerySet[Any]:
        """The rows, of one version if its key is given."""
        if not version:
            return self.rows()
        if self.model is Bench:  # made of no version
            return self.rows().none()
        return self.rows().filter(**{"pk" if self.model is Version else "version": version})


# --- failed work
# -----------------------------------------------------------------------------------------------------------


def _failed_submissions() -> QuerySet[Submission]:
    """Those without a score, and those whose second grading failed and that show their old score."""
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
    repair = (
        "`manage.py verify_versions --repair` rebuilds it where it can; otherwise restore it from a backup."
    )
    return f"{row.damage} {repair} Nothing is graded until it matches.", row.verified_at, "Verify again"


# --- files that hold the answers of another
# -----------------------------------------------------------------------------------------------------------


def _alike() -> QuerySet[Submission]:
    """Those whose file is like another's, until a moderator has looked at it."""
    new = Likeness.objects.filter(seen_at=None)
    return (
        Submission.objects.filter(pk__in=new.values("submission"))
        .select_related("system", "version__benchmark")
        .prefetch_related(told.WITH_LIKENESSES)
        .annotate(since=Max("likenesses__found_at"))
        .order_by("-since")
    )


def _alike_file(row: Any) -> Said:
    said = [told.sentence(each) + _counted(each, row.version) for each in row.likenesses.all()]
    return " ".join(said), row.since, "Looked at"


def _counted(likeness: Likeness, version: Version) -> str:
    """The evidence; of a version that keeps its answers it stands on the submission's page, for who may see gold."""
    is_told = likeness.kind == Likeness.Kind.SAME_MISTAKES and not version.shown_step
    return f" {told.counted(likeness)}." if is_told else ""


def _looked_at(row: Submission, who: Any) -> None:
    if not told.mark_seen(row, actor=who):
        raise NothingToDoError("It was looked at already.")


# --- work whose worker is gone
# -----------------------------------------------------------------------------------------------------------


def _joined(kind: Any) -> QuerySet[Any]:
    """Jobs of a kind, with the names that are listed."""
    if kind is Bench:
        return Bench.objects.for_list()
    rows: QuerySet[Any] = kind.objects.all()
    return rows.select_related(*(["benchmark"] if kind is Version else ["system", "version__benchmark"]))


def _stalled(kind: type[Job]) -> Callable[[], QuerySet[Any]]:
    return lambda: _joined(kind).filter(status=kind.WORKS, lease_until__lt=Now()).order_by("lease_until")


def _stalled_job(row: Any) -> Said:
    reason = "Its worker stopped renewing the lease. It is queued again while any worker is up."
    return reason, row.lease_until, "Ring again"


def _ring(row: Any, who: Any) -> None:
    dispatch.enqueue(row.task, row.pk if isinstance(row, Version) else str(row.pk))


# --- work that waits after a fault or a death
# -----------------------------------------------------------------------------------------------------------


def _waiting(kind: type[Job]) -> Callable[[], QuerySet[Any]]:
    def rows() -> QuerySet[Any]:
        put_back = _joined(kind).filter(status=kind.WAITS).exclude(next_attempt_at=None)
        return put_back.order_by("next_attempt_at")

    return rows


def _waiting_job(row: Any) -> Said:
    times = f"Faults so far: {row.faults}; attempts: {row.attempts} of {backoff.MAX_ATTEMPTS}."
    next_at = f"Next at {row.next_attempt_at:%Y-%m-%d %H:%M:%S} UTC."
    return f"{row.error} {times} {next_at}", None, "Try now"


def _try_now(row: Any, who: Any) -> None:
    if not leases.try_now(row):
        raise NothingToDoError(f"{row} is no longer waiting.")
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
    return holders.reason([row.model_file]), row.created_at, "Ring again"


#: The kinds of jobs that ask a model.
MODEL_JOBS: dict[str, type[ModelJob]] = {"runs": Run, "benches": Bench}


def _kinds() -> Iterator[Kind]:
    """Every kind, in the order of the page."""
    yield Kind(
        "submissions",
        "Failed submissions",
        _failed_submissions,
        _failed_submission,
        lambda row, who: submissions.regrade(row, actor=who),
    )
    for name, kind in MODEL_JOBS.items():
        yield Kind(name, f"Failed {name}", _ended(kind, JobStatus.FAILED), _ended_job, _resume)
        paused, title = _ended(kind, JobStatus.PAUSED), f"{name.capitalize()} that wait for a decision"
        yield Kind(f"paused-{name}", title, paused, _ended_job, _resume)
    title = "Files that hold the answers of another account"
    yield Kind("alike", title, _alike, _alike_file, _looked_at, is_work=False)
    yield Kind("versions", "Failed freezes and imports", _failed_versions, _failed_version, _freeze_again)
    yield Kind(
        "damaged",
        "Versions that do not match their SHA-256",
        _damaged_versions,
        _damaged_version,
        lambda row, who: verifying.enqueue_verification(row),
    )
    jobs: dict[str, type[Job]] = {"submissions": Submission, **MODEL_JOBS, "versions": Version}
    words = {"submissions": "Gradings", "versions": "Freezes and imports"}
    for name, job in jobs.items():
        title = f"{words.get(name, name.capitalize())} that wait for a fault to pass"
        yield Kind(f"waiting-{name}", title, _waiting(job), _waiting_job, _try_now)
    for name, kind in MODEL_JOBS.items():
        title = f"{name.capitalize()} whose model file no worker has"
        yield Kind(f"fileless-{name}", title, _without_file(kind), _fileless_job, _ring)
    words["versions"] = "Freezes"
    for name, job in jobs.items():
        title = f"{words.get(name, name.capitalize())} without a worker"
        yield Kind(f"stalled-{name}", title, _stalled(job), _stalled_job, _ring)


KINDS: dict[str, Kind] = {kind.name: kind for kind in _kinds()}


def count(kinds: Iterable[Kind]) -> int:
    """How many rows of these kinds need somebody."""
    return sum(kind.for_version().count() for kind in kinds)
