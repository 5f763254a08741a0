"""What needs a maintainer: work that failed or waits after a fault, damaged files, and work whose worker is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max, Model, Q, QuerySet
from django.db.models.functions import Now

from leaderboard.benchmarks import freezing, sources
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import verifying
from leaderboard.grids.models import Bench
from leaderboard.jobs import backoff, dispatch, leases
from leaderboard.runs import holders, life
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


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of trouble: which rows, how they read, and what helps."""

    name: str
    title: str
    rows: Callable[[], QuerySet[Any]]
    read: Callable[[Any], Incident]
    again: Callable[[Any, Any], None]  # (row, who)
    is_work: bool = True  # whether a worker takes what the button repeats

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


def _read_submission(row: Any) -> Incident:
    return Incident(
        kind="submissions",
        pk=str(row.pk),
        title=str(row.system),
        reason=row.error,
        since=row.since or row.created_at,
        version=row.version,
        admin="leaderboard_submission_change",
        url=row.get_absolute_url(),
        action="Grade again",
    )


def _runs(status: JobStatus) -> Callable[[], QuerySet[Run]]:
    ended = Run.objects.filter(status=status).select_related("system", "version__benchmark")
    return ended.order_by("-finished_at").all


def _benches(status: JobStatus) -> Callable[[], QuerySet[Bench]]:
    return Bench.objects.for_list().filter(status=status).order_by("-finished_at").all


def _read_job(kind: str) -> Callable[[Any], Incident]:
    def read(row: Any) -> Incident:
        return Incident(
            kind=kind,
            pk=str(row.pk),
            title=_title_of(row),
            reason=row.error,
            since=row.finished_at or row.created_at,
            version=_version_of(row),
            admin=f"leaderboard_{row._meta.model_name}_change",
            url=row.get_absolute_url(),
            action="Resume",
        )

    return read


def _resume(row: ModelJob, who: Any) -> None:
    if not life.resume(row, actor=who):
        raise NothingToDoError(f"{row} is no longer paused, failed or cancelled.")


def _failed_versions() -> QuerySet[Version]:
    failed = Version.objects.filter(status=Version.Status.FAILED)
    return failed.select_related("benchmark").order_by("-created_at")


def _read_version(row: Version) -> Incident:
    return Incident(
        kind="versions",
        pk=str(row.pk),
        title=str(row),
        reason=row.error,
        since=row.created_at,
        version=row,
        admin="leaderboard_version_change",
        url="",
        action="Freeze again" if sources.is_there(row) else "",
    )


def _freeze_again(row: Version, who: Any) -> None:
    try:
        freezing.retry(row)
    except freezing.FreezeError as error:
        raise NothingToDoError(str(error)) from error


def _damaged_versions() -> QuerySet[Version]:
    return Version.objects.readable().exclude(damage="").order_by("-verified_at")


def _read_damaged(row: Version) -> Incident:
    return Incident(
        kind="damaged",
        pk=str(row.pk),
        title=str(row),
        reason=f"{row.damage} `manage.py verify_versions --repair` rebuilds it where it can; otherwise restore it "
        "from a backup. Nothing is graded until it matches.",
        since=row.verified_at,
        version=row,
        admin="leaderboard_version_change",
        url=row.get_absolute_url(),
        action="Verify again",
    )


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


def _read_alike(row: Any) -> Incident:
    said = [told.sentence(each) + _counted(each, row.version) for each in row.likenesses.all()]
    return Incident(
        kind="alike",
        pk=str(row.pk),
        title=str(row.system),
        reason=" ".join(said),
        since=row.since,
        version=row.version,
        admin="leaderboard_submission_change",
        url=row.get_absolute_url(),
        action="Looked at",
    )


def _counted(likeness: Likeness, version: Version) -> str:
    """The evidence; of a version that keeps its answers it stands on the submission's page, for who may see gold."""
    is_told = likeness.kind == Likeness.Kind.SAME_MISTAKES and not version.shown_step
    return f" {told.counted(likeness)}." if is_told else ""


def _looked_at(row: Submission, who: Any) -> None:
    if not told.mark_seen(row, actor=who):
        raise NothingToDoError("It was looked at already.")


# --- work whose worker is gone
# -----------------------------------------------------------------------------------------------------------


def _version_of(row: Any) -> Version | None:
    return row if isinstance(row, Version) else getattr(row, "version", None)


def _title_of(row: Any) -> str:
    return f"Bench of {row.name}" if isinstance(row, Bench) else str(getattr(row, "system", row))


def _stalled(model: Any, status: str, *related: str) -> Callable[[], QuerySet[Any]]:
    def rows() -> QuerySet[Any]:
        held: QuerySet[Any] = model.objects.filter(status=status, lease_until__lt=Now())
        return held.select_related(*related).order_by("lease_until")

    return rows


def _read_stalled(kind: str, admin: str) -> Callable[[Any], Incident]:
    def read(row: Any) -> Incident:
        version = _version_of(row)
        return Incident(
            kind=kind,
            pk=str(row.pk),
            title=_title_of(row),
            reason="Its worker stopped renewing the lease. It is queued again while any worker is up.",
            since=row.lease_until,
            version=version,
            admin=admin,
            url="" if isinstance(row, Version) else row.get_absolute_url(),
            action="Ring again",
        )

    return read


def _ring(row: Any, who: Any) -> None:
    dispatch.enqueue(row.task, row.pk if isinstance(row, Version) else str(row.pk))


# --- work that waits after a fault or a death
# -----------------------------------------------------------------------------------------------------------


