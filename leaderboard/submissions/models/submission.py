"""Submissions and the events in their history."""

from __future__ import annotations

import re
import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts import confirmation, permissions, teams
from leaderboard.benchmarks.models.version import Version
from leaderboard.jobs.models import Job
from leaderboard.submissions.models.score import Score
from leaderboard.submissions.models.system import System
from leaderboard.submissions.querysets import SubmissionQuerySet
from leaderboard.web.formatting import day, minute, number

#: The headline at the start of `result_line`, and its form in events of older releases.
FIGURE = re.compile(r"^[01]\.\d{3}\b")
BARE_FIGURE = re.compile(r"^[01]\.\d{3} (?=\()")


class Submission(Job):
    """A system's predictions file for a version: uploaded, made by a run of this site, or part of the source code."""

    class Status(models.TextChoices):
        QUEUED = "queued", "Queued"
        GRADING = "grading", "Grading"
        GRADED = "graded", "Graded"
        FAILED = "failed", "Failed"
        WAITING = "waiting", "Waiting for repeats"  # a mean with ungraded repeats
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
        SHIPPED = "shipped", "Shipped"  # run by the site's authors, part of the source

    class Origin(models.TextChoices):
        VERIFIED = "verified", "verified"
        AUTHORS = "run_by_authors", "run by the authors"
        REPORTED = "self_reported", "self-reported"

    class Approval(models.TextChoices):
        WAITING = "waiting", "Waits for a moderator"
        APPROVED = "approved", "Approved"
        REFUSED = "refused", "Refused"

    WAITS, WORKS = Status.QUEUED, Status.GRADING
    TASK, QUEUE = "grade_submission", "grading"
    PENDING = (Status.QUEUED, Status.GRADING)
    #: Sources that are not uploads: they cost no quota, and have a provenance.
    OURS = (Source.RUN, Source.SHIPPED)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="submissions")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="submissions")
    submitter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submissions"
    )
    sent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="submissions_for_teams",
        help_text="Member who sent the file for a team; empty: the submitter.",
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
        help_text="SHA-256 of the transcripts of a run with its model; empty: none stored.",
    )
    file_removed_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When the predictions were removed because of KEEP_UPLOADS_DAYS.",
    )
    transcripts_removed_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When the transcripts were removed because of KEEP_TRANSCRIPTS_DAYS.",
    )
    predictions_public = models.BooleanField(
        default=True,
        help_text="Whether the predictions are public if the version's answers are. "
        "False: submitted before this rule, without the owner's consent.",
    )
    row_count = models.PositiveIntegerField(default=0)
    conditions = models.JSONField(default=list, help_text="Names of the conditions that the file covers.")
    efficiency = models.JSONField(
        default=dict, help_text="tokens_per_query, wall_s_per_q …; empty: not reported."
    )
    provenance = models.JSONField(
        default=dict, help_text="How a run of this site or of its authors made the file."
    )
    row_states = models.JSONField(
        default=dict,
        help_text="Number of lines by state: answered, or why not; empty: not counted.",
    )
    flags = models.JSONField(default=list, help_text="Findings of intake checks for staff, with evidence.")
    warnings = models.JSONField(
        default=list,
        help_text="Warnings about the sent file for its submitter: code and message.",
    )
    idempotency_key = models.CharField(max_length=100, blank=True)
    sent_from = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text="Hash of the sender's network, with a key that changes daily; only for versions with secret answers.",
    )

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    shown = models.BooleanField(
        default=False, help_text="Whether the version's board shows this submission of its system."
    )
    declared = models.BooleanField(
        default=False, help_text="Declared before grading as the system's result on the board."
    )
    approval = models.CharField(
        max_length=10,
        choices=Approval,
        blank=True,
        default=confirmation.first_approval,
        help_text="Decision of a moderator; empty: submitted while this site did not moderate.",
    )
    approval_reason = models.CharField(max_length=500, blank=True, default="")
    repeats = models.PositiveSmallIntegerField(
        default=1, help_text="Number of repeats, for a mean and for each of its repeats; else 1."
    )
    repeat = models.PositiveSmallIntegerField(
        default=0, help_text="Number of the repeat, from 1; 0: no repeat, or a mean."
    )
    mean = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="members",
        help_text="The mean of the repeats, which the board shows.",
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
            ("approve_submission", "Can approve and refuse results for boards"),
        ]
        indexes = [
            models.Index(fields=["version"], condition=Q(shown=True), name="submission_shown"),
            models.Index(fields=["system", "version", "-created_at"], name="submission_history"),
            models.Index(fields=["submitter", "-created_at"], name="submission_mine"),
            models.Index(fields=["-created_at", "id"], name="submission_newest"),
            # One per public list, so that a page reads only its own rows.
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
            # The news of the front page: own results are few among many uploads.
            models.Index(
                fields=["source", "visibility", "status", "-graded_at", "id"], name="submission_news"
            ),
            models.Index(
                fields=["visibility", "-created_at", "note"], condition=~Q(note=""), name="submission_noted"
            ),
            models.Index(
                fields=["lease_until"], condition=Q(status__in=["queued", "grading"]), name="submission_due"
            ),
            models.Index(
                fields=["created_at"], condition=Q(approval="waiting"), name="submission_to_approve"
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
        return models.Max("events__at", filter=Q(events__kind=Event.Kind.QUEUED))

    @property
    def is_pending(self) -> bool:
        return self.status in self.PENDING

    @property
    def is_public(self) -> bool:
        return self.visibility == self.Visibility.PUBLIC

    @property
    def is_mean(self) -> bool:
        """True if the submission is the mean of repeats and has no file."""
        return self.source == self.Source.MEAN

    @property
    def reports_tokens(self) -> bool:
        """True if the submitter reported the tokens per query. Otherwise a run of this site counted the tokens."""
        made_by_run = self.verified or self.is_shipped
        return not made_by_run and self.efficiency.get("tokens_per_query") is not None

    @property
    def is_shipped(self) -> bool:
        """True if the authors ran the system, and the predictions are part of this site's source."""
        return self.source == self.Source.SHIPPED

    @property
    def origin(self) -> Origin:
        return self.origin_of(self.source, self.verified)

    @property
    def origin_words(self) -> str:
        sent = "" if self.is_shipped else f"{self.get_source_display()}, "
        return f"{sent}{self.origin.label}"

    @classmethod
    def origin_of(cls, source: str, verified: bool) -> Origin:
        """Return who ran the system. `verified` means that this site ran it, for a mean in all repeats."""
        if verified:
            return cls.Origin.VERIFIED
        return cls.Origin.AUTHORS if source == cls.Source.SHIPPED else cls.Origin.REPORTED

    @property
    def is_reference(self) -> bool:
        """True if the submission is this site's run of a reference system."""
        return self.source == self.Source.RUN and bool(self.system.reference)

    @property
    def repeats_words(self) -> str:
        """The role of the submission among repeats, such as "repeat 2 of 5". Empty for a single submission."""
        if self.mean_id is not None:
            return f"repeat {self.repeat} of {self.repeats}"
        if not self.is_mean:
            return ""
        if self.score_id is None:
            return f"{self.progress_done} of {self.repeats} repeats graded"
        return f"mean of {self.repeats} repeats"

    @property
    def run_sd(self) -> float | None:
        """The standard deviation of the headline metric between repeats, or None unless this is a mean of repeats."""
        if self.score is None or self.score.repeats == 1:
            return None
        sd: float | None = self.score.run_sds.get(self.version.headline.name)
        return sd

    def headline_of(self, score: Score | None) -> float | None:
        """Return the headline metric of a score as shown.

        None before the grading, for kinds of systems without ranks, and for trials graded over all rows.
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
        return self.headline_of(self.score)

    @property
    def result_interval(self) -> tuple[float, float] | None:
        if self.score is None or self.result is None:
            return None
        ends = self.score.interval(self.version.headline.name)
        return (ends[0], ends[1]) if ends else None

    def result_line(self, score: Score) -> str:
        """Return a grading in one line, with its headline and grader."""
        value = self.headline_of(score)
        figure = "not reported" if value is None else f"{value:.3f}"
        of_rows = f", {self.trial_words}" if self.is_trial else ""
        return f"{figure}{of_rows} ({score.grader})"

    def is_over_own_rows(self, score: Score) -> bool:
        """False if an older release graded this trial over all rows of the version, not only over the trial's rows."""
        return score.asked is not None or not self.is_trial

    @property
    def trial_words(self) -> str:
        """The size of a trial in words, such as "a trial over 40 of 2,640 rows". Empty for other submissions."""
        return f"a trial over {self.row_count:,} of {self.version.row_count:,} rows" if self.is_trial else ""

    @property
    def is_trial(self) -> bool:
        """True if the submission is a run over some of the rows. Trials are always private."""
        if self.is_public:  # saves the query for the run
            return False
        run = getattr(self, "run", None)
        return run is not None and run.row_limit is not None

    @property
    def held_back(self) -> str:
        """The reason why boards do not show a public, graded submission. Empty if boards may show it."""
        ours = self.verified or self.source in self.OURS
        if ours or not self.is_public or self.status != self.Status.GRADED:
            return ""
        return self.not_approved if confirmation.is_confirmed(self.submitter) else confirmation.HELD_BACK

    @property
    def not_approved(self) -> str:
        """The reason why the submission lacks a required approval. Empty if it needs none or is approved."""
        match self.approval if settings.APPROVAL else "":
            case self.Approval.WAITING:
                return "This result is graded, and appears on boards once a moderator approves it."
            case self.Approval.REFUSED:
                return f"A moderator decided that boards do not show this result: {self.approval_reason}"
        return ""

    @property
    def removed_words(self) -> str:
        dates = (("predictions", self.file_removed_at), ("transcripts", self.transcripts_removed_at))
        return " ".join(
            f"Its {what} were removed on {day(at)}, as this site stores them for a limited time."
            for what, at in dates
            if at
        )

    @property
    def is_published(self) -> bool:
        """True if the predictions are public. Keep the condition equal to `SubmissionQuerySet.with_predictions`."""
        graded = self.status == self.Status.GRADED and not self.is_mean and not self.file_removed_at
        agreed = self.predictions_public or self.version.publishes_predictions
        return self.is_public and graded and agreed and self.version.lists_predictions

    @property
    def may_publish_predictions(self) -> bool:
        """True if the owner can agree to publish the predictions, now or once the answers are public."""
        return not (self.predictions_public or self.is_mean or self.is_trial or self.file_removed_at)

    def gives_predictions_to(self, user: Any) -> bool:
        """True if the predictions file is still stored and the user may download it."""
        if self.is_mean or self.file_removed_at:
            return False
        return self.is_published or self.is_open_to(user, permissions.DOWNLOAD_PREDICTIONS)

    def may_be_read_by(self, user: Any) -> bool:
        return self.is_public or self.is_open_to(user, permissions.VIEW_SUBMISSION)

    def is_open_to(self, user: Any, permission: str) -> bool:
        """True for the submitter, team members with a sufficient role, and users with the permission."""
        reads = permission in (permissions.VIEW_SUBMISSION, permissions.DOWNLOAD_PREDICTIONS)
        allowed = teams.READS if reads else teams.SUBMITS
        return teams.acts_for(user, self.submitter_id, allowed) or permissions.may(user, permission)


def in_per_cent(line: str) -> str:
    """Return a text of `Submission.result_line` with the headline in percent, for pages."""
    return FIGURE.sub(lambda figure: number(float(figure[0])), line)


class Event(models.Model):
    """An event in the history of a submission. Events are never changed."""

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
        APPROVED = "approved", "Approved"
        REFUSED = "refused", "Refused for boards"
        SHARED = "shared", "Predictions made public"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=12, choices=Kind)
    detail = models.CharField(max_length=300, blank=True)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "pk"]

    @property
    def shown_detail(self) -> str:
        """The detail of the event, without figures that older releases stored for metrics that are not reported."""
        made = self.submission
        unreported = made.is_trial or made.system.kind in made.version.suite.unranked
        of_grading = self.kind in (self.Kind.GRADED, self.Kind.REGRADED)
        return BARE_FIGURE.sub("not reported ", self.detail) if unreported and of_grading else self.detail

    @property
    def page_detail(self) -> str:
        return in_per_cent(self.shown_detail)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {minute(self.at)}"
