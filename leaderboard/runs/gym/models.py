"""Model of gym loops, which train small learners on their mistakes. Public, except the evaluation's seed."""

from __future__ import annotations

from typing import Any, Self

from django.conf import settings as site_settings
from django.db import models
from django.urls import reverse

from evaluation.core.terminal.wording import number_of
from evaluation.gym.learners import LEARNERS
from leaderboard.jobs.models import WorkQueue
from leaderboard.jobs.querysets import JobQuerySet
from leaderboard.runs.model_job import JobEvent, ModelJob
from leaderboard.runs.models import ModelFile


class GymLoopQuerySet(JobQuerySet["GymLoop"]):
    def for_list(self) -> Self:
        return self.with_silence().select_related("model_file", "started_by")


class GymLoop(ModelJob):
    """A job that trains a learner (`executor`) in rounds and writes a model file. Progress counts rounds."""

    TASK = SERVER_TASK = "execute_loop"
    AT_REST = {"at_hand": {}}

    model_file = models.OneToOneField(
        ModelFile,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="loop",
        help_text="The trained file; empty until the loop is finished.",
    )
    started_by = models.ForeignKey(
        site_settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="gym_loops"
    )
    at_hand = models.JSONField(default=dict, blank=True, help_text="Step and progress of the current round.")
    rate = models.FloatField(null=True, blank=True, help_text="Rounds per second since the last start.")
    outcome = models.JSONField(
        default=dict, blank=True, help_text="The engine's report of finished rounds, without settings."
    )

    objects = GymLoopQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name = "gym loop"
        default_permissions = ()  # those of runs apply

    def __str__(self) -> str:
        return f"gym loop {self.short_id} of a {self.executor}"

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:loop", args=[self.pk])

    @property
    def short_id(self) -> str:
        return self.pk.hex[:8]

    @classmethod
    def queues(cls) -> list[WorkQueue]:
        return [WorkQueue(cls.QUEUE, cls.TASK, models.Q())]

    @classmethod
    def can_be_taken(cls) -> models.Q:
        """Filter for all jobs, because a gym loop reads no model file."""
        return models.Q()

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """The finished rounds, with the fields of `evaluation.gym.loop.running.Round`."""
        found: list[dict[str, Any]] = self.outcome.get("rounds", [])
        return found

    @property
    def level(self) -> float | None:
        """Difficulty level of the last round's tasks. None before the first round, or if levels are drawn at random."""
        return self.rounds[-1]["level"] if self.rounds else None

    @property
    def lineage(self) -> str:
        level = "levels as drawn" if self.level is None else f"up to level {self.level:g}"
        examples = self.rounds[-1]["examples"] if self.rounds else 0
        return (
            f"Trained by {self}: {number_of(len(self.rounds), 'round')}, {level}, "
            f"{number_of(examples, 'example')} of {', '.join(self.families)}."
        )

    @property
    def about(self) -> str:
        """The learner's task in a sentence; empty if this release does not have the learner."""
        return LEARNERS[self.executor].about if self.executor in LEARNERS else ""

    @property
    def families(self) -> tuple[str, ...]:
        return LEARNERS[self.executor].training if self.executor in LEARNERS else ()


class GymLoopEvent(JobEvent):
    loop = models.ForeignKey(GymLoop, on_delete=models.CASCADE, related_name="events")

    class Meta(JobEvent.Meta):
        default_permissions = ()