def _waiting(model: Any, *related: str) -> Callable[[], QuerySet[Any]]:
    def rows() -> QuerySet[Any]:
        put_back: QuerySet[Any] = model.objects.filter(status=model.WAITS).exclude(next_attempt_at=None)
        return put_back.select_related(*related).order_by("next_attempt_at")

    return rows


def _read_waiting(kind: str, admin: str) -> Callable[[Any], Incident]:
    def read(row: Any) -> Incident:
        version = _version_of(row)
        times = f"Faults so far: {row.faults}; attempts: {row.attempts} of {backoff.MAX_ATTEMPTS}."
        return Incident(
            kind=kind,
            pk=str(row.pk),
            title=_title_of(row),
            reason=f"{row.error} {times} Next at {row.next_attempt_at:%Y-%m-%d %H:%M:%S} UTC.",
            since=None,
            version=version,
            admin=admin,
            url="" if isinstance(row, Version) else row.get_absolute_url(),
            action="Try now",
        )

    return read


def _try_now(row: Any, who: Any) -> None:
    if not leases.try_now(row):
        raise NothingToDoError(f"{row} is no longer waiting.")
    _ring(row, who)


# --- work whose model file no worker has
# -----------------------------------------------------------------------------------------------------------


def _without_file(model: Any, *related: str) -> Callable[[], QuerySet[Any]]:
    def rows() -> QuerySet[Any]:
        waiting: QuerySet[Any] = model.objects.waiting().exclude(model_file=None).exclude(held())
        return waiting.select_related("model_file", *related).order_by("created_at")

    return rows


def _read_without_file(kind: str, admin: str) -> Callable[[Any], Incident]:
    def read(row: Any) -> Incident:
        return Incident(
            kind=kind,
            pk=str(row.pk),
            title=_title_of(row),
            reason=holders.reason([row.model_file]),
            since=row.created_at,
            version=_version_of(row),
            admin=admin,
            url=row.get_absolute_url(),
            action="Ring again",
        )

    return read


_OF_VERSION = ("system", "version__benchmark")
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "submissions",
            "Failed submissions",
            _failed_submissions,
            _read_submission,
            lambda row, who: submissions.regrade(row, actor=who),
        ),
        Kind(
            "runs",
            "Failed runs",
            _runs(JobStatus.FAILED),
            _read_job("runs"),
            _resume,
        ),
        Kind(
            "paused-runs",
            "Runs that wait for a decision",
            _runs(JobStatus.PAUSED),
            _read_job("paused-runs"),
            _resume,
        ),
        Kind(
            "benches",
            "Failed benches",
            _benches(JobStatus.FAILED),
            _read_job("benches"),
            _resume,
        ),
        Kind(
            "paused-benches",
            "Benches that wait for a decision",
            _benches(JobStatus.PAUSED),
            _read_job("paused-benches"),
            _resume,
        ),
        Kind(
            "alike",
            "Files that hold the answers of another account",
            _alike,
            _read_alike,
            _looked_at,
            is_work=False,
        ),
        Kind("versions", "Failed freezes and imports", _failed_versions, _read_version, _freeze_again),
        Kind(
            "damaged",
            "Versions that do not match their SHA-256",
            _damaged_versions,
            _read_damaged,
            lambda row, who: verifying.enqueue_verification(row),
        ),
        Kind(
            "waiting-submissions",
            "Gradings that wait for a fault to pass",
            _waiting(Submission, *_OF_VERSION),
            _read_waiting("waiting-submissions", "leaderboard_submission_change"),
            _try_now,
        ),
        Kind(
            "waiting-runs",
            "Runs that wait for a fault to pass",
            _waiting(Run, *_OF_VERSION),
            _read_waiting("waiting-runs", "leaderboard_run_change"),
            _try_now,
        ),
        Kind(
            "waiting-benches",
            "Benches that wait for a fault to pass",
            _waiting(Bench),
            _read_waiting("waiting-benches", "leaderboard_bench_change"),
            _try_now,
        ),
        Kind(
            "fileless-runs",
            "Runs whose model file no worker has",
            _without_file(Run, *_OF_VERSION),
            _read_without_file("fileless-runs", "leaderboard_run_change"),
            _ring,
        ),
        Kind(
            "fileless-benches",
            "Benches whose model file no worker has",
            _without_file(Bench),
            _read_without_file("fileless-benches", "leaderboard_bench_change"),
            _ring,
        ),
        Kind(
            "waiting-versions",
            "Freezes and imports that wait for a fault to pass",
            _waiting(Version, "benchmark"),
            _read_waiting("waiting-versions", "leaderboard_version_change"),
            _try_now,
        ),
        Kind(
            "stalled-submissions",
            "Gradings without a worker",
            _stalled(Submission, Submission.Status.GRADING, *_OF_VERSION),
            _read_stalled("stalled-submissions", "leaderboard_submission_change"),
            _ring,
        ),
        Kind(
            "stalled-runs",
            "Runs without a worker",
            _stalled(Run, Run.Status.RUNNING, *_OF_VERSION),
            _read_stalled("stalled-runs", "leaderboard_run_change"),
            _ring,
        ),
        Kind(
            "stalled-benches",
            "Benches without a worker",
            _stalled(Bench, Bench.Status.RUNNING),
            _read_stalled("stalled-benches", "leaderboard_bench_change"),
            _ring,
        ),
        Kind(
            "stalled-versions",
            "Freezes without a worker",
            _stalled(Version, Version.Status.FREEZING, "benchmark"),
            _read_stalled("stalled-versions", "leaderboard_version_change"),
            _ring,
        ),
    )
}


def count(kinds: Iterable[Kind]) -> int:
    """How many rows of these kinds need somebody."""
    return sum(kind.for_version().count() for kind in kinds)
