"""A submission: one predictions file of one system for one version; and the events of its life."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from leaderboard import leases, permissions
from leaderboard.models.job import Job
from leaderboard.models.system import System
from leaderboard.models.version import Version

#: Large, and in no list of submissions: a version's sample holds a whole book.
UNLISTED = (
    "provenance", "flags", "version__sample", "version__settings", "version__conditions", "version__description",
    "score__groups", "score__measures", "score__unit_scores", "score__robust_scores", "score__cells",
    "score__cell_scores", "score__spread", "score__failures",
)  # fmt: skip


class SubmissionQuerySet(models.QuerySet["Submission"]):
    """Questions over submissions, with the joins they need."""

    def with_names(self) -> SubmissionQuerySet:
        return self.select_related("system__owner", "version__benchmark", "submitter", "score")

    def listed(self) -> SubmissionQuerySet:
        """The same for a list: what only a submission's own page shows is left out."""
        return self.with_names().defer(*UNLISTED)

    def public(self) -> SubmissionQuerySet:
        """What everybody may read."""
        return self.filter(visibility=Submission.Visibility.PUBLIC).exclude(status=Submission.Status.FAILED)

    def visible_to(self, user: Any) -> SubmissionQuerySet:
        """Public ones, one's own, and all of them for who may view private ones."""
        if permissions.may(user, permissions.VIEW_SUBMISSION):
            return self
        mine = Q(submitter=user) if user.is_authenticated else Q(pk__in=[])
        return self.filter(mine | Q(visibility=Submission.Visibility.PUBLIC))

    def on_board(self, version: Version) -> SubmissionQuerySet:
        """One per system: the submission the board shows of each."""
        return self.filter(version=version, shown=True)

    def claimable(self) -> SubmissionQuerySet:
        """Waiting for a worker, or left behind by one whose lease ran out."""
        return self.filter(leases.due(), status__in=Submission.PENDING)


class Submission(Job):
    """Uploaded by a person, or *verified*: made by a run of this site."""

    class Status(models.TextChoices):
        QUEUED = "queued", "Queued"
        GRADING = "grading", "Grading"
        GRADED = "graded", "Graded"
        FAILED = "failed", "Failed"
        WITHDRAWN = "withdrawn", "Withdrawn"

    class Visibility(models.TextChoices):
        PUBLIC = "public", "Public"
        PRIVATE = "private", "Private"

    class Source(models.TextChoices):
        BROWSER = "browser", "Browser"
        API = "api", "API"
        CLI = "cli", "Command line"
        RUN = "run", "Run by this site"

    WAITS, WORKS = Status.QUEUED, Status.GRADING
    PENDING = (Status.QUEUED, Status.GRADING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="submissions")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="submissions")
    submitter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submissions"
    )
    source = models.CharField(max_length=10, choices=Source, default=Source.BROWSER)
    verified = models.BooleanField(default=False)
    visibility = models.CharField(max_length=10, choices=Visibility, default=Visibility.PUBLIC)
    note = models.CharField(max_length=300, blank=True)

    file_sha256 = models.CharField(max_length=64)
    file_name = models.CharField(max_length=200, blank=True)
    file_bytes = models.PositiveBigIntegerField(default=0)
    row_count = models.PositiveIntegerField(default=0)
    conditions = models.JSONField(default=list, help_text="Names of the conditions the file covers.")
    efficiency = models.JSONField(
        default=dict, help_text="tokens_per_query, wall_s_per_q …; empty: not reported."
    )
    provenance = models.JSONField(default=dict, help_text="How a run of this site made it.")
    row_states = models.JSONField(
        default=dict,
        help_text="How many lines hold an answer, and why the others hold none; empty: not counted.",
    )
    flags = models.JSONField(
        default=list, help_text="Intake checks that staff should look at, with the evidence."
    )
    idempotency_key = models.CharField(max_length=100, blank=True)

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    shown = models.BooleanField(
        default=False, help_text="The one its system shows on the board of its version."
    )
    score = models.ForeignKey("Score", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    graded_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        permissions = [
            ("publish_submission", "Can make a submission public or private"),
            ("withdraw_submission", "Can withdraw a submission"),
            ("regrade_submission", "Can grade a submission again"),
            ("download_predictions", "Can download the predictions of a submission"),
            ("exceed_quota", "Can submit without a daily limit"),
        ]
        indexes = [
            models.Index(fields=["version"], condition=Q(shown=True), name="submission_shown"),
            models.Index(fields=["system", "version", "-created_at"], name="submission_history"),
            models.Index(fields=["submitter", "-created_at"], name="submission_mine"),
            models.Index(fields=["-created_at", "id"], name="submission_newest"),
            models.Index(
                fields=["lease_until"], condition=Q(status__in=["queued", "grading"]), name="submission_due"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["submitter", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="idempotency_key_once",
            ),
            models.UniqueConstraint(
                fields=["version", "system"], condition=Q(shown=True), name="one_shown_submission_per_system"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system} on {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:submission", args=[self.pk])

    @property
    def is_pending(self) -> bool:
        return self.status in self.PENDING

    @property
    def is_public(self) -> bool:
        return self.visibility == self.Visibility.PUBLIC

    @property
    def is_trial(self) -> bool:
        """Whether a run made it of a part of the rows: it is never public."""
        run = getattr(self, "run", None)
        return run is not None and run.row_limit is not None

    @property
    def percent(self) -> int:
        """Progress of the grading, 0 to 100."""
        return min(100, 100 * self.progress_done // self.progress_total) if self.progress_total else 0

    def may_be_read_by(self, user: Any) -> bool:
        return self.is_public or self.is_open_to(user, permissions.VIEW_SUBMISSION)

    def is_open_to(self, user: Any, permission: str) -> bool:
        """Whether it is the reader's own, or the reader has this permission for those of others."""
        return user.pk == self.submitter_id or permissions.may(user, permission)


class Event(models.Model):
    """Something that happened to a submission. Only ever added."""

    class Kind(models.TextChoices):
        RECEIVED = "received", "Received"
        QUEUED = "queued", "Queued"
        GRADED = "graded", "Graded"
        REGRADED = "regraded", "Regraded"
        FAILED = "failed", "Failed"
        PUBLISHED = "published", "Made public"
        UNPUBLISHED = "unpublished", "Made private"
        WITHDRAWN = "withdrawn", "Withdrawn"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=12, choices=Kind)
    detail = models.CharField(max_length=300, blank=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.at:%Y-%m-%d %H:%M}"
