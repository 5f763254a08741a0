"""Models of runs over a version, of registered model files and of their checks."""

from __future__ import annotations

from django.conf import settings as site_settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from leaderboard.benchmarks.models.version import Version
from leaderboard.jobs.models import Job
from leaderboard.jobs.querysets import JobQuerySet
from leaderboard.runs.model_job import JobEvent, ModelJob, held
from leaderboard.submissions.models.submission import Submission
from leaderboard.submissions.models.system import System


class RunQuerySet(JobQuerySet["Run"]):
    """Filters over runs."""


class ModelFile(models.Model):
    """A GGUF file or trained weights in the models folder; metadata is read from the file."""

    #: A language model, and a LoRA adapter for one. For other kinds see `evaluation.adapters.trained_files`.
    GGUF, LORA = "gguf", "lora"

    kind = models.CharField(
        max_length=20, default=GGUF, help_text="gguf, lora, or the kind of trained weights."
    )
    path = models.CharField(max_length=200, unique=True, help_text="Relative to the models folder.")
    name = models.CharField(max_length=100)
    sha256 = models.CharField("SHA-256", max_length=64)
    size = models.PositiveBigIntegerField(default=0)
    architecture = models.CharField(max_length=40, blank=True)
    quantization = models.CharField(max_length=30, blank=True)
    parameters = models.PositiveBigIntegerField(default=0)
    context_length = models.PositiveIntegerField(default=0)
    chat_template = models.TextField(blank=True)
    metadata = models.JSONField(default=dict)
    registered_by = models.ForeignKey(site_settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    registered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:model", args=[self.pk])

    @property
    def is_language_model(self) -> bool:
        return self.kind == self.GGUF

    @property
    def content(self) -> str:
        """Architecture of a language model, or the kind of weights in another file, in words."""
        if self.is_language_model:
            return self.architecture
        return "LoRA adapter" if self.kind == self.LORA else f"trained {self.kind}"

    @property
    def doubt(self) -> str:
        """The warning of the file's check; empty if there is none."""
        check = getattr(self, "check_made", None)
        return check.doubt if check else ""


class ModelHolder(models.Model):
    """A worker's report that its models folder contains a registered file (`runs.holders`)."""

    worker = models.CharField(max_length=200, help_text="Host, boot id of the host, process id.")
    queue = models.CharField(max_length=200, help_text="Queue that only this worker reads.")
    model_file = models.ForeignKey(ModelFile, on_delete=models.CASCADE, related_name="holders")
    seen_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["worker", "model_file"], name="one_holder_of_a_file")]

    def __str__(self) -> str:
        return f"{self.model_file} at {self.worker}"


class ModelCheck(Job):
    """A smoke test of a model file: perplexity of one sentence, and the chat template."""

    class Status(models.TextChoices):
        QUEUED = "queued", "Waiting for a worker"
        RUNNING = "running", "Being checked"
        PASSED = "passed", "Passed"
        SUSPICIOUS = "suspicious", "Suspicious"
        FAILED = "failed", "Failed"

    WAITS, WORKS = Status.QUEUED, Status.RUNNING
    TASK, QUEUE = "check_model", "models"
    ACTIVE = (Status.QUEUED, Status.RUNNING)

    model_file = models.OneToOneField(ModelFile, on_delete=models.CASCADE, related_name="check_made")
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    result = models.JSONField(default=dict, blank=True, help_text="Report of the engine's smoke test.")
    created_at = models.DateTimeField(default=timezone.now, help_text="When the check was requested.")
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    def __str__(self) -> str:
        return f"check of {self.model_file}"

    @classmethod
    def can_be_taken(cls) -> models.Q:
        return held()

    @classmethod
    def queued_since(cls) -> models.F:
        return models.F("created_at")

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE

    @property
    def doubt(self) -> str:
        """Findings against the model as a text; empty if the check found none, or has not ended."""
        if self.status == self.Status.FAILED:
            return f"The model could not be checked: {self.error}"
        return " ".join(self.result.get("doubts", ())) if self.status == self.Status.SUSPICIOUS else ""


class Run(ModelJob):
    """A job that runs an adapter or deterministic system over a version's rows and makes a submission."""

    TASK, SERVER_TASK = "execute_run", "execute_server_run"
    AT_REST = {"doing": ""}

    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="runs")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="runs")
    started_by = models.ForeignKey(
        site_settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="runs"
    )
    model_file = models.ForeignKey(
        ModelFile, null=True, blank=True, on_delete=models.PROTECT, related_name="runs"
    )
    conditions = models.JSONField(
        default=list, blank=True, help_text="Names of the conditions to run; empty: all."
    )
    row_limit = models.PositiveIntegerField(null=True, blank=True)
    visibility = models.CharField(
        max_length=10, choices=Submission.Visibility, default=Submission.Visibility.PUBLIC
    )

    declared = models.BooleanField(
        default=False, help_text="Declared before the start as the system's result on the board."
    )
    mean = models.ForeignKey(
        Submission,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="runs_of_mean",
        help_text="The mean submission that averages this run's repeats; empty: no mean.",
    )
    repeat = models.PositiveSmallIntegerField(
        default=0, help_text="Number of the repeat, from 1; 0: no repeat."
    )
    row_states = models.JSONField(
        default=dict, blank=True, help_text="Number of rows by state: answered, or why not."
    )
    rate = models.FloatField(
        null=True, blank=True, help_text="Rows per second since the run was last started."
    )
    doing = models.CharField(
        max_length=100,
        blank=True,
        default="",
        editable=False,
        help_text="The step that the worker is currently executing.",
    )
    provenance = models.JSONField(default=dict, blank=True)
    efficiency = models.JSONField(default=dict, blank=True)
    submission = models.OneToOneField(
        Submission, null=True, blank=True, on_delete=models.SET_NULL, related_name="run"
    )

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        permissions = [("cancel_run", "Can cancel a run"), ("resume_run", "Can resume a run")]

    def __str__(self) -> str:
        return f"{self.system} over {self.version}"

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:run", args=[self.pk])


class RunEvent(JobEvent):
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
