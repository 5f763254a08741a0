"""A submission: one predictions file of one system for one version; and the events of its life."""

from __future__ import annotations

import re
import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts import confirmation, permissions
from leaderboard.benchmarks.models.version import Version
from leaderboard.jobs.models import Job
from leaderboard.submissions.models.score import Score
from leaderboard.submissions.models.system import System
from leaderboard.submissions.querysets import SubmissionQuerySet

#: How older releases told the headline of a grading in its event.
BARE_FIGURE = re.compile(r"^[01]\.\d{3} (?=\()")


class Submission(Job):
    """Uploaded by a person, or *verified*: made by a run of this site."""

    class Status(models.TextChoices):
        QUEUED = "queued", "Queued"
        GRADING = "grading", "Grading"
        GRADED = "graded", "Graded"
        FAILED = "failed", "Failed"
        WAITING = "waiting", "Waiting for repeats"  # a mean of which some repeats are not graded
        WITHDRAWN = "withdrawn", "Withdrawn"

    class Visibility(models.TextChoices):
        PUBLIC = "public", "Public"
        PRIVATE = "private", "Private"

    class Source(models.TextChoices):
        BROWSER = "browser", "Browser"
        API = "api", "API"
        CLI = "cli", "Command line"
        RUN = "run", "Run by this site"
        MEAN = "mean", "Mean of repeats"
        SHIPPED = "shipped", "Shipped"  # run by the makers of this site, and handed out with its source

    class Origin(models.TextChoices):
        """How a result came about: who ran the system."""

        VERIFIED = "verified", "verified"
        AUTHORS = "run_by_authors", "run by the authors"
        REPORTED = "self_reported", "self-reported"

    WAITS, WORKS = Status.QUEUED, Status.GRADING
    TASK, QUEUE = "grade_submission", "grading"
    PENDING = (Status.QUEUED, Status.GRADING)
    #: Nobody sent these: they cost no quota, and say how they were made.
    OURS = (Source.RUN, Source.SHIPPED)

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
    transcripts_sha256 = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text="What a run exchanged with its model, a line a row; empty: nothing is kept.",
    )
    row_count = models.PositiveIntegerField(default=0)
    conditions = models.JSONField(default=list, help_text="Names of the conditions the file covers.")
    efficiency = models.JSONField(
        default=dict, help_text="tokens_per_query, wall_s_per_q …; empty: not reported."
    )
    provenance = models.JSONField(
        default=dict, help_text="How it was made, where a run of this site or of its makers made it."
    )
    row_states = models.JSONField(
        default=dict,
        help_text="How many lines hold an answer, and why the others hold none; empty: not counted.",
    )
    flags = models.JSONField(
        default=list, help_text="Intake checks that staff should look at, with the evidence."
    )
    warnings = models.JSONField(
        default=list,
        help_text="What looked mistaken in the file when it was sent: code and message; told to its submitter.",
    )
    idempotency_key = models.CharField(max_length=100, blank=True)
    sent_from = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text="Of an upload to a version that keeps its answers: a hash of its network that changes every day.",
    )

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    shown = models.BooleanField(
        default=False, help_text="Whether the board of its version shows this submission for its system."
    )
    declared = models.BooleanField(
        default=False, help_text="Declared, before it was graded, to stand for its system on the board."
    )
    repeats = models.PositiveSmallIntegerField(
        default=1, help_text="How many repeats stand together: of a mean and of each of its repeats; else 1."
    )
    repeat = models.PositiveSmallIntegerField(
        default=0, help_text="Which of the repeats it is, from 1; 0: none, as of a mean."
    )
    mean = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="members",
        help_text="What stands for it and the other repeats on the board.",
    )
    score = models.ForeignKey("Score", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
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
            # Public lists: each walks one of these, a page long.
            models.Index(fields=["visibility", "-created_at", "id"], name="submission_public"),
            models.Index(fields=["visibility", "status", "-created_at", "id"], name="submission_by_status"),
            models.Index(fields=["version", "visibility", "-created_at", "id"], name="submission_of_version"),
            models.Index(
                fields=["version", "visibility", "status", "-created_at", "id"], name="submission_of_both"
            ),
            models.Index(fields=["system", "visibility", "-created_at", "id"], name="submission_of_system"),
            models.Index(
                fields=["submitter", "visibility", "-created_at", "id"], name="submission_of_account"
            ),
            models.Index(fields=["visibility", "status", "-graded_at", "id"], name="submission_results"),
            models.Index(
                fields=["version", "visibility", "status", "-graded_at", "id"], name="submission_its_results"
            ),
            models.Index(
                fields=["visibility", "-created_at", "note"], condition=~Q(note=""), name="submission_noted"
            ),
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
            models.UniqueConstraint(
                fields=["mean", "repeat"], condition=Q(mean__isnull=False), name="repeat_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system} on {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:submission", args=[self.pk])

    @classmethod
    def queued_since(cls) -> models.Max:
        """One that is graded again has waited since it was queued again."""
        return models.Max("events__at", filter=Q(events__kind=Event.Kind.QUEUED))

    @property
    def is_pending(self) -> bool:
        return self.status in self.PENDING

    @property
    def is_public(self) -> bool:
        return self.visibility == self.Visibility.PUBLIC

    @property
    def is_mean(self) -> bool:
        """Whether it has no file of its own, but the mean figures of its repeats."""
        return self.source == self.Source.MEAN

    @property
    def reports_tokens(self) -> bool:
        """Whether its tokens per query are its submitter's word: no run counted them."""
        made_by_run = self.verified or self.is_shipped
        return not made_by_run and self.efficiency.get("tokens_per_query") is not None

    @property
    def is_shipped(self) -> bool:
        """Whether it came with the source of this site: run by its makers, graded here."""
        return self.source == self.Source.SHIPPED

    @property
    def origin(self) -> Origin:
        """How the result came about."""
        return self.origin_of(self.source, self.verified)

    @classmethod
    def origin_of(cls, source: str, verified: bool) -> Origin:
        """How a result came about.

        Args:
            source: One of `Source`.
            verified: Whether this site ran the system; of a mean, whether it ran every repeat.
        """
        if verified:
            return cls.Origin.VERIFIED
        return cls.Origin.AUTHORS if source == cls.Source.SHIPPED else cls.Origin.REPORTED

    @property
    def is_reference(self) -> bool:
        """Whether it is of a reference system, and this site ran it."""
        return self.source == self.Source.RUN and bool(self.system.reference)

    @property
    def repeats_words(self) -> str:
        """What it is of an entry of several repeats; empty for what stands alone."""
        if self.mean_id is not None:
            return f"repeat {self.repeat} of {self.repeats}"
        if not self.is_mean:
            return ""
        if self.score_id is None:
            return f"{self.progress_done} of {self.repeats} repeats graded"
        return f"mean of {self.repeats} repeats"

    @property
    def run_sd(self) -> float | None:
        """The standard deviation of the headline between repeats; None of what is no mean."""
        if self.score is None or self.score.repeats == 1:
            return None
        sd: float | None = self.score.run_sds.get(self.version.headline.name)
        return sd

    def headline_of(self, score: Score | None) -> float | None:
        """The headline of one of its gradings, as all pages, files, feeds, events and answers of the API say it.

        Args:
            score: One of its own; None before the first grading.

        Returns:
            None where there is none, where its system is of a kind that decides nothing, and of a trial whose figures
            are over rows that it did not ask.
        """
        if (
            score is None
            or self.system.kind in self.version.suite.unranked
            or not self.is_over_own_rows(score)
        ):
            return None
        return score.headline

    @property
    def result(self) -> float | None:
        """The headline of its present grading, see `headline_of`."""
        return self.headline_of(self.score)

    @property
    def result_interval(self) -> tuple[float, float] | None:
        """The 95% interval of the result; None where there is no result, or no interval."""
        if self.score is None or self.result is None:
            return None
        ends = self.score.interval(self.version.headline.name)
        return (ends[0], ends[1]) if ends else None

    def told(self, score: Score) -> str:
        """One of its gradings in a line: the headline, of a trial over which rows, and the grader."""
        value = self.headline_of(score)
        figure = "not reported" if value is None else f"{value:.3f}"
        of_rows = f", {self.trial_words}" if self.is_trial else ""
        return f"{figure}{of_rows} ({score.grader})"

    def is_over_own_rows(self, score: Score) -> bool:
        """False for a trial that was graded before its figures were over the rows that it asked alone."""
        return score.asked is not None or not self.is_trial

    @property
    def trial_words(self) -> str:
        """The rows of a trial in words, "a trial over 40 of 2,640 rows"; empty for all others."""
        return f"a trial over {self.row_count:,} of {self.version.row_count:,} rows" if self.is_trial else ""

    @property
    def is_trial(self) -> bool:
        """Whether a run made it of a part of the rows: it is never public."""
        if self.is_public:  # the run is not asked for
            return False
        run = getattr(self, "run", None)
        return run is not None and run.row_limit is not None

    @property
    def held_back(self) -> str:
        """Why no board shows it, though it is public and graded: its account has no confirmed address. Else empty."""
        ours = self.verified or self.source in self.OURS
        stands = self.is_public and self.status == self.Status.GRADED and not ours
        return confirmation.HELD_BACK if stands and not confirmation.is_confirmed(self.submitter) else ""

    @property
    def is_published(self) -> bool:
        """Whether its predictions are everybody's: those of public submissions, once their version is retired."""
        graded = self.status == self.Status.GRADED and not self.is_mean
        return self.is_public and graded and self.version.publishes_predictions

    def may_be_read_by(self, user: Any) -> bool:
        return self.is_public or self.is_open_to(user, permissions.VIEW_SUBMISSION)

    def is_open_to(self, user: Any, permission: str) -> bool:
        """Whether it is the reader's own, or the reader has this permission for those of others."""
        return user.pk == self.submitter_id or permissions.may(user, permission)


class Event(models.Model):
    """Something that happened to a submission. Only ever added."""

    class Kind(models.TextChoices):
        RECEIVED = "received", "Received"
        DECLARED = "declared", "Declared as its system's entry"
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

    @property
    def told(self) -> str:
        """The detail as readers see it: older releases kept the figure of a grading that reports none."""
        made = self.submission
        unreported = made.is_trial or made.system.kind in made.version.suite.unranked
        of_grading = self.kind in (self.Kind.GRADED, self.Kind.REGRADED)
        return BARE_FIGURE.sub("not reported ", self.detail) if unreported and of_grading else self.detail

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.at:%Y-%m-%d %H:%M}"
